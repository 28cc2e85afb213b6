package overlap_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/clipperhouse/uax29/v2/words"
	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A plainSample is the definition of the package documentation: sets of strings, each n-gram on its
// own.
type plainSample struct {
	params overlap.Params
	memory map[string]bool
}

// A plainGram is an n-gram, and what says whether it is sampled.
type plainGram struct {
	words   string
	hash    uint64
	isFirst bool // in its text
}

// isBelow reports whether the n-gram is of a level.
func (g plainGram) isBelow(level int) bool { return level == 0 || g.hash < 1<<(64-level) }

// grams are those of a line.
func (p *plainSample) grams(line string) (list []plainGram) {
	var tokens [][]byte
	n := p.params.NGram
	if p.params.Method == "dclm" {
		for segments := words.FromBytes([]byte(line)); segments.Next(); {
			if len(bytes.TrimSpace(segments.Value())) > 0 {
				tokens = append(tokens, segments.Value())
			}
		}
	} else {
		tokens = bytes.Fields([]byte(line))
		n = min(n, len(tokens))
	}
	for first := 0; n > 0 && first+n <= len(tokens); first++ {
		gram := plainGram{words: string(bytes.Join(tokens[first:first+n], []byte{0}))}
		for i, token := range tokens[first : first+n] {
			term := xxh3.Hash(token)
			for range n - 1 - i {
				term *= 0x9e3779b97f4a7c15
			}
			gram.hash += term
		}
		list = append(list, gram)
	}
	return list
}

// judge says whether a text goes, and remembers it.
func (p *plainSample) judge(text string) bool {
	var lines [][]plainGram
	different := map[string]bool{}
	again := 0
	for line := range strings.SplitSeq(text, "\n") {
		grams := p.grams(line)
		before := maps.Clone(different)
		for i := range grams {
			g := &grams[i]
			g.isFirst = !different[g.words]
			if p.params.Method == "dclm" && before[g.words] || p.params.Method != "dclm" && !g.isFirst {
				again++
			}
			different[g.words] = true
		}
		lines = append(lines, grams)
	}
	level := 0
	for 2<<level <= p.params.Scale && 16<<(level+1) <= len(different) {
		level++
	}
	hasNext := 2<<level <= p.params.Scale && 12<<(level+1) <= len(different)
	var seen, all, seenNext, allNext int
	for _, grams := range lines {
		ownSeen, own := 0, 0
		var unseen []string
		for _, g := range grams {
			if !g.isBelow(level) || level > 0 && !g.isFirst {
				continue
			}
			isSeen := p.memory[g.words]
			own++
			if isSeen {
				ownSeen++
			}
			if hasNext && g.isBelow(level+1) {
				allNext++
				if isSeen {
					seenNext++
				}
			}
			if p.params.Method == "dclm" {
				unseen = append(unseen, g.words)
			} else {
				p.memory[g.words] = true
			}
		}
		seen, all = seen+ownSeen, all+own
		if own > 0 && float64(ownSeen)/float64(own) >= p.params.Threshold {
			continue
		}
		for _, gram := range unseen {
			p.memory[gram] = true
		}
	}
	known := 0.
	if level > 0 {
		known = math.Floor(float64(again)/float64(again+len(different))*(1<<31)) / (1 << 31)
	}
	isSeen := func(part, all int) bool {
		return all > 0 && known+(1-known)*(float64(part)/float64(all)) >= p.params.Threshold
	}
	return isSeen(seen, all) || isSeen(seenNext, allNext)
}

// sampledTexts are texts of many lengths, of which later ones have parts of earlier ones.
func sampledTexts(rng *rand.Rand) (texts []string) {
	vocabulary := 3 + rng.IntN(400)
	for range 20 + rng.IntN(40) {
		var tokens []string
		for most := 1 + rng.IntN(700); len(tokens) < most; {
			switch kind := rng.IntN(6); {
			case kind == 0 && len(texts) > 0:
				old := strings.Split(texts[rng.IntN(len(texts))], " ")
				from := rng.IntN(len(old))
				tokens = append(tokens, old[from:from+rng.IntN(len(old)-from)]...)
			case kind == 1:
				tokens = append(tokens, "é…", "\n")
			case kind == 2 && rng.IntN(9) == 0:
				tokens = append(tokens, strings.Split(strings.Repeat(". ", 40), " ")...)
			default:
				for range rng.IntN(60) {
					tokens = append(tokens, fmt.Sprint("w", rng.IntN(vocabulary)))
				}
			}
		}
		texts = append(texts, strings.Join(tokens, " "))
	}
	return texts
}

// What a sample removes is what the definition says, with sets of strings; with filters as with
// sets, and however records are divided into batches.
func TestSampleIsThatOfTheDefinition(t *testing.T) {
	removed, kept := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		params, err := overlap.Params{
			Method:    rapid.SampledFrom(overlap.SampledMethods()).Draw(r, "method"),
			NGram:     rapid.IntRange(1, 7).Draw(r, "n"),
			Threshold: rapid.SampledFrom([]float64{.05, .2, .5, .8, 1}).Draw(r, "share"),
			Scale:     1 << rapid.IntRange(0, 6).Draw(r, "level"),
		}.Complete()
		if err != nil {
			r.Fatal(err)
		}
		texts := sampledTexts(rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "texts"), 1)))
		model := plainSample{params, map[string]bool{}}
		memory := newSet()
		if rapid.Bool().Draw(r, "filters") {
			memory = filters(t)
		}
		got, _ := verdicts(t, params, memory, texts, 1+rapid.IntRange(0, 20).Draw(r, "batch"), nil)
		for i, text := range texts {
			if want := strings.TrimSpace(text) != "" && model.judge(text); got[i] != want {
				r.Fatalf("record %d is removed: %v, want %v: %q", i, got[i], want, text)
			}
			if got[i] {
				removed++
			} else {
				kept++
			}
		}
	})
	if removed < 200 || kept < 200 { // also of the few that a short run tries
		t.Errorf("%d records are removed and %d kept, which says little", removed, kept)
	}
}

// A text that is in an earlier one at most a third longer always goes, at every scale: where their
// levels differ, both have all n-grams of the larger one.
func TestSampleFindsWhatIsInALittleMore(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		params, err := overlap.Params{
			Method: "dolma-ngram", NGram: 5, Threshold: 1, Scale: 1 << rapid.IntRange(1, 7).Draw(r, "level"),
		}.Complete()
		if err != nil {
			r.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "text"), 2))
		grams := rapid.IntRange(30, 3000).Draw(r, "n-grams")
		long := make([]string, grams*rapid.IntRange(100, 133).Draw(r, "percent")/100+4)
		for i := range long {
			long[i] = fmt.Sprintf("%x", rng.Uint64())
		}
		from := rng.IntN(len(long) - grams - 3)
		texts := []string{strings.Join(long, " "), strings.Join(long[from:from+grams+4], " ")}
		removed, _ := verdicts(t, params, newSet(), texts, 2, nil)
		if removed[0] || !removed[1] {
			r.Fatalf("%v are removed of %d n-grams in %d, at a scale of %d", removed, grams, len(long)-4, params.Scale)
		}
	})
}

// The share of a sample that was seen has no bias, and the deviation that the package documentation
// says.
func TestSampledShareHasNoBias(t *testing.T) {
	const grams, part, rounds = 400, .3, 4000
	params, err := overlap.Params{Method: "dolma-ngram", NGram: 1, Threshold: 1, Scale: 16}.Complete()
	if err != nil {
		t.Fatal(err)
	}
	sketcher, judge := overlap.NewSketcher(params), overlap.NewJudge(params, newSet())
	var sum, squares, sampled float64
	for round := range rounds {
		list := make([]string, grams)
		for i := range list {
			list[i] = fmt.Sprint("word", round, "-", i)
		}
		var b stream.Batch
		for _, words := range [][]string{list[:part*grams], list} {
			b.Words, _ = sketcher.Append(b.Words, []byte(strings.Join(words, " ")))
			b.Ends, b.Problems = append(b.Ends, len(b.Words)), append(b.Problems, record.Problem{})
		}
		out := make([]stream.Verdict, 2)
		if _, err := judge.Judge().Decide(b, out); err != nil {
			t.Fatal(err)
		}
		n := overlap.Parts(b.Sketch(1))
		share := float64(out[1].Votes) / float64(n)
		sum, squares, sampled = sum+share, squares+share*share, sampled+float64(n)
	}
	mean := sum / rounds
	deviation := math.Sqrt(squares/rounds - mean*mean)
	expected := math.Sqrt(part * (1 - part) / (grams / 16))
	if off := math.Abs(mean-part) / (expected / math.Sqrt(rounds)); off > 4 {
		t.Errorf("the mean of %.4f is %.1f deviations from %v", mean, off, part)
	}
	if deviation < .9*expected || deviation > 1.1*expected {
		t.Errorf("a deviation of %.4f, want about %.4f", deviation, expected)
	}
	if n := sampled / rounds; math.Abs(n-grams/16) > .5 {
		t.Errorf("%.2f n-grams a sample, want %d", n, grams/16)
	}
}
