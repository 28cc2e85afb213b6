package doubts

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

func TestEquals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	own := func() []uint64 { return []uint64{rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64()} }
	for _, c := range []struct {
		of                      string
		unequal, copies, others int // records with known sketches and other texts, with known texts, and others
		want                    string
	}{
		{"sums and differences", 1500, 0, 500, "[equal]"},
		{"copies", 0, 3000, 500, "[]"},
		{"about half of the records", 900, 0, 1100, "[]"},
		{"few records", 800, 0, 100, "[]"},
		{"more than are remembered", 60_000, 0, 20_000, "[equal]"},
		{"variants among more than are remembered", 10_000, 10_000, 30_000, "[]"},
	} {
		e := new(Equals)
		var sketches [][]uint64
		for i := range c.others {
			sketches = append(sketches, own())
			e.Examine(sketches[i], []byte("the first text"))
		}
		var run sync.WaitGroup
		for i := range c.unequal {
			run.Go(func() { e.Examine(sketches[i%len(sketches)], fmt.Appendf(nil, "text %d", i)) })
		}
		for i := range c.copies {
			run.Go(func() { e.Examine(sketches[i%len(sketches)], []byte("the first text"+strings.Repeat("\n", i%3))) })
		}
		run.Wait()
		e.Examine(nil, nil)
		e.Examine(nil, []byte("a text without words"))
		if got := fmt.Sprint(names(e.All())); got != c.want {
			t.Errorf("%s: %s, want %s", c.of, got, c.want)
		}
		if len(e.texts.of) > mostFirsts {
			t.Errorf("%s: %d sketches are remembered", c.of, len(e.texts.of))
		}
	}
	if got := (*Equals)(nil).All(); got != nil {
		t.Errorf("without texts: %v", got)
	}
}
