package substr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unicode"

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
			window := string(text[start:end])
			if o.Within {
				window += fmt.Sprint("in record ", i/2)
			}
			place, repeated := first[window]
			if !repeated {
				first[window] = Place{i, start}
				continue
			}
			if n := len(result[i]); n > 0 && u <= covered {
				result[i][n-1].End = end
			} else {
				result[i] = append(result[i], Span{start, end, place})
			}
			covered = u + o.MinLength
		}
		result[i] = mergeAll(o, shrinkAll(o, text, result[i]))
	}
	return result
}

// mergeAll joins neighbours until none are near enough. What is joined has the place of its first.
func mergeAll(o Options, spans []Span) []Span {
	for i := 0; i+1 < len(spans); {
		if spans[i+1].Start-spans[i].End > o.Merge {
			i++
			continue
		}
		joined := Span{spans[i].Start, spans[i+1].End, spans[i].First}
		spans = slices.Replace(slices.Clone(spans), i, i+2, joined)
	}
	return spans
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
		start := -1
		for p, r := range string(text) {
			switch space := unicode.IsSpace(r); {
			case !space && start < 0:
				start = p
			case space && start >= 0:
				units = append(units, [2]int{start, p})
				start = -1
			}
		}
		if start >= 0 {
			units = append(units, [2]int{start, len(text)})
		}
	}
	return units
}

// fataler is a *testing.T, *testing.F or *rapid.T.
type fataler interface{ Fatal(...any) }

// filled returns a Finder with texts.
func filled(t fataler, o Options, texts [][]byte) *Finder {
	f, err := NewFinder(o)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		if i%2 == 0 { // two texts a record
			f.BeginRecord()
		}
		if err := f.Add(text); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func find(t fataler, o Options, texts [][]byte) [][]Span {
	f := filled(t, o, texts)
	defer f.Close()
	if err := f.Find(context.Background()); err != nil {
		t.Fatal(err)
	}
	spans := make([][]Span, len(texts))
	for i := range texts {
		var err error
		if spans[i], err = f.AppendSpans(nil, i); err != nil {
			t.Fatal(err)
		}
	}
	return spans
}

// drawTexts draws texts that share passages. Alphabets hold white space, characters of several
// bytes, and bytes that are no UTF-8.
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
			Merge:          rapid.IntRange(0, 6).Draw(t, "merge"),
			Locate:         true,
			Within:         rapid.Bool().Draw(t, "within"),
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
	texts := library(100, 5000)
	texts = append(texts, bytes.Repeat([]byte("-"), 5000), bytes.Repeat([]byte("=-"), 3000),
		bytes.Repeat([]byte("-"), 1000))
	var all []byte
	var ends []int
	for _, text := range texts {
		all = append(all, text...)
		ends = append(ends, len(all))
	}
	for _, minLength := range []int{20, 100} {
		spans, err := sa.Repeats(all, ends, minLength)
		if err != nil {
			t.Fatal(err)
		}
		for _, memory := range []int64{4 * minMemory, 1 << 30} {
			if testing.Short() && (minLength == 20) != (memory < 1<<30) {
				continue // each length and each size once
			}
			got := find(t, Options{MinLength: minLength, Memory: memory, Locate: true}, texts)
			k := 0
			for i := range texts {
				start := ends[i] - len(texts[i])
				for _, s := range got[i] {
					first := ends[s.First.Text] - len(texts[s.First.Text]) + s.First.Offset
					if k == len(spans) || spans[k] != (sa.Span{Start: start + s.Start,
						End: start + s.End, First: first}) {
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

// sealed returns a Finder that holds texts and is ready for the two steps of Find.
func sealed(t fataler, o Options, texts [][]byte) *Finder {
	f := filled(t, o, texts)
	if err := f.spool.seal(); err != nil {
		t.Fatal(err)
	}
	for _, b := range []**bitmap{&f.candidates, &f.repeated} {
		var err error
		if *b, err = newBitmap("", f.spool.size()); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// Tables are planned for keys that spread evenly. Where they do not, tables grow, or give up
// excluding windows; the spans stay.
func TestCrowdedTables(t *testing.T) {
	size := 3000
	if testing.Short() {
		size = 1500
	}
	texts := library(40, size)
	for _, unit := range []Unit{Bytes, Chars, Words} {
		o := Options{MinLength: 30, Unit: unit, Locate: true}
		if unit == Words {
			o.MinLength = 5
		}
		f := sealed(t, o, texts)
		small := newSampleTable(20, 0, 1)
		steps := candidateSearch{f}
		for _, step := range []func(*sampleTable) func(int){
			steps.insertSamples, steps.lookupOthers, steps.markCandidates,
		} {
			visit := step(small)
			for i := range texts {
				visit(i)
			}
		}
		s := &search{Finder: f, passes: 1, roller: roller{unit: unit, count: o.MinLength}}
		s.reserve(1)
		s.run(context.Background(), func(int) {})
		f.matches = s.matches
		want := oracle(o, texts)
		for i := range texts {
			got, err := f.AppendSpans(nil, i)
			if err != nil || !slices.Equal(got, want[i]) {
				t.Fatalf("%v: text %d has spans %v, %v, want %v", unit, i, got, err, want[i])
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Of a text without repetitions, and of one with few, most windows are excluded at first sight.
func TestSamplesExcludeWhatIsNotRepeated(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	text := make([]byte, 300_000)
	for i := range text {
		text[i] = byte(r.IntN(4))
	}
	copy(text[200_000:200_500], text[1000:])
	f := sealed(t, Options{MinLength: 60}, [][]byte{text})
	defer f.Close()
	if err := f.findCandidates(context.Background()); err != nil {
		t.Fatal(err)
	}
	// The 441 windows of both copies, and those of the sample that a copy begins or ends in.
	if n := f.candidates.count(); n < 2*441 || n > 2*(441+60) {
		t.Errorf("%d windows are candidates, want about %d", n, 2*441)
	}
}

func TestFindStops(t *testing.T) {
	f := filled(t, Options{MinLength: 10}, library(20, 1000))
	defer f.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("stopped by a signal")
	cancel(why)
	if err := f.Find(ctx); err != why {
		t.Errorf("Find returned %v, want why it was canceled", err)
	}
	if err := f.Add(nil); err == nil {
		t.Error("a text was added after Find")
	}
}

func TestProgressAscendsToOne(t *testing.T) {
	last := 0.0
	find(t, Options{MinLength: 20, Memory: minMemory, Progress: func(fraction float64) {
		if fraction < last || fraction > 1 {
			t.Errorf("progress went from %v to %v", last, fraction)
		}
		last = fraction
	}}, library(60, 4000))
	if last != 1 {
		t.Errorf("progress ended at %v", last)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []Options{{}, {MinLength: -1}, {MinLength: 1, Unit: 9}, {MinLength: 1, Memory: 5},
		{MinLength: 1, TempDir: "/nowhere/at/all"}} {
		if f, err := NewFinder(o); err == nil {
			f.Close()
			t.Errorf("no error for %+v", o)
		}
	}
}

func TestNames(t *testing.T) {
	for _, u := range []Unit{Bytes, Chars, Words} {
		if got, err := ParseUnit(u.String()); got != u || err != nil {
			t.Errorf("ParseUnit(%v) = %v, %v", u, got, err)
		}
	}
	for _, a := range []Action{ActionCut, ActionReport, ActionDrop, ActionMask} {
		if got, err := ParseAction(a.String()); got != a || err != nil {
			t.Errorf("ParseAction(%v) = %v, %v", a, got, err)
		}
	}
	if _, err := ParseUnit("tokens"); err == nil {
		t.Error("no error for an unknown unit")
	}
	if _, err := ParseAction("burn"); err == nil {
		t.Error("no error for an unknown action")
	}
}

func TestShrink(t *testing.T) {
	text := []byte("one twö three")
	for _, c := range []struct {
		words      bool
		start, end int
		want       string
	}{
		{false, 0, 14, "one twö three"},
		{false, 2, 7, "e tw"}, // ends in the middle of ö
		{false, 7, 10, " t"},  // begins there
		{false, 7, 7, ""},
		{true, 0, 14, "one twö three"},
		{true, 0, 3, "one"},
		{true, 1, 14, " twö three"},
		{true, 1, 7, " "},
		{true, 4, 13, "twö "},
		{true, 5, 7, ""},
		{true, 9, 11, ""},
		{true, 3, 9, " twö "},
	} {
		start, end := Options{WordBoundaries: c.words}.shrink(text, c.start, c.end)
		if got := string(text[start:max(start, end)]); got != c.want {
			t.Errorf("shrink(%d, %d, words %v) = %q, want %q", c.start, c.end, c.words, got, c.want)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add([]byte("abracadabra abracadabra"), uint8(3), uint8(0), uint8(9))
	f.Add([]byte("日本日本\xe6日本"), uint8(2), uint8(1), uint8(4))
	f.Fuzz(func(t *testing.T, text []byte, minLength, unit, cut uint8) {
		if len(text) > 1000 {
			return
		}
		at := min(int(cut), len(text))
		texts := [][]byte{text[:at], text[at:]}
		o := Options{MinLength: int(minLength%30) + 1, Unit: Unit(unit % 3), Locate: true}
		want, got := oracle(o, texts), find(t, o, texts)
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("spans of %q: %v, want %v", texts, got, want)
		}
	})
}

// BenchmarkFind reports its time as a ratio to finding the same spans by the suffix array in the
// same run.
func BenchmarkFind(b *testing.B) {
	texts := library(1000, 8000)
	all := bytes.Join(texts, nil)
	var theirs time.Duration
	b.SetBytes(int64(len(all)))
	for b.Loop() {
		find(b, Options{MinLength: 100}, texts)
		b.StopTimer()
		start := time.Now()
		if _, err := sa.Repeats(all, nil, 100); err != nil {
			b.Fatal(err)
		}
		theirs += time.Since(start)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed())/float64(theirs), "×suffix-array")
}
