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
		if len(e.first.of) > mostFirsts {
			t.Errorf("%s: %d extracts are remembered", c.of, len(e.first.of))
		}
	}
	if got := (*Extracts)(nil).All(); got != nil {
		t.Errorf("without markup: %v", got)
	}
}

// Pages that scripts draw show the same few words. If their sources differ in a token only, so does
// nothing that a reader would see.
func TestHidden(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const shown = "please wait until the page is ready"
	frame := words(rng, 300)
	for _, c := range []struct {
		of               string
		drawn, tokens    int // pages with the same extract whose contents differ, or only a token of them
		articles, titled int // pages with extracts of their own, or with a long one that many have
		want             string
	}{
		{"pages that scripts draw", 12, 0, 0, 0, "[hidden]"},
		{"few of them", 10, 0, 0, 0, "[]"},
		{"few among many", 50, 0, 6000, 0, "[]"},
		{"among many", 80, 0, 6000, 0, "[hidden]"},
		{"answers of a server", 0, 500, 10, 0, "[]"},
		{"mirrors", 0, 0, 10, 500, "[]"},
	} {
		e := NewHidden()
		for range c.drawn {
			e.ExamineSource([]byte(shown), []byte(shown+frame+words(rng, 300)))
		}
		for range c.tokens {
			e.ExamineSource([]byte(shown), []byte(shown+frame+words(rng, 5)))
		}
		for range c.articles {
			own := []byte(words(rng, 20))
			e.ExamineSource(own, own)
		}
		for range c.titled {
			e.ExamineSource([]byte(frame), []byte(frame+words(rng, 300)))
		}
		if got := fmt.Sprint(names(e.All())); got != c.want {
			t.Errorf("%s: %s, want %s", c.of, got, c.want)
		}
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
