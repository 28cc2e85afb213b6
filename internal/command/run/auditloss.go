package run

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/quality/audit"
	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Limits on quotes from a record, in bytes.
const (
	quotedFrom = 64 << 10 // of the beginning of a text, where a lost passage is looked for
	quoted     = 300
)

// MeasureLoss measures what the removals of an audit lose, after its sample was drawn. It reads the
// records again two times, and a third time if anything is lost, to quote it.
func MeasureLoss(a *audit.Audit, c *config.Filter, read Rereading) (*audit.LossFinding, error) {
	of := a.Loss()
	if last := of.Last(); last > 0 {
		r, err := readingOfGrams(c, rereading(last, false, withoutFirst(of.Query)),
			func(s *sketch.Sketcher) stream.Sketcher { return sketch.Set{Sketcher: s} })
		if err == nil {
			err = read(r)
		}
		if err != nil {
			return nil, err
		}
		grams := of.Grams()
		r, err = readingOfGrams(c, rereading(a.Records(), true, withoutFirst(of.Keep)),
			func(s *sketch.Sketcher) stream.Sketcher { return gramFinder{s, grams} })
		if err == nil {
			err = read(r)
		}
		if err != nil {
			return nil, err
		}
	}
	found := of.Find()
	found.Shingle = sketchers.GramSize
	return found, quoteLosses(found.Worst, of.Grams(), c, read)
}

// withoutFirst returns a function that passes sketches to do without their first word, a number.
func withoutFirst(do func(number uint64, words []uint64)) func(number uint64, words []uint64) {
	return func(number uint64, words []uint64) { do(number, words[min(1, len(words)):]) }
}

// readingOfGrams has a Reading pass on sketches that are made of the shingles of records, of
// sketchers.GramSize tokens each.
func readingOfGrams(
	c *config.Filter, r Reading, sketcherOf func(*sketch.Sketcher) stream.Sketcher,
) (Reading, error) {
	sketcher, err := sketchers.Grams(c.Rule.Text)
	if err != nil {
		return r, err
	}
	text := c.Rule.Text
	r.Unconfined = true
	r.Method.NewSketcher, err = sketchers.OfText(text.Markup, text.Normalize, text.Tokenize, func() stream.Sketcher {
		return sketcherOf(sketcher.Clone())
	})
	return r, err
}

// A gramFinder makes sketches that say which shingles of sampled records are in a text: a zero, and
// the words of audit.Grams.
type gramFinder struct {
	*sketch.Sketcher
	of *audit.Grams
}

// Append implements stream.Sketcher.
func (f gramFinder) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	words = append(dst, 0)
	f.EachShingle(text, func(hashes []uint64) {
		words, ok = f.of.Append(words, hashes), true
	})
	if !ok {
		return dst, false
	}
	return words, true
}

// quoteLosses reads the names of records, and what is lost of them.
func quoteLosses(worst []audit.LostFrom, lost *audit.Grams, c *config.Filter, read Rereading) error {
	if len(worst) == 0 {
		return nil
	}
	textOf, err := sketchers.TextOf(c.Method)
	if err != nil {
		return err
	}
	sketcher, err := sketchers.Grams(c.Rule.Text)
	if err != nil {
		return err
	}
	of := map[uint64]*audit.LostFrom{}
	for i := range worst {
		of[worst[i].Number] = &worst[i]
	}
	number := uint64(0)
	q := quoter{sketcher: sketcher, lost: lost}
	return read(Reading{
		Method: stream.Method{Judge: stream.KeepAll()}, Unconfined: true,
		Needs: Needs{SinkData: stream.SinkData{Excerpt: quotedFrom}},
		Sinks: []stream.Sink{stream.SinkFunc(func(d *stream.Decided) error {
			number++
			if w := of[number]; w != nil {
				w.Name, w.Text = fmt.Sprintf("%s:%d", d.Input, d.Record), q.quote(textOf(d.Excerpt))
				delete(of, number)
			}
			if len(of) == 0 {
				return ErrEnough
			}
			return nil
		})},
		Ended: func(context.Context) error {
			if len(of) > 0 {
				return audit.ErrChanged
			}
			return nil
		},
	})
}

// A quoter finds passages of texts that are lost.
type quoter struct {
	sketcher *sketch.Sketcher
	lost     *audit.Grams
	hashes   []uint64 // scratch
}

// quote returns the beginning of the longest passage of a text whose shingles are lost. Where a
// dictionary divides a text into tokens, these are longer than what is taken for words here, so
// that a shingle is only found in a longer passage.
func (q *quoter) quote(text []byte) string {
	words := report.WordsOf(text)
	var longest []byte
	for size := sketchers.GramSize; len(longest) == 0 && size <= 4*sketchers.GramSize; size *= 2 {
		longest = q.longest(text, words, size)
	}
	if len(longest) > quoted {
		longest = append(longest[:quoted:quoted], "…"...)
	}
	return string(bytes.ToValidUTF8(longest, nil))
}

// longest returns the longest passage made of runs of that many words with a lost shingle.
func (q *quoter) longest(text []byte, words [][2]int, size int) (longest []byte) {
	start, end := 0, -1
	for i := range max(min(1, len(words)), len(words)-size+1) {
		from, to := words[i][0], words[min(i+size, len(words))-1][1]
		q.hashes = q.sketcher.Shingles(q.hashes[:0], text[from:to])
		if !q.lost.AnyLost(q.hashes) {
			continue
		}
		if from > end {
			start = from
		}
		if end = to; end-start > len(longest) {
			longest = text[start:end]
		}
	}
	return longest
}

// LossLists are the losses in a page: how many records lose how much, and those that lose most.
func LossLists(f *audit.LossFinding) (lists []report.List, notes []string) {
	if f == nil || f.Sample == 0 {
		return nil, nil
	}
	shares := report.List{
		Title: "What was lost",
		About: fmt.Sprintf("How much of the removed records no kept record contains, by runs of %d words, of %s drawn "+
			"at random.", f.Shingle, units.Of(uint64(f.Sample), "removed record")),
		Columns: []string{"Lost", "Of the sample", "Of all removed", ""},
	}
	for _, a := range f.Above {
		shares.Rows = append(shares.Rows, report.ListRow{Text: LossName(a.Share), Cells: []string{
			units.Count(uint64(a.Sample)), units.Count(a.Removed.Value), lossInterval(a.Removed),
		}})
	}
	lists = append(lists, shares)
	if len(f.Worst) > 0 {
		worst := report.List{
			Title: "Removed records that lose most", About: "With the longest passage that no kept record contains.",
			Columns: []string{"Lost", "Record", "Share"},
		}
		for _, w := range f.Worst {
			worst.Rows = append(worst.Rows, report.ListRow{
				Text: LostText(w), Cells: []string{shown.Text(w.Name), fmt.Sprintf("%.0f %%", 100*w.Share)},
			})
		}
		lists = append(lists, worst)
	}
	if f.TooLong > 0 {
		notes = append(notes, fmt.Sprintf("What is lost of %s with too many shingles was not measured.",
			units.Of(uint64(f.TooLong), "removed record")))
	}
	return lists, notes
}

// LostText returns what is lost of a record in one line, escaped for terminals and pages.
func LostText(w audit.LostFrom) string {
	if w.Text == "" {
		return fmt.Sprintf("(not in its first %s)", units.Bytes(quotedFrom))
	}
	return shown.Text(strings.Join(strings.Fields(w.Text), " "))
}

// lossFigure is how many removed records lose more than audit.Serious.
func lossFigure(f *audit.LossFinding) []report.Figure {
	if f == nil || f.Sample == 0 {
		return nil
	}
	of := f.Serious()
	label := fmt.Sprintf("removed records with %s that no kept record has", LossName(of.Share))
	return []report.Figure{{Value: units.Count(of.Removed.Value), Label: label + ", " + lossInterval(of.Removed)}}
}

// LossName describes a share that is exceeded.
func LossName(share float64) string {
	if share == 0 {
		return "anything"
	}
	return fmt.Sprintf("more than %g %%", 100*share)
}

// lossInterval describes where a count lies, as intervalOf does.
func lossInterval(c audit.Count) string {
	if c.Low == c.High {
		return "exact"
	}
	return fmt.Sprintf("%g\u00a0%% interval %s\u2060–\u2060%s", 100*audit.Confidence, units.Count(c.Low),
		units.Count(c.High))
}
