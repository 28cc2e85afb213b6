package parquet

import (
	"container/heap"
	"testing"

	"pgregory.net/rapid"
)

// TestLanesHaveAllTheirBytes: those of short ones in a piece that is not much larger than they are,
// those of long ones in pieces of their own, each once, in the order in which they are needed.
func TestLanesHaveAllTheirBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.Int64Range(1, 8<<20).Draw(t, "window")
		u, at, wanted := &unit{}, int64(4), int64(0)
		for range rapid.IntRange(0, 20).Draw(t, "lanes") {
			at += rapid.Int64Range(-128, 200<<10).Draw(t, "gap")
			l := &lane{span: span{from: at}}
			l.to = at + rapid.SampledFrom([]int64{0, 1, 1 << 10, 70 << 10, 3 << 20, 30 << 20, 1 << 62}).Draw(t, "size")
			at = max(at, l.to%(1<<40))
			wanted += l.size()
			u.lanes = append(u.lanes, l)
		}
		u.shared, u.long = share(u.lanes, window)
		heap.Init(&u.long)
		long := map[*lane]bool{}
		for _, l := range u.long {
			long[l] = true
		}
		for _, l := range u.lanes {
			isShort := l.shared != nil && l.shared.from <= l.from && l.to <= l.shared.to
			if isLong := l.size() > window; long[l] != isLong || isShort != (!isLong && l.size() > 0) {
				t.Fatalf("%v: shared %v, long %t", l.span, l.shared, long[l])
			}
		}
		for _, p := range u.shared {
			if needed := covered(u.lanes, p.span); p.size() > max(pieceBytes, window) || needed == 0 {
				t.Fatalf("%v has %d bytes that are needed", p.span, needed)
			}
		}
		due := 0.
		for range 1000 {
			if len(u.long) == 0 {
				break
			}
			l := u.long[0]
			before := l.made
			if l.due() < due {
				t.Fatalf("%v is due after %v", l.due(), due)
			}
			due = l.due()
			p := u.extend(l, window)
			if p.from != before || p.to != l.made || p.size() <= 0 || p.size() > window+window/8 || p.to > l.to {
				t.Fatalf("%v of %v, after %d", p.span, l.span, before)
			}
		}
	})
}

// covered is how many bytes of a span lanes have, at most twice.
func covered(lanes []*lane, s span) (bytes int64) {
	for _, l := range lanes {
		bytes += max(0, min(l.to, s.to)-max(l.from, s.from))
	}
	return bytes
}
