package kinds

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A kind of one line takes no more than docs/recipes/logs.md says, of --preset logs.
func TestBytesOfAKind(t *testing.T) {
	p := signatures.Params{NumPerm: 96, SlotBits: 8, Bands: 32, Rows: 3, Votes: 10, Threshold: .5}
	tally, err := NewTally(p, 100_000)
	if err != nil {
		t.Fatal(err)
	}
	defer tally.Close()
	heap := func() uint64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	const kinds = 20_000
	before := heap()
	words := make([]uint64, p.SketchWords())
	state := uint64(1)
	for i := range kinds {
		for k := range words {
			state = state*6364136223846793005 + 1442695040888963407
			words[k] = state ^ state>>31
		}
		b := stream.Batch{Words: words, Ends: []int{len(words)}, Problems: make([]record.Problem, 1)}
		if _, err := tally.Judge().Decide(b, make([]stream.Verdict, 1)); err != nil {
			t.Fatal(err)
		}
		text := fmt.Appendf(nil, "a line of about eighty bytes, as logs have them, with the number %d in its words", i)
		if err := tally.Observe(&stream.Decided{Input: "app.log", Record: uint64(i + 1), Excerpt: text}); err != nil {
			t.Fatal(err)
		}
	}
	if tally.table.Len() != kinds {
		t.Fatalf("%d kinds", tally.table.Len())
	}
	inTable := tally.table.index.Stats().Bytes
	if each := (heap() - before + inTable) / kinds; each > 1100 {
		t.Errorf("a kind takes %d bytes", each)
	} else {
		t.Logf("a kind takes %d bytes", each)
	}
	runtime.KeepAlive(tally)
}

// TestSmallTableComparesAll checks that a table of few kinds has no index: it would be rebuilt each
// time half of the kinds is dropped.
func TestSmallTableComparesAll(t *testing.T) {
	for most, compares := range map[int]bool{2: true, mostCompared: true, mostCompared + 1: false} {
		table, err := NewTable(ordinary, most, func(a, b *int) int { return 0 }, func(*int) {})
		if err != nil {
			t.Fatal(err)
		}
		if (table.index == nil) != compares {
			t.Errorf("%d kinds have an index: %t", most, !compares)
		}
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	}
}
