package doubts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// words returns so many random words.
func words(rng *rand.Rand, n int) string {
	var s strings.Builder
	for range n {
		fmt.Fprintf(&s, "w%d ", rng.IntN(1e6))
	}
	return s.String()
}

func TestExtracts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	notice := words(rng, 60)
	for _, c := range []struct {
		of                    string
		like, unlike, differs int // pages with one extract and like texts, or unlike ones; with other extracts
		want                  string
	}{
		{"unlike pages with a notice", 0, 11, 1000, "[extracts]"},
		{"few of them", 0, 10, 1000, "[]"},
		{"few among many", 0, 20, 12_000, "[]"},
		{"among many", 0, 200, 12_000, "[extracts]"},
		{"mirrors", 500, 0, 100, "[]"},
		{"unlike pages among mirrors", 500, 20, 100, "[extracts]"},
		{"no pages", 0, 0, 0, "[]"},
	} {
		e := NewExtracts()
		var run sync.WaitGroup
		page := func(extract, visible string) {
			run.Go(func() { e.Examine([]byte(extract), func() []byte { return []byte(visible) }) })
		}
		for range c.like {
			page(notice, notice+words(rng, 20))
		}
		run.Wait()
		for range c.unlike {
			page(notice, notice+words(rng, 300))
		}
		for range c.differs {
			own := words(rng, 20)
			page(own, own)
		}
		run.Wait()
		if got := fmt.Sprint(names(e.All())); got != c.want {
			t.Errorf("%s: %s, want %s", c.of, got, c.want)
		}
		if len(e.first) > mostExtracts {
			t.Errorf("%s: %d extracts are remembered", c.of, len(e.first))
		}
	}
	if got := (*Extracts)(nil).All(); got != nil {
		t.Errorf("without markup: %v", got)
	}
}

func TestOutline(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct{ common, own int }{{0, 500}, {100, 400}, {300, 200}, {500, 0}, {2, 1}, {1, 0}} {
		var sum float64
		const times = 50
		for range times {
			common := words(rng, c.common)
			a, b := outlineOf([]byte(common+words(rng, c.own))), outlineOf([]byte(common+"\n"+words(rng, c.own)))
			sum += a.similarity(b)
		}
		want := float64(max(0, c.common-2)) / float64(max(1, c.common-2+2*(c.own+2)))
		if c.own == 0 {
			want = 1
		}
		if c.common <= 2 && c.own > 0 {
			want = 0
		}
		if got := sum / times; math.Abs(got-want) > .03 {
			t.Errorf("%d words in common and %d others: similarity %.3f, not %.3f", c.common, c.own, got, want)
		}
	}
}
