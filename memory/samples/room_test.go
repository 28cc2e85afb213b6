package samples

import (
	"errors"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/memory"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// An index with a limit answers like one without, until it is full: then it takes about what it
// may, and never more, also while its tables grow. A record for which there is no room changes
// nothing.
func TestMemoryIsLimited(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawParams(rt)
		if p.hasSets() {
			p.Beside = fracminhash.Nothing
		}
		limited := p
		limited.MaxMemory = rapid.Uint64Range(600<<10, 1<<20).Draw(rt, "limit")
		x, free := mustNew(rt, limited), mustNew(rt, p)
		defer x.Close()
		defer free.Close()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		for {
			text := textOf(p, random(rng, 1+rng.IntN(100*rng.IntN(10)+1)))
			if len(text.below[text.level]) == 0 {
				continue
			}
			var got, want [1]memory.Match
			before := x.Stats()
			_, err := x.Observe(text.words(p), got[:])
			if errors.Is(err, memory.ErrFull) {
				if after := x.Stats(); after != before {
					rt.Fatalf("a record without room makes %+v of %+v", after, before)
				}
				if before.Entries > 1000 && before.Bytes < limited.MaxMemory/2 {
					rt.Fatalf("%d bytes are full with %d", limited.MaxMemory, before.Bytes)
				}
				return
			}
			if _, same := free.Observe(text.words(p), want[:]); err != nil || same != nil || got != want {
				rt.Fatalf("%+v, %v, want %+v, %v", got, err, want, same)
			}
			if bytes := x.Stats().Bytes; bytes > limited.MaxMemory {
				rt.Fatalf("%d bytes, of %d", bytes, limited.MaxMemory)
			}
		}
	})
}
