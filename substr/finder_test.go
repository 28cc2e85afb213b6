package substr

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/sa"
)

// oracle finds spans with a map of windows; units are listed naively.
func oracle(o Options, texts [][]byte) [][]Span {
	first := map[string]Place{}
	result := make([][]Span, len(texts))
	for i, text := range texts {
		units := unitsOf(o.Unit, text)
		covered := -1 // the units before this one are in the last span
		for u := 0; u+o.MinLength <= len(units); u++ {
			start, end := units[u][0], units[u+o.MinLength-1][1]
			place, repeated := first[string(text[start:end])]
			if !repeated {
				first[string(text[start:end])] = Place{i, start}
				continue
			}
			if n := len(result[i]); n > 0 && u <= covered {
				result[i][n-1].End = end
			} else {
				result[i] = append(result[i], Span{start, end, place})
			}
			covered = u + o.MinLength
		}
		result[i] = shrinkAll(o, text, result[i])
	}
	return result
}

func shrinkAll(o Options, text []byte, spans []Span) (shrunk []Span) {
	for _, s := range spans {
		if s.Start, s.End = o.shrink(text, s.Start, s.End); s.Start < s.End {
			shrunk = append(shrunk, s)
		}
	}
	return shrunk
}

// unitsOf lists where the units of a text begin and end.
func unitsOf(unit Unit, text []byte) (units [][2]int) {
	switch unit {
	case Bytes:
		for p := range text {
			units = append(units, [2]int{p, p + 1})
		}
	case Chars:
		runes := []rune(string(text)) // an invalid byte becomes one U+FFFD
		at := slices.Collect(func(yield func(int) bool) {
			for p := range string(text) {
				if !yield(p) {
					return
				}
			}
		})
		for i := range runes {
			end := len(text)
			if i+1 < len(at) {
				end = at[i+1]
			}
			units = append(units, [2]int{at[i], end})
		}
	case Words:
		rest := text
		for _, word := range bytes.Fields(text) {
			start := len(text) - len(rest) + bytes.Index(rest, word)
			units = append(units, [2]int{start, start + len(word)})
			rest = text[start+len(word):]
		}
	}
	return units
}

// fataler is a *testing.T, *testing.F or *rapid.T.
type fataler interface{ Fatal(...any) }

func find(t fataler, o Options, texts [][]byte) [][]Span {
	f, err := NewFinder(o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, text := range texts {
		if err := f.Add(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Find(context.Background()); err != nil {
		t.Fatal(err)
	}
	spans := make([][]Span, len(texts))
	for i := range texts {
		if spans[i], err = f.AppendSpans(nil, i); err != nil {
			t.Fatal(err)
		}
	}
	return spans
}

// drawTexts draws texts that share passages. Alphabets hold white space, characters of several bytes, and bytes that are no
// UTF-8.
func drawTexts(t *rapid.T) [][]byte {
	alphabet := rapid.SampledFrom([][]string{
		{"a"}, {"a", " "}, {"a", "b", " ", "\n"}, {"é", "è", "e", "\xc3", "\xa9"}, {"日", "本", "\u3000", "\xe6", "x"},
	}).Draw(t, "alphabet")
	var texts [][]byte
	var all []byte
	for range rapid.IntRange(1, 10).Draw(t, "texts") {
		var text []byte
		for range rapid.IntRange(0, 4).Draw(t, "pieces") {
			if len(all) > 0 && rapid.Bool().Draw(t, "copy") {
				from := rapid.IntRange(0, len(all)-1).Draw(t, "from")
				text = append(text, all[from:rapid.IntRange(from, len(all)).Draw(t, "to")]...)
				continue
			}
			for range rapid.IntRange(0, 25).Draw(t, "letters") {
				text = append(text, rapid.SampledFrom(alphabet).Draw(t, "letter")...)
			}
		}
		texts = append(texts, text)
		all = append(all, text...)
	}
	return texts
}

func TestSpansAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := drawTexts(t)
		o := Options{
			MinLength:      rapid.IntRange(1, 12).Draw(t, "minLength"),
			Unit:           rapid.SampledFrom([]Unit{Bytes, Chars, Words}).Draw(t, "unit"),
			WordBoundaries: rapid.Bool().Draw(t, "words"),
			Locate:         true,
			Threads:        rapid.IntRange(1, 3).Draw(t, "threads"),
		}
		want := oracle(o, texts)
		got := find(t, o, texts)
		for i := range texts {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("text %d of %q: spans %v, want %v", i, texts, got[i], want[i])
			}
		}
	})
}

// library makes texts of words with passages copied from earlier ones.
func library(n, size int) [][]byte {
	r := rand.New(rand.NewPCG(5, 6))
	zipf := rand.NewZipf(r, 1.2, 4, 50_000)
	texts := make([][]byte, n)
	for i := range texts {
		for len(texts[i]) < size {
			if source := texts[r.IntN(i+1)]; r.IntN(30) == 0 && len(source) > 0 {
				from := r.IntN(len(source))
				texts[i] = append(texts[i], source[from:min(len(source), from+r.IntN(900))]...)
			}
			texts[i] = fmt.Appendf(texts[i], "w%x ", zipf.Uint64())
		}
	}
	return texts
}

// The spans are those that the suffix array gives, however little memory there is.
func TestSpansAgainstSuffixArray(t *testing.T) {
	texts := library(300, 6000)
	texts = append(texts, bytes.Repeat([]byte("-"), 5000), bytes.Repeat([]byte("=-"), 3000), bytes.Repeat([]byte("-"), 1000))
	var all []byte
	var ends []int
	for _, text := range texts {
		all = append(all, text...)
		ends = append(ends, len(all))
	}
	for _, minLength := range []int{20, 50, 100, 400} {
		spans, err := sa.Repeats(all, ends, minLength)
		if err != nil {
			t.Fatal(err)
		}
		for _, memory := range []int64{minMemory, 1 << 30} {
			got := find(t, Options{MinLength: minLength, Memory: memory, Locate: true}, texts)
			k := 0
			for i := range texts {
				start := ends[i] - len(texts[i])
				for _, s := range got[i] {
					first := ends[s.First.Text] - len(texts[s.First.Text]) + s.First.Offset
					if k == len(spans) || spans[k] != (sa.Span{Start: start + s.Start, End: start + s.End, First: first}) {
						t.Fatalf("minimum length %d, memory %d: text %d has span %v", minLength, memory, i, s)
					}
					k++
				}
			}
			if k != len(spans) {
				t.Fatalf("minimum length %d, memory %d: %d spans, want %d", minLength, memory, k, len(spans))
			}
		}
	}
}
