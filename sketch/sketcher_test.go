package sketch

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var defaults = Params{
	Normalize: "nfkc-fold", Tokenize: "word", ShingleSize: 5,
	Sketch: "fss", NumPerm: 128, Seed: 1, Bands: 14, Rows: 9, BandKey: "xxh3",
}

func mustNew(t testing.TB, p Params) *Sketcher {
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func genParams() *rapid.Generator[Params] {
	return rapid.Custom(func(t *rapid.T) Params {
		p := Params{
			Normalize:   rapid.SampledFrom(someNormalizers()).Draw(t, "normalize"),
			Tokenize:    rapid.SampledFrom(builtIn()).Draw(t, "tokenize"),
			ShingleSize: rapid.IntRange(1, 7).Draw(t, "shingle-size"),
			Sketch:      rapid.SampledFrom(SketchNames()).Draw(t, "sketch"),
			Bands:       rapid.IntRange(1, 9).Draw(t, "bands"),
			Rows:        rapid.IntRange(1, 40).Draw(t, "rows"),
			BandKey:     rapid.SampledFrom(BandKeyNames()).Draw(t, "band-key"),
			Seed:        rapid.Uint64().Draw(t, "seed"),
		}
		if hasShortSeed(p.Sketch) {
			p.Seed &= 1<<32 - 1
		}
		if tokenizers[p.Tokenize].byLine && strings.Contains(p.Normalize, "squash-space") || p.Normalize == "fineweb" {
			p.Normalize = "ccnet"
		}
		p.NumPerm = p.Bands*p.Rows + rapid.IntRange(0, 5).Draw(t, "unused slots")
		return p
	})
}

func TestKeysAreAsDefined(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := genParams().Draw(t, "params")
		s, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		s = s.Clone()
		s.window = rapid.OneOf(rapid.IntRange(2, 40), rapid.Just(windowSize)).Draw(t, "window")
		for range 3 { // what the text before has left must not matter
			text := genText().Draw(t, "text")
			if got, want := s.Shingles(nil, text), definedHashes(definedShingles(p, text)); !slices.Equal(got, want) {
				t.Fatalf("%+q: shingles\n got %x\nwant %x", text, got, want)
			}
			if got, ok := s.Signature(nil, text); ok != (len(got) > 0) ||
				!slices.Equal(got, definedSignature(p, text)) {
				t.Fatalf("%+q: signature\n got %x\nwant %x", text, got, definedSignature(p, text))
			}
			if got, ok := s.BandKeys(nil, text); ok != (len(got) > 0) || !slices.Equal(got, definedKeys(p, text)) {
				t.Fatalf("%+q: keys\n got %x\nwant %x", text, got, definedKeys(p, text))
			}
		}
	})
}

// A text of many windows has the keys of the text as a whole, and results are appended to what was
// there.
func TestLongTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for m, tokenize := range builtIn() {
		for n, unit := range []string{"Tokens, and more: ", "漢字かな交じり文。\n", "no-space-at-all", "café \u0301a\r\n",
			"a line\nanother\n\n", "two\n \nthree\n", "три слова\n"} {
			if testing.Short() && (n+m)%6 != 0 {
				continue
			}
			p := defaults
			p.Tokenize = tokenize
			if tokenize == "char" {
				p.Normalize = "fineweb"
			}
			text := []byte(strings.Repeat(unit, 3*windowSize/2/len(unit)))
			for range 1000 {
				text[rng.IntN(len(text))] = byte('a' + rng.IntN(26))
			}
			s := mustNew(t, p)
			if got, want := s.Shingles([]uint64{7}, text), append([]uint64{7},
				definedHashes(definedShingles(p, text))...); !slices.Equal(got, want) {
				t.Errorf("%s %q: shingles differ", tokenize, unit)
			}
			if tokenize == "word" {
				got, _ := s.Signature([]uint64{7}, text)
				if want := append([]uint64{7}, definedSignature(p, text)...); !slices.Equal(got, want) {
					t.Errorf("%s %q: signatures differ", tokenize, unit)
				}
			}
			if 8*cap(s.shingles.hashed) > maxScratch || cap(s.normal) > maxScratch ||
				cap(s.shingles.tokens.text) > maxScratch {
				t.Errorf("%s %q: scratch memory stayed", tokenize, unit)
			}
		}
	}
}

func TestMemoryDoesNotGrowWithTheText(t *testing.T) {
	if testing.Short() {
		t.Skip("takes megabytes of text; the longer run of the tests does it")
	}
	with := func(change func(p *Params)) Params {
		p := defaults
		change(&p)
		return p
	}
	char := with(func(p *Params) { p.Tokenize = "char" })
	none := with(func(p *Params) { p.Normalize = "none" })
	for _, c := range []struct {
		params Params
		units  []string
	}{
		{defaults, []string{"some words, again and again. ", "одни и те же слова. ", "总是一样的话。\n", "漢字", "ไทย",
			"한국어,", "/usr/bin/env", " .", "\x80.", "\u2460.", "\u3316", ".\ufdfa"}},
		{char, []string{"漢字", "/usr/bin/env", "\u3316"}},
		{none, []string{"漢字", "/usr/bin/env", "\x80."}},
		{with(func(p *Params) { p.Tokenize = "uax29" }), []string{"漢字", "ไทย,", "/usr/bin/env", ".\ufdfa", "a.b "}},
		{with(func(p *Params) { p.Tokenize = "grapheme" }), []string{"漢字", "ไทย", "/usr/bin/env", "\ufdfa", "e\u0301"}},
		{with(func(p *Params) { p.Tokenize = "lines" }), []string{"--- a line\n", ". \ufdfa\n"}},
		{with(func(p *Params) { p.Tokenize = "paragraphs" }), []string{"--- a paragraph\n \n"}},
	} {
		for _, unit := range c.units {
			text := bytes.Repeat([]byte(unit), maxScratch/2/len(unit))
			s := mustNew(t, c.params)
			s.window = 4 << 10 // so that none of its scratch is let go
			s.Signature(nil, text[:16*s.window])
			before := totalAlloc()
			s.Signature(nil, text)
			if n := totalAlloc() - before; n > uint64(len(text)/6) {
				t.Errorf("%q, %s, %s: %d bytes of memory for a text of %d", unit, c.params.Tokenize, c.params.Normalize,
					n, len(text))
			}
		}
	}
}

// A text in pieces has the tokens of the text: what is certain early stays so.
func TestIncrementalTokenizers(t *testing.T) {
	for _, name := range builtIn() {
		z, err := NewTokenizer(name)
		if err != nil {
			t.Fatal(err)
		}
		some, ok := z.(incremental)
		if !ok {
			continue
		}
		rapid.Check(t, func(t *rapid.T) {
			text := bytes.ToValidUTF8(genText().Draw(t, "text"), nil)
			var whole, pieces Tokens
			z.Append(&whole, text)
			at := 0
			for i := range text {
				if utf8.RuneStart(text[i]) && rapid.IntRange(0, 3).Draw(t, "piece") == 0 {
					at += some.AppendSome(&pieces, text[at:i])
				}
			}
			z.Append(&pieces, text[at:])
			if !bytes.Equal(pieces.text, whole.text) || !slices.Equal(pieces.starts, whole.starts) {
				t.Fatalf("%s, %+q: got %+q, want %+q", name, text, pieces.text, whole.text)
			}
		})
	}
}

// totalAlloc is how many bytes the program has taken so far.
func totalAlloc() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// With one core for all, a long text leaves it to others several times. Without their turns they
// would have one each 10 ms, by the runtime.
func TestLongTextsLetOthersGo(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	text := bytes.Repeat([]byte("some words, again and again. "), 1<<20/29)
	s := mustNew(t, defaults)
	var turns atomic.Int64
	var over atomic.Bool
	go func() {
		for !over.Load() {
			turns.Add(1)
			runtime.Gosched()
		}
	}()
	s.Signature(nil, text)
	over.Store(true)
	if n, windows := turns.Load(), int64(len(text)/windowSize); n < windows-2 {
		t.Errorf("%d turns in %d windows", n, windows)
	}
}

func TestScratchOfHugeWindowsIsReleased(t *testing.T) {
	text := bytes.Repeat([]byte("without-any-space,"), maxScratch/6)
	s := mustNew(t, defaults)
	for name, f := range map[string]func(){
		"Signature": func() { s.Signature(nil, text) },
		"Shingles":  func() { s.Shingles(nil, text) },
	} {
		f()
		if len(s.normal)+len(s.shingles.tokens.text)+8*len(s.shingles.hashed)+
			4*len(s.shingles.tokens.starts) > maxScratch {
			t.Errorf("%s leaves the scratch memory of a huge text behind", name)
		}
	}
}

// Where a window may end, no normaliser and no tokeniser sees across.
func TestWindowEdges(t *testing.T) {
	for _, name := range []string{
		"none", "nfkc-fold",
		"strip-format,strip-controls,nfc,fold,strip-accents,strip-punctuation,numbers,squash-space",
		"nfkc-fold,variables",
		"nfkc-fold,strip-accents,strip-punctuation,digits,confusables,squash-space",
	} {
		n, err := NewNormalizer(name)
		if err != nil {
			t.Fatal(err)
		}
		letters := newFoldTable()
		if strings.Contains(name, "confusables") {
			letters = nil
		}
		codePoints(func(r rune) {
			c := []byte(string(r))
			if !startsWord(c, letters) {
				return
			}
			c = append(c, " b"...)
			got := n.Append(nil, append([]byte("a. "), c...))
			if want := n.Append(n.Append(nil, []byte("a. ")), c); !bytes.Equal(got, want) {
				t.Fatalf("%s: %+q after white space becomes %+q, alone %+q", name, c, got, want)
			}
		})
	}
	letters := newFoldTable()
	for _, name := range builtIn() {
		z, err := NewTokenizer(name)
		if err != nil {
			t.Fatal(err)
		}
		codePoints(func(r rune) {
			if !startsWord([]byte(string(r)), letters) {
				return
			}
			before := "a. "
			if tokenizers[name].byLine {
				before = "a.\n\n"
			}
			var whole, parts Tokens
			z.Append(&whole, []byte(before+string(r)))
			z.Append(&parts, []byte(before))
			z.Append(&parts, []byte(string(r)))
			if got, want := tokensOf(&parts), tokensOf(&whole); !slices.Equal(got, want) {
				t.Fatalf("%s: %+q cut off gives %+q, want %+q", name, r, got, want)
			}
		})
	}
}

func TestEmptyTexts(t *testing.T) {
	for _, text := range []string{"", " \n\t ", "\u200b", "... --- !!!"} {
		s := mustNew(t, defaults)
		if keys, ok := s.BandKeys(nil, []byte(text)); ok || keys != nil {
			t.Errorf("%q has keys", text)
		}
		if slots, ok := s.Signature(nil, []byte(text)); ok || len(slots) > 0 {
			t.Errorf("%q has a signature", text)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	texts := append(sampleTexts(rounds(20), 2048), sampleMixed(rounds(20), 2048)...)
	texts = append(texts, []byte("e\u0301 \u1100\u1161\u11a8 ﬁ １２３\u3000ＡＢＣ"))
	for i, tokenize := range builtIn() {
		for j, sketch := range SketchNames() {
			if testing.Short() && i%len(SketchNames()) != j {
				continue // each tokenizer with one sketch
			}
			p := defaults
			p.Tokenize, p.Sketch = tokenize, sketch
			s := mustNew(t, p)
			s.memo.seed = 0 // under which no two of the texts are in each other's place, so that nothing grows
			keys, _ := s.BandKeys(nil, slices.Concat(texts...))
			all := func() {
				for _, text := range texts {
					keys, _ = s.BandKeys(keys[:0], text)
				}
			}
			s.memo.forms.rest = 1 << 30
			if n := testing.AllocsPerRun(1, all); n > 0 {
				t.Errorf("%s, %s: %v allocations for %d texts", tokenize, sketch, n, len(texts))
			}
			s.memo.forms.rest = 0
			all() // the memo is made when texts come again
			if n := testing.AllocsPerRun(1, all); n > 0 {
				t.Errorf("%s, %s: %v allocations for %d texts that came before", tokenize, sketch, n, len(texts))
			}
		}
	}
}

// Signatures of an independent implementation, see testdata/datasketch.py.
func TestDatasketch(t *testing.T) {
	type byElement interface {
		addElement(slots []uint64, element []byte)
	}
	data, err := os.ReadFile("testdata/datasketch.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var v struct {
			Sketch  string
			NumPerm int `json:"num_perm"`
			Seed    uint64
			Tokens  []string
			Slots   []uint64
		}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		d := sketches[v.Sketch](v.NumPerm, v.Seed).(byElement)
		slots := slices.Repeat([]uint64{untouched}, v.NumPerm)
		for _, token := range v.Tokens {
			d.addElement(slots, []byte(token))
		}
		if !slices.Equal(slots, v.Slots) {
			t.Errorf("%s k=%d seed=%d %.20q: got %d, want %d", v.Sketch, v.NumPerm, v.Seed, v.Tokens, slots, v.Slots)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		change func(*Params)
		want   string
	}{
		{func(p *Params) {}, ""},
		{func(p *Params) { p.ShingleSize = 0 }, "shingle-size must be"},
		{func(p *Params) { p.NumPerm = 0 }, "num-perm must be"},
		{func(p *Params) { p.NumPerm = math.MaxInt }, "num-perm must be"},
		{func(p *Params) { p.Bands = 0 }, "bands must be"},
		{func(p *Params) { p.Rows = -1 }, "rows must be"},
		{func(p *Params) { p.Rows = 10 }, "bands × rows must be at most num-perm: 14 × 10 > 128"},
		{func(p *Params) { p.Bands, p.Rows = math.MaxInt, math.MaxInt }, "bands × rows must be"},
		{func(p *Params) { p.Sketch, p.Seed = "murmur3", 1<<32 }, "seed must be below 2³² for sketch murmur3"},
		{func(p *Params) { p.Normalize = "x" }, `normalize: unknown name "x" (want some of: `},
		{func(p *Params) { p.Tokenize = "" }, `tokenize: unknown name ""`},
		{func(p *Params) { p.Tokenize, p.Normalize = "lines", "fineweb" },
			"tokenize lines needs the line ends that normalize fineweb takes away"},
		{func(p *Params) { p.Sketch = "x" }, `sketch: unknown name "x"`},
		{func(p *Params) { p.BandKey = "x" }, `band-key: unknown name "x"`},
	} {
		p := defaults
		c.change(&p)
		err := p.Validate()
		if c.want == "" && err == nil {
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: got error %v, want %q", p, err, c.want)
		}
		if _, err := New(p); err == nil {
			t.Errorf("%+v: New accepts what Validate refuses", p)
		}
	}
}

func TestJaccard(t *testing.T) {
	if got := Jaccard([]uint64{3, 1, 2, 1}, []uint64{2, 4, 3, 3}); got != 0.5 {
		t.Errorf("got %v, want 0.5", got)
	}
	if got := Jaccard(nil, nil); got != 0 {
		t.Errorf("two empty sets: got %v, want 0", got)
	}
	if got := EstimateJaccard([]uint64{1, 2, 3, 4}, []uint64{1, 5, 3, 4}); got != 0.75 {
		t.Errorf("got %v, want 0.75", got)
	}
}

// A run of which one digit decides is never divided, however long it is.
func TestRunsOfVariablesAreWhole(t *testing.T) {
	params := Default()
	params.Normalize, params.ShingleSize = "nfkc-fold,variables", 1
	run := strings.Repeat("no-digit.here/", 40)
	for _, text := range []string{run + "1", "1" + run, run + "1" + run, "word " + run + "1 word 漢字" + run} {
		whole, small := mustNew(t, params), mustNew(t, params)
		small.window = 64
		if got, want := small.Shingles(nil, []byte(text)), whole.Shingles(nil, []byte(text)); !slices.Equal(got, want) {
			t.Errorf("%.40q…: %d shingles in windows, %d whole", text, len(got), len(want))
		}
	}
}

// Where a text is divided, no normaliser sees across.
func TestNormalizersSeparate(t *testing.T) {
	letters := newFoldTable()
	for _, name := range []string{
		"none", "nfkc-fold", "nfkc-fold,strip-accents",
		"strip-format,strip-controls,nfc,fold,strip-accents,strip-punctuation,numbers,squash-space",
		"strip-controls,nfkc,fold,strip-punctuation,digits,confusables",
	} {
		n, err := NewNormalizer(name)
		if err != nil {
			t.Fatal(err)
		}
		known := letters
		if strings.Contains(name, "confusables") {
			known = nil
		}
		endings := []string{"a", "e\u0301", "\u1100", "1", " ", "\uffa1", "\u304b", "\u0928", "\u200d"}
		if testing.Short() {
			endings = endings[:3]
		}
		for _, before := range endings {
			codePoints(func(r rune) {
				text := append([]byte(before+string(r)), "\u0301b"...)
				if i := len(before); n.(separable).separates(text, i, known) {
					parts := n.Append(n.Append(nil, text[:i]), text[i:])
					if whole := n.Append(nil, text); !bytes.Equal(parts, whole) {
						t.Fatalf("%s: %+q cut at %d becomes %+q, whole %+q", name, text, i, parts, whole)
					}
				}
			})
		}
	}
}
