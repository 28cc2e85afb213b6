package eval_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/quality/eval"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// words are so many words that nothing else has.
func words(rng *rand.Rand, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%x", rng.Uint64())
	}
	return list
}

func trendOf(filter string) eval.Trend {
	p := sketch.Default()
	return eval.Trend{
		Text: p, NewSketcher: sketch.New, Threshold: .85, Trials: 4,
		Index: bloomlsh.Params{Bands: p.Bands, Votes: 8, FPRate: 1e-8, Filter: filter},
	}
}

// TestTrendOfPairs has pairs that are similar and different, and some that are nearly equal. Of a
// corpus twice as large, twice the share of records has met the other one of its pair.
func TestTrendOfPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var texts [][]byte
	for i := range 1000 {
		text := words(rng, 300)
		texts = append(texts, []byte(strings.Join(text, " ")))
		switch {
		case i%10 == 0:
			copy(text[100:], words(rng, 22)) // 300 shingles, of which 270 stay: J = .84
			texts = append(texts, []byte(strings.Join(text, " ")))
		case i%10 == 1:
			texts = append(texts, []byte(strings.Join(text[:299], " ")))
		}
	}
	trend := trendOf(bloomlsh.FilterTagged)
	g, err := trend.Find(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	removed, _ := g.Removed.At(1)
	wrong, _ := g.Wrong.At(1)
	if far, isBound := g.Far.At(1); !isBound || far > .001 {
		t.Errorf("%v of the records were removed without a similar one", far)
	}
	if g.Records != 1200 || removed < .11 || removed > .17 || wrong < .03 || wrong > .085 {
		t.Errorf("of %d records %.3f were removed, %.3f wrongly", g.Records, removed, wrong)
	}
	if g.Removed.Exponent < .75 || g.Wrong.Exponent < .6 {
		t.Errorf("removed records grow with the power %.2f, wrong ones with %.2f, want nearly 1", g.Removed.Exponent,
			g.Wrong.Exponent)
	}
	if double, _ := g.Wrong.At(2); double < 1.4*wrong || double > 2*wrong {
		t.Errorf("twice the records: %.3f, after %.3f", double, wrong)
	}
}

// TestTrendOfACrowd has texts of which any two share three quarters. Votes of any records remove
// more and more of them, those of one record hardly any.
func TestTrendOfACrowd(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	frame := words(rng, 240)
	var texts [][]byte
	for range 600 {
		texts = append(texts, []byte(strings.Join(append(words(rng, 40), frame...), " ")))
	}
	for _, c := range []struct {
		filter      string
		least, most float64
	}{{bloomlsh.FilterTagged, 0, .02}, {bloomlsh.FilterPaged, .1, 1}} {
		trend := trendOf(c.filter)
		g, err := trend.Find(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		if share, _ := g.Wrong.At(1); share < c.least || share > c.most {
			t.Errorf("%s: %.3f removed wrongly", c.filter, share)
		}
	}
}
