package signature

import (
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/embedding"
	"github.com/mithril-stream/mithril-stream/sketch/simhash"
)

const text = "The river rises in a field of wet grass, grün und naß – 世界 – and for its first two miles it is a ditch. 🦀"

// A text in pieces, cut anywhere, has the signature of the whole.
func TestPieces(t *testing.T) {
	all := writers(t)
	rapid.Check(t, func(t *rapid.T) {
		for _, kind := range []string{"minhash", "simhash", "tlsh", "embedding"} {
			w := all[kind]
			want, err := w.Of([]byte(text))
			if err != nil {
				t.Fatal(kind, err)
			}
			w.Reset()
			for rest := text; rest != ""; {
				n := rapid.IntRange(0, len(rest)).Draw(t, "piece")
				if _, err := w.WriteString(rest[:n]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			got, err := w.Sum()
			if err != nil || !slices.Equal(got.Words, want.Words) || got.Parameters != want.Parameters {
				t.Fatalf("%s: %+v, %v, want %+v", kind, got, err, want)
			}
		}
	})
}

// Each byte of a character that is cut off at the end is compared as U+FFFD.
func TestEndsWithinACharacter(t *testing.T) {
	for kind, w := range writers(t) {
		want, err := w.Of([]byte(text + "\uFFFD\uFFFD"))
		if err != nil {
			t.Fatal(kind, err)
		}
		w.Reset()
		for _, piece := range []string{text, "\xe4", "\xb8"} { // 世 has a third byte
			if _, err := w.WriteString(piece); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := w.Sum(); err != nil || !slices.Equal(got.Words, want.Words) {
			t.Errorf("%s: %+v, %v, want %+v", kind, got, err, want)
		}
	}
}

func TestLimit(t *testing.T) {
	w := writers(t)["simhash"]
	w.SetLimit(10)
	if n, err := w.WriteString("one two"); n != 7 || err != nil {
		t.Fatal(n, err)
	}
	if n, err := w.WriteString(" three"); n != 0 || !errors.Is(err, ErrTooLong) {
		t.Error(n, err)
	}
	if _, err := w.WriteString("x"); !errors.Is(err, ErrTooLong) {
		t.Error("a piece after one that was refused is taken:", err)
	}
	if s, err := w.Sum(); !errors.Is(err, ErrTooLong) {
		t.Error(s, err)
	}
	w.Reset()
	if _, err := w.WriteString("0123456789"); err != nil {
		t.Error(err)
	}
	if _, err := w.Sum(); err != nil {
		t.Error(err)
	}
}

func TestNothingToCompare(t *testing.T) {
	for kind, w := range writers(t) {
		if s, err := w.Of([]byte(" ... ")); !errors.Is(err, ErrEmpty) && kind != "embedding" {
			t.Error(kind, s, err)
		}
		if s, err := w.Of(nil); !errors.Is(err, ErrEmpty) {
			t.Error(kind, s, err)
		}
	}
}

func TestSimilarity(t *testing.T) {
	other := strings.Replace(text, "grass", "sand", 1)
	for kind, w := range writers(t) {
		a, err := w.Of([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		b, err := w.Of([]byte(other))
		if err != nil {
			t.Fatal(err)
		}
		if j, err := Similarity(a, b); err != nil || j < .3 || j >= 1 {
			t.Errorf("%s: %v, %v", kind, j, err)
		}
		for _, change := range []func(s *Signature){
			func(s *Signature) { s.Parameters++ }, func(s *Signature) { s.Model += "x" },
			func(s *Signature) { s.Size++ }, func(s *Signature) { s.Kind = s.Kind%4 + 1 },
		} {
			c := *b
			change(&c)
			if j, err := Similarity(a, &c); !errors.Is(err, ErrUnlike) {
				t.Errorf("%s: %v, %v", kind, j, err)
			}
		}
		c, d := *a, *b
		c.Words, d.Words = c.Words[1:], d.Words[1:]
		if j, err := Similarity(&c, &d); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v, %v of words that are missing", kind, j, err)
		}
	}
}

// Whatever decides about words is in the hash of the parameters, or in the model.
func TestParametersAreTold(t *testing.T) {
	hashes := map[[2]any]string{}
	add := func(name string, w *Writer, err error) {
		if err != nil {
			t.Fatal(name, err)
		}
		s, err := w.Of([]byte(text))
		if err != nil {
			t.Fatal(name, err)
		}
		key := [2]any{s.Parameters, s.Model}
		if same, ok := hashes[key]; ok {
			t.Errorf("%s has the parameters of %s", name, same)
		}
		hashes[key] = name
	}
	for name, change := range map[string]func(p *sketch.Params){
		"as it is": func(*sketch.Params) {}, "normalize": func(p *sketch.Params) { p.Normalize = "none" },
		"tokenize":     func(p *sketch.Params) { p.Tokenize = "char" },
		"shingle size": func(p *sketch.Params) { p.ShingleSize++ },
		"sketch":       func(p *sketch.Params) { p.Sketch = "affine" },
		"slots":        func(p *sketch.Params) { p.NumPerm++ }, "seed": func(p *sketch.Params) { p.Seed++ },
		"secret": func(p *sketch.Params) { p.Seed, p.Secret = 0, 7 },
	} {
		p := minHashParams
		change(&p)
		w, err := NewMinHash(p)
		add("minhash, "+name, w, err)
	}
	for _, p := range []simhash.Params{
		{Bits: 64, Weight: "tf"}, {Bits: 128, Weight: "tf"}, {Bits: 64, Weight: "uniform"},
		{Bits: 64, Weight: "idf", Weights: weights(t, 3)}, {Bits: 64, Weight: "idf", Weights: weights(t, 4)},
	} {
		w, err := NewSimHash(minHashParams, p)
		add("simhash", w, err)
	}
	for _, normalize := range []string{"none", "nfkc-fold"} {
		w, err := NewTLSH(normalize)
		add("tlsh", w, err)
	}
	add("embedding", writers(t)["embedding"], nil)
}

func weights(t *testing.T, texts int) *simhash.Weights {
	f := simhash.NewFrequencies(10)
	for range texts {
		if err := f.Add([]uint64{1}); err != nil {
			t.Fatal(err)
		}
	}
	w, err := f.Weights(10)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestRefused(t *testing.T) {
	if _, err := NewMinHash(sketch.Params{}); err == nil {
		t.Error("MinHash of nothing")
	}
	if _, err := NewSimHash(minHashParams, simhash.Params{Bits: 3}); err == nil {
		t.Error("SimHash of 3 bits")
	}
	if _, err := NewSimHash(sketch.Params{}, simHashParams); err == nil {
		t.Error("shingles of nothing")
	}
	if _, err := NewTLSH("x"); err == nil {
		t.Error("an unknown normalizer")
	}
	if _, err := (&Signature{Words: make([]uint64, MostWords+1)}).MarshalBinary(); err == nil {
		t.Error("more words than there can be")
	}
}

// Each changed byte, each missing and each additional one is noticed.
func TestDamage(t *testing.T) {
	for kind, w := range writers(t) {
		s, err := w.Of([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		whole, err := s.AppendBinary([]byte("before"))
		if err != nil {
			t.Fatal(err)
		}
		whole = whole[len("before"):]
		for i := range whole {
			damaged := slices.Clone(whole)
			damaged[i] ^= 4
			var read Signature
			if err := read.UnmarshalBinary(damaged); !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) {
				t.Errorf("%s: byte %d: %v", kind, i, err)
			}
			if err := read.UnmarshalBinary(whole[:i]); !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s: %d bytes: %v", kind, i, err)
			}
		}
		var read Signature
		if err := read.UnmarshalBinary(append(whole, 0)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: a byte too many: %v", kind, err)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	for _, w := range writers(f) {
		s, err := w.Of([]byte(text))
		if err != nil {
			f.Fatal(err)
		}
		b, _ := s.MarshalBinary()
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var s Signature
		if s.UnmarshalBinary(b) != nil {
			return
		}
		if _, err := Similarity(&s, &s); err != nil {
			t.Fatal(err)
		}
		if again, err := s.MarshalBinary(); err != nil || !slices.Equal(again, b) {
			t.Fatalf("%x, %v, want %x", again, err, b)
		}
	})
}

// Words and vectors that were made elsewhere make the signatures that a Writer makes of texts.
func TestMadeElsewhere(t *testing.T) {
	for kind, w := range writers(t) {
		want, err := w.Of([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.OfWords(want.Words)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", kind, got, err, want)
		}
		if _, err := w.OfWords(want.Words[1:]); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: words are missing: %v", kind, err)
		}
	}
	model, err := embedding.Open(filepath.Join("..", "embedding", "testdata", "wordpiece"))
	if err != nil {
		t.Fatal(err)
	}
	vector, err := model.NewEncoder().Append(nil, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want, _ := NewEmbedding(model).Of([]byte(text))
	if got, err := OfVector(model.Hash(), vector); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	nan := float32(math.NaN())
	for _, vector := range [][]float32{nil, {0, 0}, {1, nan}, {float32(math.Inf(1))}} {
		if s, err := OfVector("", vector); !errors.Is(err, ErrEmpty) {
			t.Errorf("%v: %+v, %v", vector, s, err)
		}
	}
}
