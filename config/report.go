package config

import (
	"errors"
	"slices"

	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// ReportFlags ask for a page that describes the run.
type ReportFlags struct {
	Report   string   `not:"vectors,tokens,edits,sketched,days" writes:"records" placeholder:"FILE" brief:"A page of HTML that shows what the run did" help:"@report/report"`
	ReportBy []string `needs:"--report FILE: there the counts are shown" placeholder:"FIELD" help:"With --report: also count records by the value of this field, or column. Separate several fields by commas."`
}

// GateFlags make a run fail if its result looks wrong, before its outputs are put in place.
type GateFlags struct {
	MaxDuplicates *values.Share `not:"sketched" range:"[0,1]" placeholder:"SHARE" brief:"Exit with 6 if more than this share is removed" help:"@report/max-duplicates"`
	MaxDoubts     *int          `not:"sketched" range:"[0,)" placeholder:"N" help:"@report/max-doubts"`
}

// IsSet reports whether there is any check of the result.
func (g GateFlags) IsSet() bool { return g.MaxDuplicates != nil || g.MaxDoubts != nil }

// checkGate rejects outputs that would be in place before the result is known.
func (f FilterFlags) checkGate() error {
	if f.GateFlags.IsSet() && (f.Resume || f.Checkpoint != (values.Checkpoint{})) {
		return errors.New("--max-duplicates and --max-doubts look at the whole run, and --checkpoint commits before " +
			"its end, where --resume goes on: leave one of them out")
	}
	return nil
}

// checkAudit rejects flags for which a run cannot be audited.
func (f FilterFlags) checkAudit() error {
	if f.Audit == 0 {
		return nil
	}
	if err := withAudit.check(f.given, "--audit"); err != nil {
		return err
	}
	switch {
	case f.Method != "" || f.ByVectors() || f.Sketch == spec.SketchSimHash || f.Sketch == spec.SketchTLSH:
		return errors.New("--audit compares sets of shingles: leave it out with parts of records, fingerprints and " +
			"vectors")
	case len(f.Inputs) == 0 || slices.Contains(f.Inputs, "-"):
		return errors.New("--audit reads the inputs again, which standard input cannot be: name files")
	}
	return nil
}

// check rejects fields that cannot be counted by.
func (r ReportFlags) check() error { return checkFieldList("--report-by", r.ReportBy) }
