package command

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/quality/audit"
	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// An auditResult is what --json writes.
type auditResult struct {
	Version    string  `json:"version"`
	Measure    string  `json:"measure"` // of similarity
	Threshold  float64 `json:"threshold"`
	Confidence float64 `json:"confidence"`
	auditSides
	Precision audit.Estimate `json:"precision"`
	auditTexts
	Recall  audit.Estimate `json:"recall"`
	At      []auditAt      `json:"at,omitempty"`
	TooLong int            `json:"too_long,omitempty"` // sampled texts that cannot be compared
	Seconds float64        `json:"seconds"`

	found  audit.Finding // what the above is taken from
	unread string        // what was not judged, if anything
}

// auditSides holds the audited records.
type auditSides struct {
	Removed auditedRecords `json:"removed"`
	Kept    auditedRecords `json:"kept"`
}

// auditTexts says what of the records is compared, and what other texts of the same records say.
type auditTexts struct {
	Compared string        `json:"compared"`             // what of the records
	Visible  *auditVisible `json:"visible,omitempty"`    // by all visible text of pages
	AsItCame *auditVisible `json:"as_it_came,omitempty"` // by texts before they were normalized
}

// An auditVisible is the result of comparing what a reader sees, if texts were changed before they
// were compared.
type auditVisible struct {
	Precision audit.Estimate `json:"precision"`
	Removed   []audit.Bin    `json:"removed"` // by the nearest earlier record
	Kept      []audit.Bin    `json:"kept"`
}

// An auditAt says how many records would be removed at a threshold.
type auditAt struct {
	Threshold float64 `json:"threshold"`
	Removed   uint64  `json:"removed"`
}

// auditedRecords describes the removed or the kept records.
type auditedRecords struct {
	Records uint64      `json:"records"`
	Sample  int         `json:"sample"`
	Nearest []audit.Bin `json:"nearest"`
	// Lost is what their removal loses. It is nil for kept records.
	Lost *audit.LossFinding `json:"lost,omitempty"`
}

// result works out what the samples mean.
func (a *auditRun) result(elapsed time.Duration) auditResult {
	threshold := a.c.Filter.Rule.Threshold
	f := a.of.Find(threshold)
	var at []auditAt
	for i, n := range a.removedAt {
		at = append(at, auditAt{a.c.Thresholds[i], n})
	}
	r := auditResult{
		Version: files.Version(), At: at, Measure: f.Measure.String(), Threshold: threshold,
		Confidence: audit.Confidence,
		auditSides: auditSides{
			Removed: auditedRecords{f.Removed.Records, f.Removed.Sample, f.Removed.Nearest, a.loss},
			Kept:    auditedRecords{f.Kept.Records, f.Kept.Sample, f.Kept.Nearest, nil},
		},
		Precision: f.Precision, Recall: f.Recall, TooLong: f.TooLong, Seconds: elapsed.Seconds(), found: f,
	}
	r.Compared = a.source.Compared(&a.c.Filter)
	r.unread = strings.TrimPrefix(run.Unread(a.stats), "; ")
	if v := f.Beside; v != nil {
		seen := &auditVisible{v.Precision, v.Removed.Nearest, v.Kept.Nearest}
		if v.Seen == run.VisibleText {
			r.Visible = seen
		} else {
			r.AsItCame = seen
		}
	}
	return r
}

// report prints the result, and writes it to the files that were asked for.
func (a *auditRun) report(elapsed time.Duration) error {
	r := a.result(elapsed)
	err := r.print(a.std.Out)
	if err == nil && a.json != nil {
		err = jsonout.WriteIndented(a.json, r)
	}
	if err == nil && a.page != nil {
		err = a.pageOf(r).Write(a.page)
	}
	return err
}

func (r auditResult) print(to io.Writer) error {
	fmt.Fprintf(to, "removed %s of %s records; %s removed and %s kept ones were compared with all earlier records\n",
		units.Count(r.Removed.Records), units.Count(r.Removed.Records+r.Kept.Records),
		units.Count(uint64(r.Removed.Sample)),
		units.Count(uint64(r.Kept.Sample)))
	fmt.Fprintf(to, "compared: %s\n", shown.Text(r.Compared))
	if r.unread != "" {
		fmt.Fprintf(to, "not judged: %s\n", shown.Text(r.unread))
	}
	fmt.Fprintln(to)
	w := tabwriter.NewWriter(to, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "at %g\testimate\t%g %% interval\t\n", r.Threshold, 100*r.Confidence)
	type row struct {
		name string
		e    audit.Estimate
	}
	rows := []row{{"precision", r.Precision}, {"recall", r.Recall}}
	beside := r.found.Beside
	if beside != nil && r.Removed.Records > 0 {
		rows = slices.Insert(rows, 1, row{"precision by " + beside.Seen, beside.Precision})
	}
	for _, row := range rows {
		interval := fmt.Sprintf("%.4f – %.4f", row.e.Low, row.e.High)
		switch {
		case row.name == "precision" && r.Removed.Records == 0:
			fmt.Fprintf(w, "%s\t–\tnothing was removed\t\n", row.name)
			continue
		case row.e.Low == row.e.High:
			interval = "exact: all were compared"
		}
		fmt.Fprintf(w, "%s\t%.4f\t%s\t\n", row.name, row.e.Value, interval)
	}
	nearest := "nearest earlier record"
	if r.found.Measure != audit.Jaccard {
		nearest = "most in an earlier record"
	}
	r.printNearest(w, nearest, r.Removed.Nearest, r.Kept.Nearest)
	if beside != nil {
		r.printNearest(w, "by "+run.AllOf(beside.Seen), beside.Removed.Nearest, beside.Kept.Nearest)
	}
	for i, at := range r.At {
		if i == 0 {
			fmt.Fprintf(w, "\t\t\t\nat a threshold of\tremoved\tshare\t\n")
		}
		fmt.Fprintf(w, "%g\t%s\t%.2f %%\t\n", at.Threshold, units.Count(at.Removed),
			units.Percent(at.Removed, r.Removed.Records+r.Kept.Records))
	}
	r.printLoss(w)
	if err := w.Flush(); err != nil {
		return err
	}
	r.printWorst(to)
	if r.TooLong > 0 {
		fmt.Fprintf(to, "\n%s of these texts have too many shingles to be compared, and count as unlike all others\n",
			units.Count(uint64(r.TooLong)))
	}
	return nil
}

// printNearest prints how many samples there are at each similarity to the nearest earlier record.
func (r auditResult) printNearest(w io.Writer, title string, removed, kept []audit.Bin) {
	fmt.Fprintf(w, "\t\t\t\n%s\tof removed\tof kept\t\n", title)
	for i, b := range removed {
		fmt.Fprintf(w, "%s\t%s\t%s\t\n", audit.BinName(i), units.Count(uint64(b.Records)),
			units.Count(uint64(kept[i].Records)))
	}
}

// printLoss prints how many records lose how much.
func (r auditResult) printLoss(w io.Writer) {
	for i, a := range r.Removed.Lost.Above {
		if r.Removed.Lost.Sample == 0 {
			return
		}
		if i == 0 {
			fmt.Fprintf(w, "\t\t\t\nin no kept record\tof sample\tof all removed\t\n")
		}
		all := units.Count(a.Removed.Value)
		if a.Removed.Low < a.Removed.High {
			all += fmt.Sprintf(" (%s – %s)", units.Count(a.Removed.Low), units.Count(a.Removed.High))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t\n", run.LossName(a.Share), units.Count(uint64(a.Sample)), all)
	}
}

// shownWorst is how many of the records that lose most are printed.
const shownWorst = 5

// printWorst prints these records, with what is lost.
func (r auditResult) printWorst(to io.Writer) {
	for i, w := range r.Removed.Lost.Worst[:min(len(r.Removed.Lost.Worst), shownWorst)] {
		if i == 0 {
			fmt.Fprintf(to, "\nwhat no kept record has, by runs of %d words, of the records that lose most:\n",
				r.Removed.Lost.Shingle)
		}
		fmt.Fprintf(to, "%s, %.0f %%: %s\n", shown.Text(w.Name), 100*w.Share, run.LostText(w))
	}
}

// pageOf returns the result as a page.
func (a *auditRun) pageOf(r auditResult) *report.Run {
	nearest, notes := run.AuditList(r.found)
	lost, lostNotes := run.LossLists(r.Removed.Lost)
	headline := fmt.Sprintf("Precision %.3f, recall %.3f at %g", r.Precision.Value, r.Recall.Value, r.Threshold)
	if r.Removed.Records == 0 {
		headline = fmt.Sprintf("Nothing was removed; recall %.3f at %g", r.Recall.Value, r.Threshold)
	}
	run := &report.Run{
		Origin:  run.OriginOf(a.std.Args, time.Duration(r.Seconds*float64(time.Second))),
		Records: r.Removed.Records + r.Kept.Records, Removed: r.Removed.Records, Threshold: r.Threshold,
		Words: report.Words{Headline: headline},
		Figures: append([]report.Figure{
			{Value: units.Count(r.Removed.Records), Label: "removed", Class: "removed"},
		}, run.AuditFigures(r.found, r.Removed.Lost)...),
		Parameters: append(run.ParametersOf(&a.c.Filter, a.source),
			report.Parameter{Name: "sample", Value: fmt.Sprint(a.c.Sample)},
			report.Parameter{Name: "sample seed", Value: fmt.Sprint(a.c.Seed)}),
		Curve: run.CurveOf(a.source.Keys.Rule),
	}
	run.Lists = []report.List{nearest}
	if len(r.At) > 0 {
		run.Lists = append(run.Lists, r.thresholdList())
	}
	run.Notes = append(run.Notes, notes...)
	run.Lists, run.Notes = append(run.Lists, lost...), append(run.Notes, lostNotes...)
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
