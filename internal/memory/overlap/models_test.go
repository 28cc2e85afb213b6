package overlap_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// modelled is what testdata/models.py has found.
type modelled struct {
	Texts []string
	Runs  []struct {
		Method, Tokens, Removed string
		N                       int
		Share                   float64
		Seen                    [][][2]int
	}
}

// The verdicts of every method, and the pieces that were seen, are what plain models say in another
// language; however the records are divided into batches, and whatever is done with pieces.
func TestVerdictsAreThoseOfTheModels(t *testing.T) {
	data, err := os.ReadFile("testdata/verdicts.json")
	if err != nil {
		t.Fatal(err)
	}
	var want modelled
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	for _, run := range want.Runs {
		t.Run(fmt.Sprintf("%s %d %v", run.Method, run.N, run.Share), func(t *testing.T) {
			params, err := overlap.Params{
				Method: run.Method, NGram: run.N, Tokens: run.Tokens, Threshold: run.Share,
			}.Complete()
			if err != nil {
				t.Fatal(err)
			}
			for _, size := range []int{1, 7, len(want.Texts)} {
				removed, _ := verdicts(t, params, filters(t), want.Texts, size, nil)
				_, seen := verdicts(t, params, newSet(), want.Texts, size,
					func(j *overlap.Judge) { j.KeepPieces(false) })
				for i, text := range want.Texts {
					if removed[i] != (run.Removed[i] == '1') {
						t.Fatalf("batches of %d: record %d is removed: %v: %q", size, i, removed[i], text)
					}
					if params.HasPieces() && !slices.Equal(seen[i], run.Seen[i]) {
						t.Fatalf("batches of %d: record %d: seen %v, want %v: %q", size, i, seen[i], run.Seen[i], text)
					}
				}
			}
		})
	}
}

// filters are a memory that hardly errs.
func filters(t *testing.T) overlap.Memory {
	memory, err := bloomlsh.New(bloomlsh.Params{Bands: 1, Capacity: 20000, FPRate: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { memory.Close() })
	return overlap.Memory{Observe: memory.Observe, Query: memory.Query}
}

// newSet is a memory that never errs.
func newSet() overlap.Memory {
	set := overlap.NewSet()
	return overlap.Memory{Observe: set.Observe, Query: set.Query}
}

// verdicts judges texts, some at a time.
func verdicts(t *testing.T, p overlap.Params, memory overlap.Memory, texts []string, size int,
	use func(*overlap.Judge)) (removed []bool, seen [][][2]int) {
	t.Helper()
	judge, sketcher := overlap.NewJudge(p, memory), overlap.NewSketcher(p)
	if use != nil {
		use(judge)
	}
	for batch := range slices.Chunk(texts, size) {
		var b stream.Batch
		for _, text := range batch {
			b.Words, _ = sketcher.Append(b.Words, []byte(text))
			b.Ends, b.Problems = append(b.Ends, len(b.Words)), append(b.Problems, record.Problem{})
		}
		out := make([]stream.Verdict, len(batch))
		if n, err := judge.Judge().Decide(b, out); err != nil || n != len(batch) {
			t.Fatal(n, err)
		}
		for i, v := range out {
			removed = append(removed, v.Duplicate)
			pieces := [][2]int{}
			for _, piece := range judge.Seen(i) {
				pieces = append(pieces, [2]int{piece.Start, piece.End})
			}
			seen = append(seen, pieces)
			if want := uint64(len(seen)); judge.Number(i) != want {
				t.Fatalf("record %d has the number %d", want, judge.Number(i))
			}
		}
	}
	return removed, seen
}
