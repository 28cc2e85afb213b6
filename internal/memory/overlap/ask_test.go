package overlap_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// What is said of a record that is asked about is what is said of it when it is remembered next, as
// one of a batch or alone; and to ask changes nothing. So says a judge that only asks.
func TestAskedIsJudged(t *testing.T) {
	asked, removed := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		params := overlap.Params{
			Method:    rapid.SampledFrom(overlap.MethodNames()).Draw(r, "method"),
			Threshold: rapid.SampledFrom([]float64{.05, .2, .5, .8, 1}).Draw(r, "share"),
		}
		if params.Method == "dclm" || params.Method == "dolma-ngram" {
			params.Scale = 1 << rapid.IntRange(0, 6).Draw(r, "level")
		}
		params, err := params.Complete()
		if err != nil {
			r.Fatal(err)
		}
		texts := sampledTexts(rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "texts"), 1)))
		set := overlap.NewSet()
		memory := overlap.Memory{Observe: set.Observe, Query: set.Query}
		if rapid.Bool().Draw(r, "filters") {
			memory = filters(t)
		}
		sketcher := overlap.NewSketcher(params)
		judge, reader := overlap.NewJudge(params, memory), overlap.NewJudge(params, memory)
		reader.QueryOnly()
		for _, text := range append(texts, "", " \n") {
			words, _ := sketcher.Append(nil, []byte(text))
			before := set.Len()
			said, err := judge.Query(words)
			if err != nil {
				r.Fatal(err)
			}
			b := stream.Batch{Words: words, Ends: []int{len(words)}, Problems: []record.Problem{{}}}
			var read, judged [1]stream.Verdict
			if n, err := reader.Judge().Decide(b, read[:]); err != nil || n != 1 {
				r.Fatal(n, err)
			}
			if set.Len() != before {
				r.Fatalf("to ask for %q has changed the memory", text)
			}
			if n, err := judge.Judge().Decide(b, judged[:]); err != nil || n != 1 {
				r.Fatal(n, err)
			}
			if said != judged[0] || read[0] != said {
				r.Fatalf("asked %+v and read %+v, judged %+v: %q", said, read[0], judged[0], text)
			}
			asked++
			if said.Duplicate {
				removed++
			}
		}
	})
	if removed < 200 || asked-removed < 200 { // also of the few that a short run tries
		t.Errorf("%d of %d records are removed, which says little", removed, asked)
	}
}
