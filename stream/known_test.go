package stream

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

// counted is a sketcher that counts the texts.
type counted struct {
	Sketcher
	texts *atomic.Int64
}

func (c counted) Append(dst []uint64, text []byte) ([]uint64, bool) {
	c.texts.Add(1)
	return c.Sketcher.Append(dst, text)
}

// copyRun is what a run leaves: its output with votes, its counts, those of the index and the files
// of that.
type copyRun struct {
	output string
	stats  Stats
	index  bloomlsh.Stats
	log    []byte
}

// runWith runs two times over an input, the second time over the index of the first one. The judge
// may be one that another one stands before.
func runWith(
	t *rapid.T, opts Options, p bloomlsh.Params, wrapped bool, input string, sizes []int, limits knownLimits,
) copyRun {
	dir, err := os.MkdirTemp("", "known")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	var of copyRun
	var out bytes.Buffer
	for range 2 {
		store, err := bloomlsh.Open(filepath.Join(dir, "index"), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		opts.Inputs, opts.Output = oneInput(&chunks{data: []byte(input), sizes: sizes}), &out
		opts.Method.Judge = byVotes(store, p.Votes)
		if wrapped {
			decide := opts.Method.Judge.Decide
			opts.Method.Judge.Decide = func(b Batch, out []Verdict) (int, error) { return decide(b, out) }
		}
		run, err := New(opts)
		if err != nil {
			t.Fatal(err)
		}
		run.known = limits
		if of.stats, err = run.Do(context.Background()); err != nil {
			fmt.Fprintln(&out, err)
		}
		if err := store.Commit(bloomlsh.Position{Records: of.stats.Records}); err != nil {
			t.Fatal(err)
		}
		of.index = store.Stats()
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	logs, _ := filepath.Glob(filepath.Join(dir, "index", "log-*"))
	for _, name := range logs {
		log, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		of.log = append(of.log, log...)
	}
	of.output = out.String()
	return of
}

// TestKnownTextsChangeNothing is I2: with room for all texts, for four or without looking them up,
// the output, the votes, the counts and the index are the same, also where it grows, is full, or
// forgets.
func TestKnownTextsChangeNothing(t *testing.T) {
	if !testing.Short() {
		fixedseed.Quarter(t)
	}
	var known, knownWrapped, all atomic.Int64
	rapid.Check(t, func(rt *rapid.T) {
		input := strings.Repeat(records(rt)+"\n", rapid.IntRange(1, 6).Draw(rt, "times"))
		sizes := rapid.SliceOfN(rapid.IntRange(1, 2000), 1, 4).Draw(rt, "read sizes")
		p := bloomlsh.Params{
			Bands: testBands, Votes: rapid.IntRange(1, testBands).Draw(rt, "votes"),
			Capacity: rapid.SampledFrom([]uint64{8, 64, 4096}).Draw(rt, "capacity"),
			Remember: rapid.SampledFrom([]string{bloomlsh.RememberAll, bloomlsh.RememberUnseen}).Draw(rt, "remember"),
			OnFull:   rapid.SampledFrom([]string{bloomlsh.OnFullGrow, bloomlsh.OnFullRefuse}).Draw(rt, "on full"),
		}
		if p.OnFull == bloomlsh.OnFullGrow {
			p.KeepGenerations = rapid.SampledFrom([]int{0, 0, 2}).Draw(rt, "keep generations")
		}
		var texts atomic.Int64
		opts := testOptions(t, nil, nil)
		of := opts.Method.NewSketcher
		opts.Method.NewSketcher = func() Sketcher { return counted{of(), &texts} }
		opts.Similarity = func(votes int) float64 { return float64(votes) }
		opts.Annotate, opts.Threads = true, rapid.IntRange(1, 4).Draw(rt, "threads")
		want := runWith(rt, opts, p, false, input, sizes, knownLimits{buckets: 1, trial: 1 << 30})
		without := texts.Swap(0)
		buckets := rapid.SampledFrom([]uint64{1, 1 << 12}).Draw(rt, "buckets")
		for _, wrapped := range []bool{false, true} {
			got := runWith(rt, opts, p, wrapped, input, sizes, knownLimits{buckets: buckets, trial: 1})
			if !reflect.DeepEqual(got, want) {
				rt.Fatalf("%d buckets, wrapped: %v:\n%+v\nwant\n%+v", buckets, wrapped, got, want)
			}
			if with := texts.Swap(0); p.KeepGenerations == 0 && p.OnFull == bloomlsh.OnFullGrow {
				known.Add(without - with)
				if wrapped {
					knownWrapped.Add(without - with)
				}
				all.Add(without)
			}
		}
	})
	if t.Logf("%d of %d texts had no sketch", known.Load(), all.Load()); known.Load() == 0 || knownWrapped.Load() == 0 {
		t.Errorf("%d texts were known, %d of them to a judge that is wrapped: nothing was tried", known.Load(),
			knownWrapped.Load())
	}
}

// TestTextsAreLookedUpWhileCopiesAreMany has a run of new texts, then one of copies.
func TestTextsAreLookedUpWhileCopiesAreMany(t *testing.T) {
	lines := make([]string, 3000)
	for i := range lines {
		lines[i] = fmt.Sprintf("{\"text\":\"line %d of a file, word %d\"}\n", i, i*7919)
	}
	var texts atomic.Int64
	for _, c := range []struct {
		name  string
		input []string
		least int // texts that are not sketched
		most  int
	}{
		{"new", lines, 0, 0},
		{"copies", slices.Concat(lines, lines, lines, lines), 3000, 9000},
	} {
		index, err := bloomlsh.New(bloomlsh.Params{Bands: testBands, Votes: 3, Capacity: 10_000})
		if err != nil {
			t.Fatal(err)
		}
		opts := testOptions(t, &chunks{data: []byte(strings.Join(c.input, "")), sizes: []int{4000}}, io.Discard)
		of := opts.Method.NewSketcher
		texts.Store(0)
		opts.Method.NewSketcher = func() Sketcher { return counted{of(), &texts} }
		opts.Method.Judge = byVotes(index, 3)
		run, err := New(opts)
		if err != nil {
			t.Fatal(err)
		}
		run.known.trial = 500
		if _, err := run.Do(context.Background()); err != nil {
			t.Fatal(err)
		}
		if known := len(c.input) - int(texts.Load()); known < c.least || known > c.most {
			t.Errorf("%s: %d of %d texts had no sketch", c.name, known, len(c.input))
		}
		if err := index.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
