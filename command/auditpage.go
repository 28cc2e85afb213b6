package command

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/command/files"
	"github.com/mithril-stream/mithril-stream/command/run"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/quality/report"
)

// pageOf is the result as a page.
func (a *auditRun) pageOf(r auditResult) *report.Run {
	f := &run.Run{Config: &a.c.Filter, Keys: a.keys, Source: a.source}
	nearest, notes := run.AuditList(r.found)
	headline := fmt.Sprintf("Precision %.3f, recall %.3f at %g", r.Precision.Value, r.Recall.Value, r.Threshold)
	if r.Removed.Records == 0 {
		headline = fmt.Sprintf("Nothing was removed; recall %.3f at %g", r.Recall.Value, r.Threshold)
	}
	run := &report.Run{
		Command: run.CommandLine(a.std.Args), Version: files.Version(), Seconds: r.Seconds,
		Records: r.Removed.Records + r.Kept.Records, Removed: r.Removed.Records, Threshold: r.Threshold,
		Words: report.Words{Headline: headline},
		Figures: append([]report.Figure{
			{Value: units.Count(r.Removed.Records), Label: "removed", Class: "removed"},
		}, run.AuditFigures(r.found)...),
		Parameters: append(f.Parameters(),
			report.Parameter{Name: "sample", Value: fmt.Sprint(a.c.Sample)},
			report.Parameter{Name: "sample seed", Value: fmt.Sprint(a.c.Seed)}),
		Curve: run.CurveOf(a.keys.Rule),
	}
	run.Lists = []report.List{nearest}
	if len(r.At) > 0 {
		run.Lists = append(run.Lists, r.thresholdList())
	}
	run.Notes = append(run.Notes, notes...)
	return run
}

func (r auditResult) thresholdList() report.List {
	list := report.List{
		Title: "At other thresholds", About: "What would be removed, by estimates.",
		Columns: []string{"Threshold", "Removed", "Share"},
	}
	for _, at := range r.At {
		list.Rows = append(list.Rows, report.ListRow{Text: fmt.Sprint(at.Threshold), Cells: []string{
			units.Count(at.Removed), fmt.Sprintf("%.2f %%", units.Percent(at.Removed,
				r.Removed.Records+r.Kept.Records)),
		}})
	}
	return list
}
