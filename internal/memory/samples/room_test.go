package samples

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// An index with a limit answers like one without, also of what it has sealed, until it is full:
// then it takes about what it may, and never more, also while its tables grow. A record for which
// there is no room changes nothing.
func TestMemoryIsLimited(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and the race detector has nothing to see in one goroutine; make test runs it")
	}
	fixedseed.Quarter(t)
	var sealed, duplicates, commons uint64
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		p := drawParams(rt)
		limited := p
		limited.MaxMemory = rapid.Uint64Range(880<<10, 1100<<10).Draw(rt, "limit")
		limited.SpillDir = dir
		x, free := mustNew(rt, limited), mustNew(rt, p)
		defer x.Close()
		defer free.Close()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		template := random(rng, 100)
		var earlier []plainText
		for n := 0; ; n++ {
			text := limitedText(rng, p, earlier, template)
			if len(text.below[text.level]) == 0 {
				continue
			}
			if n%50 == 0 {
				earlier = append(earlier, text)
			}
			var got, want [1]memory.Match
			before := x.Stats()
			_, err := x.Observe(text.words(p), got[:])
			if errors.Is(err, memory.ErrFull) {
				after := x.Stats()
				after.Bytes, after.Sealed, after.FileBytes = before.Bytes, before.Sealed, before.FileBytes
				if after != before {
					rt.Fatalf("a record without room makes %+v of %+v", after, before)
				}
				if before.Entries > 1000 && before.Bytes < limited.MaxMemory/2 {
					rt.Fatalf("%d bytes are full with %d", limited.MaxMemory, before.Bytes)
				}
				sealed, duplicates = sealed+before.Sealed, duplicates+before.Duplicates
				commons += uint64(x.commons)
				return
			}
			if _, same := free.Observe(text.words(p), want[:]); err != nil || same != nil || got != want {
				rt.Fatalf("record %d of %+v: %+v, %v, want %+v, %v", n, limited, got, err, want, same)
			}
			if bytes := x.Stats().Bytes; bytes > limited.MaxMemory {
				rt.Fatalf("%d bytes, of %d", bytes, limited.MaxMemory)
			}
			if n%100 == 0 {
				alike, err := x.AppendDuplicates(nil, text.words(p))
				wanted, same := free.AppendDuplicates(nil, text.words(p))
				if err != nil || same != nil || !slices.Equal(alike, wanted) {
					rt.Fatalf("record %d resembles %+v, %v, want %+v, %v", n, alike, err, wanted, same)
				}
			}
		}
	})
	if sealed == 0 || duplicates == 0 || commons == 0 {
		t.Errorf("%d sealed, %d duplicates, %d common hashes: nothing is tested", sealed, duplicates, commons)
	}
	if names, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(names) > 0 {
		t.Errorf("%v is left, %v", names, err)
	}
}

// limitedText is a text by itself, of a template, or one that has parts of an earlier one.
func limitedText(rng *rand.Rand, p Params, earlier []plainText, template []uint64) plainText {
	all := random(rng, 1+rng.IntN(100*rng.IntN(10)+1))
	switch rng.IntN(8) {
	case 0:
		all = append(all, template[rng.IntN(len(template)):]...)
	case 1, 2:
		if len(earlier) > 0 {
			other := earlier[rng.IntN(len(earlier))].all
			all = append(all[:rng.IntN(len(all))], other[rng.IntN(1+len(other)/3):]...)
		}
	}
	return textOf(p, all)
}

// An index has room for as many records as were planned, with the least memory for them, most of
// which are in files then.
func TestLeastMemoryIsEnough(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and the race detector has nothing to see in one goroutine; make test runs it")
	}
	for _, p := range []Params{
		{Scale: 16, Threshold: .8, Beside: fracminhash.Finer}, {Scale: 16, Threshold: .8, Beside: fracminhash.Set},
		{Scale: 1, Threshold: .8},
	} {
		const records = 60_000
		p.MaxMemory, p.SpillDir = p.LeastMemory(records), t.TempDir()
		x := mustNew(t, p)
		defer x.Close()
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range records {
			text := textOf(p, random(rng, int(usual)))
			if _, err := x.Observe(text.words(p), make([]memory.Match, 1)); err != nil {
				t.Fatalf("record %d of %+v: %v", i, p, err)
			}
		}
		s := x.Stats()
		if s.Bytes > p.MaxMemory || 2*s.Sealed < records || 3*s.Bytes > 2*p.PeakBytes(records) {
			t.Errorf("%+v: %+v, %d bytes without limit", p, s, p.PeakBytes(records))
		}
	}
}

// A directory that is not there is named, and what could not be sealed is not lost.
func TestNoRoomForFiles(t *testing.T) {
	p := Params{Scale: 16, Threshold: .8, MaxMemory: 1 << 20, SpillDir: filepath.Join(t.TempDir(), "none")}
	x := mustNew(t, p)
	defer x.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	for {
		words := textOf(p, random(rng, 30)).words(p)
		before := x.Stats().Entries
		_, err := x.Observe(words, make([]memory.Match, 1))
		if err == nil {
			continue
		}
		if !errors.Is(err, fs.ErrNotExist) || x.Stats().Entries != before || before < 1000 {
			t.Errorf("%d entries, %v", before, err)
		}
		return
	}
}
