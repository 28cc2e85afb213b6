package run

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/quality/audit"
	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// auditSeed is the seed of a page's sample, so that the same run gives the same page.
const auditSeed = 1

// MeasureOf returns what an audit measures of records that are compared in that way.
func MeasureOf(c *config.Filter) audit.Measure {
	switch {
	case c.Rule.Samples != nil && !c.Rule.Samples.Either:
		return audit.InEarlier
	case c.Rule.Samples != nil, c.Rule.Verify == spec.VerifyContainment:
		return audit.InOther
	}
	return audit.Jaccard
}

// A Rereading reads the records of an audit again.
type Rereading func(Reading) error

// CompareSample draws the sample of an audit and compares it with all earlier records, for which it
// reads the records again two times. If their texts are changed before they are compared, it reads
// them two more times to compare what a reader sees of them.
func CompareSample(of *audit.Audit, c *config.Filter, read Rereading) error {
	last := of.Draw()
	if last == 0 {
		return nil
	}
	err := compareDrawn(of, last, c, read)
	seen, what := seenBy(c)
	if err != nil || what == "" {
		return err
	}
	return compareDrawn(of.Beside(what), last, &seen, read)
}

// comparesContents reports whether the main contents of pages are compared.
func comparesContents(c *config.Filter) bool {
	return c.Rule.Text.Markup == "html" || c.Rule.Text.Markup == "auto"
}

// compareDrawn compares the sample of an audit, which is drawn, up to the last record of it.
func compareDrawn(of *audit.Audit, last uint64, c *config.Filter, read Rereading) error {
	for _, do := range []func(uint64, []uint64){of.Query, of.Compare} {
		r, err := readingOfSets(c, last, do)
		if err == nil {
			err = read(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rereading returns a Reading that passes the number and the sketch of each of the first records to
// do, and then ends. The sketch is empty if the record has none. An input with fewer records has
// changed; so has one with more, if these are all that it had.
func rereading(records uint64, areAll bool, do func(number uint64, words []uint64)) Reading {
	number := uint64(0)
	return Reading{
		Method: stream.Method{Judge: Each(func(words []uint64) error {
			switch {
			case number < records:
				number++
				do(number, words)
				return nil
			case areAll:
				return audit.ErrChanged
			}
			return ErrEnough
		})},
		Ended: func(context.Context) error {
			if number < records {
				return audit.ErrChanged
			}
			return nil
		},
	}
}

// readingOfSets returns a Reading that passes the set of shingles of each record to do, up to the
// last one that matters. The set is empty if a text has more shingles than a set may have.
func readingOfSets(c *config.Filter, last uint64, do func(number uint64, set []uint64)) (r Reading, err error) {
	sketcher, err := shinglerOf(c)
	if err != nil {
		return r, err
	}
	p := sketcher.Params()
	before := sketch.SignedWords(p)
	r = rereading(last, false, func(number uint64, words []uint64) {
		do(number, words[min(before+1, len(words)):])
	})
	text := c.Rule.Text
	sets, err := sketchers.SignedSets(sketcher, c.Rule.Verification.Shingle)
	if err != nil {
		return r, err
	}
	r.Method.NewSketcher, err = sketchers.OfText(text.Markup, text.Normalize, text.Tokenize, sets)
	r.Method.NewSketcher = sketchers.ConfineSets(c.Method, p, r.Method.NewSketcher)
	return r, err
}

// shinglerOf returns a sketcher that makes the shingles of texts, and perhaps signatures.
func shinglerOf(c *config.Filter) (*sketch.Sketcher, error) {
	if c.Rule.Samples != nil {
		return sketchers.ShinglesFrom(c.Method)
	}
	sketcher, _, err := sketchers.New(c.Method)
	return sketcher, err
}

// checkAudited refuses an audit of inputs that cannot be read again, before anything is read.
func checkAudited(c *config.Filter, from *Source) error {
	if c.Report.Audit > 0 && !areRegular(from.Paths...) {
		return usage.Error(errors.New("--audit reads the inputs again, so all of them must be files: leave it " +
			"out, or copy them to files first"))
	}
	return nil
}

// audited is what the audit of a run has found.
type audited struct {
	audit.Finding
	loss *audit.LossFinding
}

// auditPage compares the sample of a page with all earlier records and measures what is lost,
// reading the inputs up to five more times. It is nil if the user has not asked for an audit.
func (w *work) auditPage(ctx context.Context) (*audited, error) {
	of := w.to.page.audit
	if of == nil {
		return nil, nil
	}
	again := func(r Reading) error {
		opts := w.from.optionsAgain()
		opts.Method, opts.Sinks, opts.SinkData = r.Method, r.Sinks, r.Needs.SinkData
		_, err := w.from.read(ctx, opts, r)
		return err
	}
	found := &audited{}
	err := CompareSample(of, w.Config, again)
	if err == nil {
		found.Finding = of.Find(w.to.page.Threshold)
		found.loss, err = MeasureLoss(of, w.Config, again)
	}
	if err != nil {
		return nil, fmt.Errorf("--audit: %w", err)
	}
	return found, nil
}

// describeAudit adds the findings of the audit to a page.
func describeAudit(run *report.Run, found *audited) {
	if found == nil {
		return
	}
	run.Figures = append([]report.Figure{
		{Value: units.Count(run.Kept), Label: "kept", Class: "kept"},
		{Value: units.Count(run.Removed), Label: "removed", Class: "removed"},
	}, AuditFigures(found.Finding, found.loss)...)
	list, notes := AuditList(found.Finding)
	run.Lists, run.Notes = append(run.Lists, list), append(run.Notes, notes...)
	lists, notes := LossLists(found.loss)
	run.Lists, run.Notes = append(run.Lists, lists...), append(run.Notes, notes...)
}

// AuditFigures are precision, recall and what is lost, with their intervals.
func AuditFigures(f audit.Finding, loss *audit.LossFinding) []report.Figure {
	precision := report.Figure{Value: "–", Label: "precision: nothing was removed"}
	if f.Removed.Records > 0 {
		precision = report.Figure{
			Value: fmt.Sprintf("%.4f", f.Precision.Value), Label: "precision, " + intervalOf(f.Precision),
		}
	}
	figures := []report.Figure{precision}
	if f.Beside != nil && f.Removed.Records > 0 {
		figures = append(figures, report.Figure{
			Value: fmt.Sprintf("%.4f", f.Beside.Precision.Value),
			Label: "precision by " + f.Beside.Seen + ", " + intervalOf(f.Beside.Precision),
		})
	}
	figures = append(figures, report.Figure{
		Value: fmt.Sprintf("%.4f", f.Recall.Value), Label: "recall, " + intervalOf(f.Recall),
	})
	return append(figures, lossFigure(loss)...)
}

// intervalOf describes the interval of an estimate in words. Word joiners keep it on one line.
func intervalOf(e audit.Estimate) string {
	if e.Low == e.High {
		return "exact"
	}
	return fmt.Sprintf("%g\u00a0%% interval %.4f\u2060–\u2060%.4f", 100*audit.Confidence, e.Low, e.High)
}

// AuditList returns the samples by their nearest earlier record, with notes on them.
func AuditList(f audit.Finding) (list report.List, notes []string) {
	list = report.List{
		Title: "Nearest earlier record",
		About: fmt.Sprintf("%s removed and %s kept records, drawn at random, by %s.",
			units.Count(uint64(f.Removed.Sample)), units.Count(uint64(f.Kept.Sample)), f.Measure.Of()),
		Columns: []string{"Similarity", "Of removed", "Of kept"},
	}
	if f.Beside != nil {
		word := map[string]string{VisibleText: "visible", TextAsItWas: "as it came"}[f.Beside.Seen]
		list.About += fmt.Sprintf(" %s%s: by %s.", strings.ToUpper(word[:1]), word[1:], AllOf(f.Beside.Seen))
		list.Columns = append(list.Columns, "Of removed, "+word, "Of kept, "+word)
	}
	for i, b := range f.Removed.Nearest {
		row := report.ListRow{Text: audit.BinName(i), Cells: []string{
			units.Count(uint64(b.Records)), units.Count(uint64(f.Kept.Nearest[i].Records)),
		}}
		if beside := f.Beside; beside != nil {
			row.Cells = append(row.Cells, units.Count(uint64(beside.Removed.Nearest[i].Records)),
				units.Count(uint64(beside.Kept.Nearest[i].Records)))
		}
		list.Rows = append(list.Rows, row)
	}
	if f.TooLong > 0 {
		notes = append(notes, fmt.Sprintf("%s of the texts that were drawn have too many shingles to be compared, and "+
			"count as unlike all others.", units.Count(uint64(f.TooLong))))
	}
	return list, notes
}
