package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// counting is a sketcher that counts texts.
type counting struct {
	stream.Sketcher
	texts *atomic.Int64
}

func (c counting) Append(dst []uint64, text []byte) ([]uint64, bool) {
	c.texts.Add(1)
	return c.Sketcher.Append(dst, text)
}

// carried judges lines, and returns those that are kept and how many texts were sketched.
func carried(t *testing.T, judge stream.Judge, threads int, lines []string) (kept string, sketched int64, err error) {
	t.Helper()
	sketcher, err := sketch.New(sketch.Default())
	if err != nil {
		t.Fatal(err)
	}
	var texts atomic.Int64
	var out bytes.Buffer
	in := strings.NewReader(strings.Join(lines, ""))
	run, err := stream.New(stream.Options{
		Source: stream.Source{Format: stream.Text("\n"), Inputs: []stream.Input{{
			Name: "in", Open: func() (io.ReadCloser, error) { return io.NopCloser(in), nil },
		}}},
		Method: stream.Method{
			NewSketcher: func() stream.Sketcher { return counting{sketcher.Clone(), &texts} }, Judge: judge,
		},
		Outputs: stream.Outputs{Output: &out}, Threads: threads,
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = run.Do(context.Background())
	return out.String(), texts.Load(), err
}

// byBands returns a judge that remembers records permanently.
func byBands(t *testing.T) stream.Judge {
	t.Helper()
	index, err := bloomlsh.New(bloomlsh.Params{Bands: sketch.Default().Bands, Votes: sketch.DefaultVotes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	return stream.ByVotes(stream.BandIndex{
		Observe: index.Observe, Remembers: index.Remembers, ObserveCopies: index.ObserveCopies,
	}, sketch.DefaultVotes)
}

// manyCopies returns lines that repeat a few texts many times.
func manyCopies() (lines []string) {
	for i := range 60_000 { // far more than workers buffer
		lines = append(lines, fmt.Sprintf("the tower number %d has a clock with %d hands and a bell that rings\n",
			i%700, i%700*7))
	}
	return lines
}

// TestCopiesNeedNoSketch records a run in which most texts are not sketched, and repeats it. The
// verdicts must be the same, whatever was sketched, and a changed text must be noticed, even if it
// is one of many copies. Nor does a run that continues another one need them.
func TestCopiesNeedNoSketch(t *testing.T) {
	lines := manyCopies()
	j, err := Open(t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	want, all, err := carried(t, stream.Judge{Decide: byBands(t).Decide}, 1, lines)
	if err != nil || all != int64(len(lines)) {
		t.Fatalf("%d of %d texts were sketched: %v", all, len(lines), err)
	}
	r, err := j.Record(Verdicts{Judge: byBands(t)}, 1, 0, Details{})
	if err != nil {
		t.Fatal(err)
	}
	got, sketched, err := carried(t, r.Judge(), 1, lines)
	if err != nil || got != want || sketched > all/2 {
		t.Fatalf("%d of %d texts were sketched, the same is kept: %t: %v", sketched, all, got == want, err)
	}
	if err := errors.Join(r.complete(Run{Records: uint64(len(lines))}), r.Close()); err != nil {
		t.Fatal(err)
	}

	replay := func(lines []string) (string, error) {
		again, err := j.Replay(j.Runs[0], Pieces{})
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		kept, _, err := carried(t, again.Judge(), 2, lines)
		return kept, errors.Join(err, again.End())
	}
	if got, err := replay(lines); err != nil || got != want {
		t.Errorf("a repeated run keeps the same: %t: %v", got == want, err)
	}
	for _, at := range []int{0, 5000, len(lines) - 1} {
		other := slices.Clone(lines)
		other[at] = strings.ToUpper(other[at][:12]) + "!" + other[at][13:]
		if _, err := replay(other); !errors.Is(err, ErrOtherInput) {
			t.Errorf("line %d has changed: %v", at, err)
		}
	}

	judge := byBands(t)
	if _, _, err := carried(t, judge, 1, lines); err != nil { // as the index would be
		t.Fatal(err)
	}
	goesOn, err := j.Continue(j.Runs[0], true, judge)
	if err != nil {
		t.Fatal(err)
	}
	defer goesOn.Close()
	next, err := j.Record(Verdicts{Judge: goesOn.Judge()}, 2, 1, Details{})
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	got, sketched, err = carried(t, next.Judge(), 1, slices.Concat(lines, lines))
	if err = errors.Join(err, goesOn.End()); err != nil || got != want || sketched > 3*all/2 {
		t.Errorf("%d of %d texts were sketched, the same is kept: %t: %v", sketched, 2*all, got == want, err)
	}
}
