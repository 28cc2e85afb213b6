package stream

import (
	"testing"

	"pgregory.net/rapid"
)

// A trail answers as a list of all records would, as long as it has forgotten none; and it has at
// most two generations.
func TestTrail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.Uint64Range(0, 30)
		draw := func() (n Names) {
			for i := range n {
				if v := name.Draw(t, "name"); v != 0 {
					n[i] = uint64(i+1)<<32 | v
				}
			}
			return n
		}
		type gone struct {
			names Names
			stays bool
		}
		var all []gone
		trail := newTrail(&Options{})
		trail.most = rapid.SampledFrom([]int{9, 1 << 20}).Draw(t, "most")
		for range rapid.IntRange(0, 60).Draw(t, "records") {
			g := gone{draw(), rapid.Bool().Draw(t, "stays")}
			all = append(all, g)
			trail.note(g.names, g.stays)
			if n := trail.recent.names; n > trail.most+len(Names{}) {
				t.Fatalf("a generation has %d names, of at most %d", n, trail.most)
			}
		}
		if trail.most < 1<<20 {
			all = all[max(0, len(all)-3):] // what cannot have been forgotten
		}
		asked := draw()
		stays, known := trail.find(asked)
		for _, a := range asked {
			var left, stayed bool
			for _, g := range all {
				for _, n := range g.names {
					left = left || n == a && n != 0 && !g.stays
					stayed = stayed || n == a && n != 0 && g.stays
				}
			}
			if left || stayed {
				// An older record may be known beside the last ones, and have stayed.
				if !known || stayed && !stays || trail.most == 1<<20 && stays != stayed {
					t.Fatalf("%v of %v: stays %v, known %v", asked, all, stays, known)
				}
				return
			}
			if trail.most < 1<<20 && known {
				return // by a name that only an older record has
			}
		}
		if trail.most == 1<<20 && (known || !stays) {
			t.Fatalf("%v of %v: stays %v, known %v", asked, all, stays, known)
		}
	})
}
