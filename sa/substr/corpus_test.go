package substr

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

// store stores texts as a corpus and returns its directory.
func stored(t fataler, dir string, o Options, texts [][]byte) {
	f := filled(t, o, texts)
	defer f.Close()
	if err := f.Find(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := f.Store(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
}

// oracleAgainst finds spans with a map of the corpus's windows.
func oracleAgainst(o Options, corpus, texts [][]byte) [][]Span {
	first := map[string]Place{}
	each := func(text []byte, f func(u, start, end int)) {
		units := unitsOf(o.Unit, text)
		for u := 0; u+o.MinLength <= len(units); u++ {
			f(u, units[u][0], units[u+o.MinLength-1][1])
		}
	}
	for i, text := range corpus {
		each(text, func(_, start, end int) {
			if _, ok := first[string(text[start:end])]; !ok {
				first[string(text[start:end])] = Place{i, start}
			}
		})
	}
	result := make([][]Span, len(texts))
	for i, text := range texts {
		var spans []Span
		covered := -1
		each(text, func(u, start, end int) {
			place, ok := first[string(text[start:end])]
			switch {
			case !ok:
				return
			case len(spans) > 0 && u <= covered:
				spans[len(spans)-1].End = end
			default:
				spans = append(spans, Span{start, end, place})
			}
			covered = u + o.MinLength
		})
		result[i] = shrinkAll(o, text, spans)
	}
	return result
}

func TestSpansAgainstCorpus(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		texts := drawTexts(t)
		split := rapid.IntRange(0, len(texts)).Draw(t, "split")
		corpus, texts := texts[:split], texts[split:]
		o := Options{
			MinLength: rapid.IntRange(1, 12).Draw(t, "minLength"),
			Unit:      rapid.SampledFrom([]Unit{Bytes, Chars, Words}).Draw(t, "unit"),
			Locate:    true,
		}
		stored(t, dir, o, corpus)
		c, err := OpenCorpus(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		o.Against = c
		want := oracleAgainst(o, corpus, texts)
		got := find(t, o, texts)
		for i := range texts {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("corpus %q, text %q: spans %v, want %v", corpus, texts[i], got[i], want[i])
			}
		}
	})
}

// With little memory the samples are stored, and the queries asked, in many loads.
func TestCorpusWithLittleMemory(t *testing.T) {
	texts := library(60, 4000)
	corpus, texts := texts[:40], texts[40:]
	dir := t.TempDir()
	o := Options{MinLength: 8, Memory: minMemory, Locate: true}
	stored(t, dir, o, corpus)
	c, err := OpenCorpus(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if c.Texts() != 40 {
		t.Errorf("corpus has %d texts, want 40", c.Texts())
	}
	o.Against = c
	want := oracleAgainst(o, corpus, texts)
	if got := find(t, o, texts); !slices.EqualFunc(got, want, slices.Equal) {
		t.Fatal("spans differ from the oracle's")
	}
}

func TestCorpusOfOtherParametersIsRefused(t *testing.T) {
	dir := t.TempDir()
	stored(t, dir, Options{MinLength: 10}, library(3, 500))
	c, err := OpenCorpus(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, o := range []Options{{MinLength: 11}, {MinLength: 10, Unit: Chars}} {
		o.Against = c
		if _, err := NewFinder(o); err == nil {
			t.Errorf("no error for %d %v", o.MinLength, o.Unit)
		}
	}
}

// ask asks a corpus file for what texts have in common with it. It must end with the spans or with
// an error.
func ask(t *testing.T, dir string, minLength int, texts [][]byte) ([][]Span, error) {
	t.Helper()
	c, err := OpenCorpus(dir)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	f, err := NewFinder(Options{MinLength: minLength, Against: c, Locate: true})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for _, text := range texts {
		if err := f.Add(text); err != nil {
			return nil, err
		}
	}
	if err := f.Find(context.Background()); err != nil {
		return nil, err
	}
	spans := make([][]Span, len(texts))
	for i := range texts {
		if spans[i], err = f.AppendSpans(nil, i); err != nil {
			return nil, err
		}
	}
	return spans, nil
}

// A damaged file is refused, or the damage is where it does not matter; it never changes the
// result.
func TestDamagedCorpusIsRefused(t *testing.T) {
	texts := library(4, 1200)
	dir := t.TempDir()
	stored(t, dir, Options{MinLength: 30}, texts)
	name := filepath.Join(dir, corpusFile)
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want, err := ask(t, dir, 30, texts)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	try := func(data []byte) {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := ask(t, dir, 30, texts)
		switch {
		case err == nil && !slices.EqualFunc(got, want, slices.Equal):
			t.Fatal("a damaged corpus gives other spans")
		case err == nil:
			return
		case !errors.Is(err, ErrCorpusDamaged) && !errors.Is(err, ErrNotCorpus) && !errors.Is(err, ErrCorpusVersion):
			t.Fatalf("error %v does not say that the corpus is damaged", err)
		}
		refused++
	}
	step := 297
	if testing.Short() {
		step = 997
	}
	for at := 0; at < len(good); at += step {
		bad := slices.Clone(good)
		bad[at] ^= 1 << (at % 8)
		try(bad)
	}
	if tried := len(good)/step + 1; refused < tried*9/10 {
		t.Errorf("%d of %d damaged files were refused", refused, tried)
	}
	for _, size := range []int{0, 7, pageSize - 1, pageSize, len(good) - pageSize, len(good) - 1,
		len(good) + pageSize} {
		try(append(slices.Clone(good[:min(size, len(good))]), make([]byte, max(0, size-len(good)))...))
	}
}

// What a file says is not believed even where its checksums are right.
func FuzzCorpus(f *testing.F) {
	dir := f.TempDir()
	texts := library(6, 800)
	stored(f, dir, Options{MinLength: 30}, texts)
	good, err := os.ReadFile(filepath.Join(dir, corpusFile))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint32(16), uint64(3))
	f.Add(uint32(pageSize+9), uint64(1<<40))
	f.Fuzz(func(t *testing.T, at uint32, value uint64) {
		bad := slices.Clone(good)
		binary.LittleEndian.PutUint64(bad[int(at)%(len(bad)-8):], value)
		resum(bad)
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, corpusFile), bad, 0o666); err != nil {
			t.Fatal(err)
		}
		_, _ = ask(t, dir, 30, texts) // must end without a panic
	})
}

// resum makes the checksums of a corpus file right, as its header has them where it can be read.
func resum(file []byte) {
	binary.LittleEndian.PutUint64(file[pageSize-8:], xxh3.Hash(file[:pageSize-8]))
	h, err := decodeHeader(file[:pageSize], int64(len(file)))
	if err != nil {
		return
	}
	for i := range h.sumsPage() - 1 {
		sums := file[(h.sumsPage()+i/sumsInPage)*pageSize:][:pageSize]
		binary.LittleEndian.PutUint64(sums[i%sumsInPage*8:], xxh3.Hash(file[(i+1)*pageSize:][:pageSize]))
		binary.LittleEndian.PutUint64(sums[pageSize-8:], xxh3.Hash(sums[:pageSize-8]))
	}
}
