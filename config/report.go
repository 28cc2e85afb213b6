package config

import (
	"errors"
	"fmt"
	"slices"
)

// ReportFlags ask for a page that shows what the run did.
type ReportFlags struct {
	Report   string   `placeholder:"FILE" help:"Write a page of HTML here that shows what was removed: by input and field, over the stream, by similarity, and twenty removed records beside their originals, as far as --memory knows them. It needs no network."`
	ReportBy []string `placeholder:"FIELD" help:"With --report: count records by the value of this field, or column, too. Several are separated by commas."`
}

// mostReportFields bounds the tables of a report.
const mostReportFields = 16

func (f FilterFlags) checkReport() error {
	switch {
	case f.Report == "" && len(f.ReportBy) > 0:
		return errors.New("--report-by needs --report FILE: there the counts are shown")
	case f.Report == "-":
		return errors.New("--report - would mix with the records: name a file")
	case f.Report != "" && f.Edits():
		return fmt.Errorf("--report shows records that are removed, and --action %s changes them: "+
			"leave one of them out", f.Action)
	case len(f.ReportBy) > mostReportFields:
		return fmt.Errorf("--report-by has %d fields: give %d at most", len(f.ReportBy), mostReportFields)
	}
	taken := []string{f.Output, f.Duplicates, f.Rejects, f.Flags, f.Stats, f.Originals}
	if f.Report != "" && slices.Contains(taken, f.Report) {
		return fmt.Errorf("--report and another output both write %s: give each its own file", f.Report)
	}
	return nil
}
