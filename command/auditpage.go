package command

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/files"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/quality/audit"
	"github.com/mithril-stream/mithril-stream/quality/report"
	"github.com/mithril-stream/mithril-stream/run"
)

// pageOf is the result as a page.
func (a *auditRun) pageOf(r auditResult) *report.Run {
	f := &run.Run{Config: &a.c.Filter, Keys: a.keys, Source: a.source}
	run := &report.Run{
		Command: run.CommandLine(a.std.Args), Version: files.Version(), Seconds: r.Seconds,
		Records: r.Removed.Records + r.Kept.Records, Removed: r.Removed.Records, Threshold: r.Threshold,
		Words: report.Words{
			Headline: fmt.Sprintf("Precision %.3f, recall %.3f at %g", r.Precision.Value, r.Recall.Value, r.Threshold),
		},
		Figures: []report.Figure{
			{Value: report.Count(r.Removed.Records), Label: "removed", Class: "removed"},
			{Value: fmt.Sprintf("%.4f", r.Precision.Value), Label: "precision, " + intervalOf(r.Precision)},
			{Value: fmt.Sprintf("%.4f", r.Recall.Value), Label: "recall, " + intervalOf(r.Recall)},
		},
		Parameters: append(f.Parameters(),
			report.Parameter{Name: "sample", Value: fmt.Sprint(a.c.Sample)},
			report.Parameter{Name: "sample seed", Value: fmt.Sprint(a.c.Seed)}),
		Curve: run.CurveOf(a.keys.Rule),
	}
	run.Lists = []report.List{r.nearestList()}
	if len(r.At) > 0 {
		run.Lists = append(run.Lists, r.thresholdList())
	}
	if r.TooLong > 0 {
		run.Notes = append(run.Notes, fmt.Sprintf("%s of these texts have too many shingles to be "+
			"compared, and count as unlike all others.", report.Count(uint64(r.TooLong))))
	}
	return run
}

// intervalOf is where the value of an estimate lies, in words.
func intervalOf(e audit.Estimate) string {
	if e.Low == e.High {
		return "exact"
	}
	return fmt.Sprintf("%g %% interval %.4f – %.4f", 100*audit.Confidence, e.Low, e.High)
}

func (r auditResult) nearestList() report.List {
	list := report.List{
		Title: "Nearest earlier record",
		About: fmt.Sprintf("%s removed and %s kept records, drawn at random, by their exact Jaccard similarity with "+
			"the nearest of all earlier records.", report.Count(uint64(r.Removed.Sample)),
			report.Count(uint64(r.Kept.Sample))),
		Columns: []string{"Similarity", "Of removed", "Of kept"},
	}
	for i, b := range r.Removed.Nearest {
		list.Rows = append(list.Rows, report.ListRow{Text: binName(i), Cells: []string{
			report.Count(uint64(b.Records)), report.Count(uint64(r.Kept.Nearest[i].Records)),
		}})
	}
	return list
}

func (r auditResult) thresholdList() report.List {
	list := report.List{
		Title: "At other thresholds", About: "What would be removed, estimated from signatures.",
		Columns: []string{"Threshold", "Removed", "Share"},
	}
	for _, at := range r.At {
		list.Rows = append(list.Rows, report.ListRow{Text: fmt.Sprint(at.Threshold), Cells: []string{
			report.Count(at.Removed), fmt.Sprintf("%.2f %%", units.Percent(at.Removed,
				r.Removed.Records+r.Kept.Records)),
		}})
	}
	return list
}
