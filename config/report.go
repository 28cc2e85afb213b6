package config

import (
	"errors"
	"fmt"
	"slices"
)

// ReportFlags ask for a page that shows what the run did.
type ReportFlags struct {
	Report   string   `placeholder:"FILE" brief:"a page of HTML that shows what the run did" help:"Write a page of HTML here that shows what the run did: counts by input and field and over the stream, similarities, and examples beside what they resemble, as far as that is known. It needs no network."`
	ReportBy []string `placeholder:"FIELD" help:"With --report: count records by the value of this field, or column, too. Several are separated by commas."`
}

// mostReportFields bounds the tables of a report.
const mostReportFields = 16

func (f FilterFlags) checkReport() error {
	if f.Report != "" && f.Edits() {
		return fmt.Errorf("--report shows records that are removed, and --action %s changes them: "+
			"leave one of them out", f.Action)
	}
	return firstOf(f.checkAudit, func() error {
		return f.ReportFlags.check(f.Output, f.Duplicates, f.Rejects, f.Flags, f.Stats, f.Originals)
	})
}

// checkAudit refuses what an audit of a run cannot compare.
func (f FilterFlags) checkAudit() error {
	switch {
	case f.Audit != 0 && f.Verify == VerifyContainment:
		return errors.New("--audit compares by Jaccard similarity, and --verify containment removes what is below " +
			"it: leave one of them out")
	case f.Audit == 0:
		return nil
	case f.Report == "":
		return errors.New("--audit needs --report FILE: there it is shown; mithril-stream audit prints it")
	case f.Method != "" || f.ByVectors() || f.Sketch == SketchSimHash || f.Sketch == SketchTLSH:
		return errors.New("--audit compares sets of shingles: leave it out with --equal, --key, --method and a " +
			"--sketch of fingerprints or vectors")
	case f.Index != "" || len(f.Against) > 0:
		return errors.New("--audit knows the records of this run only, and --index and --against have others: " +
			"leave it out, or them")
	case len(f.Inputs) == 0 || slices.Contains(f.Inputs, "-"):
		return errors.New("--audit reads the inputs again, which standard input cannot be: name files")
	}
	return nil
}

// check checks the flags beside the other files that are written.
func (r ReportFlags) check(others ...string) error {
	switch {
	case r.Report == "" && len(r.ReportBy) > 0:
		return errors.New("--report-by needs --report FILE: there the counts are shown")
	case r.Report == "-":
		return errors.New("--report - would mix with the records: name a file")
	case len(r.ReportBy) > mostReportFields:
		return fmt.Errorf("--report-by has %d fields: give %d at most", len(r.ReportBy), mostReportFields)
	case r.Report != "" && slices.Contains(others, r.Report):
		return fmt.Errorf("--report and another output both write %s: give each its own file", r.Report)
	}
	return nil
}
