package overlap

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/mithril-stream/mithril-stream/sketch"
)

// The short way for ASCII does what the long one does.
func TestNormalASCII(t *testing.T) {
	const alphabet = "aZ09_ '.:,;\t\n\r\v\f\x00\x1f\x7f\"-$+@/(b7"
	rng := rand.New(rand.NewPCG(1, 2))
	normalizer, err := sketch.NewNormalizer(lineSteps)
	if err != nil {
		t.Fatal(err)
	}
	for range 20000 {
		text := make([]byte, rng.IntN(24))
		for i := range text {
			text[i] = alphabet[rng.IntN(len(alphabet))]
		}
		normal := withoutControls(normalizer.Append(nil, text))
		if got := appendNormalASCII(nil, text); !bytes.Equal(got, normal) {
			t.Fatalf("%q: %q, want %q", text, got, normal)
		}
	}
}

// What is cut leaves whole lines, and no newline at the end that was not there.
func TestCuts(t *testing.T) {
	for _, c := range []struct {
		text string
		seen []Piece
		want string
	}{
		{"a\nb\nc", nil, "a\nb\nc"},
		{"a\nb\nc", []Piece{{0, 1}}, "b\nc"},
		{"a\nb\nc", []Piece{{2, 3}}, "a\nc"},
		{"a\nb\nc", []Piece{{4, 5}}, "a\nb"},
		{"a\nb\nc", []Piece{{2, 3}, {4, 5}}, "a"},
		{"a\nb\nc", []Piece{{0, 1}, {4, 5}}, "b"},
		{"a\nb\nc\n", []Piece{{4, 5}}, "a\nb\n"},
		{"a\n\nc", []Piece{{3, 4}}, "a\n"},
		{"a\nb", []Piece{{0, 1}, {2, 3}}, ""},
	} {
		text, at := "", 0
		for _, cut := range Cuts(nil, c.seen, len(c.text)) {
			text += c.text[at:cut.Start]
			at = cut.End
		}
		if text += c.text[at:]; text != c.want {
			t.Errorf("%q without %v is %q, want %q", c.text, c.seen, text, c.want)
		}
	}
}

// A sketch of something is not empty even if it has no part: then the record is kept, and not
// counted as one without text.
func TestNoParts(t *testing.T) {
	for method := range methods {
		p, err := Params{Method: method}.Complete()
		if err != nil {
			t.Fatal(err)
		}
		s := NewSketcher(p)
		if words, ok := s.Append(nil, []byte(" \u00a0\n\t")); ok || len(words) > 0 {
			t.Errorf("%s: white space has the sketch %v", method, words)
		}
		if words, ok := s.Append(nil, []byte("!?")); !ok || len(words) == 0 || Parts(words) > 3 {
			t.Errorf("%s: two characters have the sketch %v, %v", method, words, ok)
		}
	}
}

// In steady state nothing is allocated.
func TestAllocations(t *testing.T) {
	text := bytes.Repeat([]byte("It's 3.14, or so; naïve\nCafé and x_1, again and again\n"), 40)
	for method := range methods {
		p, _ := Params{Method: method}.Complete()
		s := NewSketcher(p)
		var dst []uint64
		run := func() { dst, _ = s.Append(dst[:0], text) }
		run()
		if n := testing.AllocsPerRun(20, run); n > 0 && method != "ccnet" { // whose NFD allocates
			t.Errorf("%s: %v allocations a text", method, n)
		}
	}
}

func BenchmarkSketcher(b *testing.B) {
	line := []byte("The quick brown fox, as it is told, jumps over 13 lazy dogs in 2024 and isn't seen again.\n")
	text := bytes.Repeat(line, 2048/len(line))
	for _, method := range MethodNames() {
		p, _ := Params{Method: method}.Complete()
		s := NewSketcher(p)
		b.Run(method, func(b *testing.B) {
			b.ReportAllocs()
			var dst []uint64
			for b.Loop() {
				dst, _ = s.Append(dst[:0], text)
			}
		})
	}
}
