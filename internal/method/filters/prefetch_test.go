package filters

import (
	"math/rand/v2"
	"testing"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/stream"
)

// TestJudgesOfIndexesOnDiskPrefetch: batches are read ahead as soon as the first generation of an
// index is on disk alone, which makes such an index several times as fast, and not before.
func TestJudgesOfIndexesOnDiskPrefetch(t *testing.T) {
	p := bloomlsh.Params{Bands: 8, Votes: 2, Capacity: 40_000}
	p = Divide(p, ShareOf(p.FilterBytes()-1, p.FilterBytes()))
	store, err := bloomlsh.Open(t.TempDir(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	filters := &Memory{own: store, Store: store, bands: p.Bands, Votes: p.Votes}
	judge := filters.Judge()
	if judge.CanPrefetch() {
		t.Fatal("a judge of an index in memory wants to know batches in advance")
	}
	random := rand.New(rand.NewPCG(1, 2))
	const records = 1000
	keys, votes := make([]bloomlsh.Key, records*p.Bands), make([]uint16, records)
	for range int(p.Capacity) / records {
		for i := range keys {
			keys[i] = bloomlsh.Key{Hi: random.Uint64(), Lo: random.Uint64()}
		}
		if _, err := filters.Observe(keys, votes); err != nil {
			t.Fatal(err)
		}
	}
	if !store.CanPrefetch() {
		t.Fatal("all generations fit into memory")
	}
	if !judge.CanPrefetch() {
		t.Error("the judge does not say that its index is on disk")
	}
	words := []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	batch := stream.Batch{Words: words, Ends: []int{len(words)}, Problems: make([]stream.Problem, 1)}
	if err := judge.Prefetch([]stream.Batch{batch}); err != nil {
		t.Error(err)
	}
}
