package simhash

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/hashset"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// drawWeights is a table of a few shingles, with all kinds of weights.
func drawWeights(t *rapid.T) *Weights {
	shingles := rapid.MapOf(rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 3)), rapid.Uint16Range(1, 1<<16-1))
	w := &Weights{Texts: 7, others: rapid.Uint16Range(1, 1<<16-1).Draw(t, "others")}
	table := shingles.Draw(t, "table")
	for h := range table {
		if h != 0 {
			w.hashes = append(w.hashes, h)
		}
	}
	slices.Sort(w.hashes)
	for _, h := range w.hashes {
		w.weights = append(w.weights, table[h])
	}
	w.index()
	return w
}

// The vectors come from a second implementation; testdata/golden/README.md says what they mean.
func TestGoldenInverseDocumentFrequencies(t *testing.T) {
	file, err := os.Open(filepath.Join("..", "..", "testdata", "golden", "idf.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	count := 0
	for ; lines.Scan(); count++ {
		var v struct {
			Texts            []string
			N, Bits, Counted int
			Others           uint16
			Table            map[string]uint16
			Words            [][]string
		}
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		w, err := countedTexts(t, v.N, v.Texts[:v.Counted]).Weights(MostWeights)
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range v.Table {
			h, err := strconv.ParseUint(text, 16, 64)
			if err != nil || w.of(h) != want {
				t.Errorf("shingle %s weighs %d, want %d, %v", text, w.of(h), want, err)
			}
		}
		if w.others != v.Others || w.Len() != len(v.Table) || w.Len() < 50 {
			t.Errorf("others of %d shingles weigh %d, want %d of %d", w.Len(), w.others, v.Others, len(v.Table))
		}
		f := newSketcher(t, v.N, "word", Params{v.Bits, IDF, w})
		for i, text := range v.Texts {
			words, _ := f.Append(nil, []byte(text))
			got := []string{}
			for _, w := range words {
				got = append(got, fmt.Sprintf("%016x", w))
			}
			if !slices.Equal(got, v.Words[i]) {
				t.Errorf("text %d: %s, want %s", i, got, v.Words[i])
			}
		}
	}
	if err := lines.Err(); err != nil || count != 2 {
		t.Fatal(count, err)
	}
}

func countedTexts(t testing.TB, n int, texts []string) *Frequencies {
	t.Helper()
	shingler, err := sketch.New(shinglesOf(n, "word"))
	if err != nil {
		t.Fatal(err)
	}
	f, s := NewFrequencies(1<<20), NewShingler(shingler)
	for _, text := range texts {
		if hashes, ok := s.Append(nil, []byte(text)); !ok {
			f.Pass()
		} else if err := f.Add(hashes); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func TestShinglesOnce(t *testing.T) {
	shingler, err := sketch.New(shinglesOf(1, "word"))
	if err != nil {
		t.Fatal(err)
	}
	s := NewShingler(shingler)
	for _, c := range []struct {
		text string
		want int
	}{{"a b a b a", 2}, {"...", 0}, {"a", 1}, {"", 0}} {
		got, ok := s.Append([]uint64{7}, []byte(c.text))
		if len(got) != 1+c.want || got[0] != 7 || ok != (c.want > 0) {
			t.Errorf("%q: %d, %v", c.text, got, ok)
		}
	}
}

// Counts are short by no more than they say, and those of frequent shingles are there.
func TestFrequenciesOfMoreThanThereIsRoomFor(t *testing.T) {
	f, rng, want := NewFrequencies(hashset.LeastPlaces), rand.New(rand.NewPCG(1, 1)), map[uint64]uint32{}
	for range 20000 {
		hashes := []uint64{1, 1000 + rng.Uint64N(5), 2000 + rng.Uint64N(300), rng.Uint64(), rng.Uint64()}
		for _, h := range hashes {
			want[h]++
		}
		if err := f.Add(hashes); err != nil {
			t.Fatal(err)
		}
	}
	if len(f.places) > 4*hashset.LeastPlaces || f.Short() == 0 || f.Texts() != 20000 {
		t.Errorf("%d places, short by %d of %d", len(f.places), f.Short(), f.Texts())
	}
	for h, n := range want {
		at := hashset.PlaceOf(f.places, h)
		got := uint32(0)
		if f.places[at] == h {
			got = f.counts[at]
		}
		if got > n || got+f.Short() < n {
			t.Fatalf("shingle %x: %d, want %d and at most %d less", h, got, n, f.Short())
		}
	}
	w, err := f.Weights(6)
	if err != nil || w.Len() != 6 || w.of(1) != 1 || w.of(1000) < 20 || w.of(1000) > 30 || w.of(77) <= w.of(1000) {
		t.Errorf("%v, %d shingles, %d, %d, %d", err, w.Len(), w.of(1), w.of(1000), w.of(77))
	}
	if _, err := f.Weights(0); err == nil {
		t.Error("a table of nothing is made")
	}
}

// Of equally frequent shingles all are in the table, or none: the order of texts does not matter.
func TestEqualFrequenciesAreTreatedAlike(t *testing.T) {
	f := NewFrequencies(1)
	for _, hashes := range [][]uint64{{1, 2, 3, 4, 5}, {1, 2, 3}, {1}} {
		if err := f.Add(hashes); err != nil {
			t.Fatal(err)
		}
	}
	for most, want := range map[int]int{1: 1, 2: 1, 3: 3, 4: 3, 5: 5, 6: 5} {
		w, err := f.Weights(most)
		if err != nil || w.Len() != want {
			t.Errorf("%d of at most %d: %v", w.Len(), most, err)
		}
		left, leftOut := w.of(9), map[int]uint64{1: 2, 3: 1, 5: 1}[want]
		if most == 1 && left != w.of(2) || left != weightOf(3, leftOut) {
			t.Errorf("at most %d: others weigh %d", most, left)
		}
	}
}

func TestTablesAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWeights(t)
		parameters := []Parameter{{Name: "normalize", Value: "a\tb"}, {Name: "x", Value: ""}}
		var file bytes.Buffer
		if err := w.Write(&file, parameters); err != nil {
			t.Fatal(err)
		}
		got, read, err := ReadWeights(bytes.NewReader(file.Bytes()))
		if err != nil || !slices.Equal(read, parameters) || got.Hash() != w.Hash() || got.Texts != 7 {
			t.Fatal(err, read)
		}
		for _, h := range append(slices.Clone(w.hashes), 0, 5) {
			if got.of(h) != w.of(h) {
				t.Fatalf("%x: %d, want %d", h, got.of(h), w.of(h))
			}
		}
		// A byte that is changed, missing or too much is noticed.
		at := rapid.IntRange(0, file.Len()-1).Draw(t, "at")
		damaged := slices.Clone(file.Bytes())
		switch rapid.IntRange(0, 2).Draw(t, "damage") {
		case 0:
			damaged[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		case 1:
			damaged = damaged[:at]
		default:
			damaged = append(damaged, "more\n"[at%5])
		}
		if _, _, err := ReadWeights(bytes.NewReader(damaged)); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("%q: %v", damaged, err)
		}
	})
}

func FuzzReadWeights(f *testing.F) {
	w, err := countedTexts(f, 1, []string{"a b c", "a b"}).Weights(10)
	if err != nil {
		f.Fatal(err)
	}
	var file bytes.Buffer
	w.Write(&file, []Parameter{{Name: "normalize", Value: "none"}})
	f.Add(file.Bytes())
	f.Add([]byte(firstLine + "texts\t1\nothers\t1\nxxh3\t0000000000000000\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		w, parameters, err := ReadWeights(bytes.NewReader(data))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := w.Write(&again, parameters); err != nil {
			t.Fatal(err)
		}
		if _, _, err := ReadWeights(&again); err != nil {
			t.Fatal(err)
		}
	})
}
