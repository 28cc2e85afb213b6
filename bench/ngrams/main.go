// Command ngrams measures what sampled n-grams lose: which records, and which paragraphs, are taken
// for seen by a sample that are not by all n-grams, and the other way round.
//
//	go run ./ngrams [-scales 1,4,16] [-shares .2,.8] FILE.jsonl
//
// The n-grams are remembered exactly, so that nothing but sampling is measured.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/records"
	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/memory/overlap"
	"github.com/mithril-stream/mithril-stream/stream"
)

func main() {
	methods := flag.String("methods", "dolma-ngram,dclm", "whose n-grams, parted by commas")
	scales := flag.String("scales", "1,4,16,32", "one n-gram in so many, parted by commas; 1 comes first")
	shares := flag.String("shares", ".2,.5,.8", "of --overlap, parted by commas")
	program.Main(1, "ngrams [-methods …] [-scales …] [-shares …] FILE.jsonl", func(string) error {
		texts, err := records.Read[struct{ Text string }](flag.Arg(0))
		if err != nil {
			return err
		}
		c := comparison{texts: texts, out: os.Stdout}
		for method := range strings.SplitSeq(*methods, ",") {
			if err := c.measure(method, *scales, *shares); err != nil {
				return err
			}
		}
		return nil
	})
}

type comparison struct {
	texts []struct{ Text string }
	out   io.Writer
}

// measure writes the table of a method.
func (c *comparison) measure(method, scales, shares string) error {
	fmt.Fprintf(c.out, "%s, %d records of %.0f bytes\n\n", method, len(c.texts), c.meanLength())
	t := markdown.New("one in", "n-grams a record", "bytes at 1e-3", "share", "records removed", "precision", "recall",
		"far too few seen", "kept with far more", "paragraphs seen", "precision", "recall")
	all := map[string]judged{} // of all n-grams, by the share
	for scale := range strings.SplitSeq(scales, ",") {
		sketches, parts, err := c.sketch(method, scale)
		if err != nil {
			return err
		}
		for share := range strings.SplitSeq(shares, ",") {
			records, err := sketches.judge(share, false)
			if err != nil {
				return err
			}
			paragraphs, err := sketches.judge(share, true)
			if err != nil {
				return err
			}
			got := records
			got.seen = paragraphs.seen
			if _, ok := all[share]; !ok {
				all[share] = got
			}
			bytes, err := bytesOf(records.remembered)
			if err != nil {
				return err
			}
			want, n := all[share], float64(len(c.texts))
			row := []any{
				scale, fmt.Sprintf("%.1f", float64(parts)/n), fmt.Sprintf("%.0f", bytes/n), share, len(got.removed),
			}
			row = append(row, beside(got.removed, want.removed)...)
			under, over := far(got, want, sketches.params.Threshold)
			row = append(row, under, over, len(got.seen))
			t.Add(append(row, beside(got.seen, want.seen)...)...)
		}
	}
	t.Write(c.out)
	fmt.Fprintln(c.out)
	return nil
}

func (c *comparison) meanLength() float64 {
	bytes := 0
	for _, text := range c.texts {
		bytes += len(text.Text)
	}
	return float64(bytes) / float64(max(1, len(c.texts)))
}

// A place is a record, or a paragraph of it.
type place struct{ record, start int }

// far counts the records that are removed though the share of all n-grams that were seen is a tenth
// or more under that which removes them, and those that are kept though it is as much over it.
func far(got, all judged, threshold float64) (under, over int) {
	for i, share := range all.shares {
		switch removed := got.removed[place{i, 0}]; {
		case removed && share < threshold-.1:
			under++
		case !removed && share > threshold+.1:
			over++
		}
	}
	return under, over
}

// beside is the precision and the recall of what was found, if others are right.
func beside(got, right map[place]bool) []any {
	both := 0
	for p := range got {
		if right[p] {
			both++
		}
	}
	share := func(of int) string { return fmt.Sprintf("%.4f", float64(both)/float64(max(1, of))) }
	return []any{share(len(got)), share(len(right))}
}

// bytesOf is what a filter of so many n-grams takes.
func bytesOf(ngrams int) (float64, error) {
	p, err := bloomlsh.PlanIndex(bloomlsh.Params{Bands: 1, Capacity: uint64(max(1, ngrams)), FPRate: 1e-3}, 1)
	return float64(ngrams) * p.BitsPerKey / 8, err
}

// A sketches is what was made of all texts.
type sketches struct {
	params overlap.Params
	batch  stream.Batch
}

func (c *comparison) sketch(method, scale string) (s *sketches, parts int, err error) {
	n, err := strconv.Atoi(scale)
	if err != nil {
		return nil, 0, fmt.Errorf("a scale of %q: %w", scale, err)
	}
	params, err := overlap.Params{Method: method, Scale: n}.Complete()
	if err != nil {
		return nil, 0, err
	}
	s = &sketches{params: params}
	sketcher := overlap.NewSketcher(params)
	for _, text := range c.texts {
		before := len(s.batch.Words)
		s.batch.Words, _ = sketcher.Append(s.batch.Words, []byte(text.Text))
		parts += overlap.Parts(s.batch.Words[before:])
		s.batch.Ends = append(s.batch.Ends, len(s.batch.Words))
		s.batch.Problems = append(s.batch.Problems, stream.Problem{})
	}
	return s, parts, nil
}

// A judged is which records are removed, or which paragraphs were seen.
type judged struct {
	removed, seen map[place]bool
	remembered    int       // n-grams
	shares        []float64 // of the n-grams of each record that were seen
}

func (s *sketches) judge(share string, paragraphs bool) (j judged, err error) {
	if s.params.Threshold, err = strconv.ParseFloat(share, 64); err != nil {
		return j, fmt.Errorf("a share of %q: %w", share, err)
	}
	memory := overlap.NewSet()
	judge := overlap.NewJudge(s.params, memory)
	if paragraphs {
		judge.KeepPieces(true)
	}
	out := make([]stream.Verdict, s.batch.Len())
	if _, err := judge.Judge(s.batch, out); err != nil {
		return j, err
	}
	j = judged{map[place]bool{}, map[place]bool{}, memory.Len(), make([]float64, len(out))}
	for i, v := range out {
		j.shares[i] = float64(v.Votes) / float64(max(1, overlap.Parts(s.batch.Sketch(i))))
		if v.Duplicate {
			j.removed[place{i, 0}] = true
		}
		for _, p := range judge.Seen(i) {
			j.seen[place{i, p.Start}] = true
		}
	}
	return j, nil
}
