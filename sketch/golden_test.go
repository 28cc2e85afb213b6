package sketch

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// The vectors in testdata/golden come from a second implementation of docs/design/sketch.md. Its
// README says what the fields mean.

// hex64 is a 64-bit number as 16 hexadecimal digits.
type hex64 uint64

func (h *hex64) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 16, 64)
	*h = hex64(n)
	return err
}

// numbers is a list of 64-bit numbers, or the rule that gives it.
type numbers struct {
	SplitMix64 hex64
	Count      int
}

func (n *numbers) list(given []hex64) []uint64 {
	if n == nil {
		return plain(given)
	}
	rng := splitMix(n.SplitMix64)
	out := make([]uint64, n.Count)
	for i := range out {
		out[i] = rng.next()
	}
	return out
}

func plain(given []hex64) []uint64 {
	out := make([]uint64, len(given))
	for i, h := range given {
		out[i] = uint64(h)
	}
	return out
}

// vector has the fields of all files.
type vector struct {
	Normalizer, Tokenizer, Sketch, Input, Text string

	InputHex     string  `json:"input_hex"`
	Normalized   *string `json:"normalized"`
	OverAssigned string  `json:"over_assigned"`
	CodePoints   int     `json:"code_points"`
	XXH3         hex64
	Tokens       json.RawMessage
	N, K         int
	Seed         hex64
	Hashes       []hex64
	HashesFrom   *numbers `json:"hashes_from"`
	Slots        []hex64
	SlotsFrom    *numbers `json:"slots_from"`
	FirstSlots   []hex64  `json:"first_slots"`
	SlotsXXH3    hex64    `json:"slots_xxh3"`
	BandKey      string   `json:"band_key"`
	Bands, Rows  int
	Keys         [][2]hex64
	Distinct     int `json:"distinct_shingles"`
}

// golden calls check with each vector of a file, and fails if there are none.
func golden(t *testing.T, file string, check func(t *testing.T, v vector)) {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "testdata", "golden", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		n++
		t.Run(strconv.Itoa(n), func(t *testing.T) { check(t, v) })
	}
	if lines.Err() != nil || n < 10 {
		t.Fatalf("%d vectors, %v", n, lines.Err())
	}
}

// overAssigned hashes f(c) over all assigned code points and compares with the vector.
func overAssigned(t *testing.T, v vector, f func(dst []byte, c rune) []byte) {
	t.Helper()
	var all []byte
	n := 0
	for c := rune(0); c <= unicode.MaxRune; c++ {
		if unicode.In(c, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf,
			unicode.Co) {
			n++
			all = f(all, c)
		}
	}
	if got := xxh3.Hash(all); n != v.CodePoints || got != uint64(v.XXH3) {
		t.Errorf("%s over %d code points: %016x, want %016x over %d", v.OverAssigned, n, got, uint64(v.XXH3),
			v.CodePoints)
	}
}

func TestGoldenNormalize(t *testing.T) {
	golden(t, "normalize.jsonl", func(t *testing.T, v vector) {
		switch v.OverAssigned {
		case "nfkc-fold":
			n, _ := NewNormalizer(v.OverAssigned)
			overAssigned(t, v, func(dst []byte, c rune) []byte {
				return append(n.Append(dst, utf8.AppendRune(nil, c)), '\n')
			})
			return
		case "fold":
			overAssigned(t, v,
				func(dst []byte, c rune) []byte { return append(utf8.AppendRune(dst, foldRune(c)), '\n') })
			return
		}
		input := []byte(v.Input)
		if v.InputHex != "" {
			input, _ = hex.DecodeString(v.InputHex)
		}
		n, err := NewNormalizer(v.Normalizer)
		if err != nil {
			t.Fatal(err)
		}
		if got := n.Append(nil, input); string(got) != *v.Normalized {
			t.Errorf("%s of %q is %q, want %q", v.Normalizer, input, got, *v.Normalized)
		}
	})
}

func TestGoldenTokenize(t *testing.T) {
	golden(t, "tokenize.jsonl", func(t *testing.T, v vector) {
		if v.OverAssigned != "" {
			tokenizer, _ := NewTokenizer("word")
			overAssigned(t, v, func(dst []byte, c rune) []byte { return append(dst, wordKind(tokenizer, c)) })
			return
		}
		tokenizer, err := NewTokenizer(v.Tokenizer)
		if err != nil {
			t.Fatal(err)
		}
		var tokens Tokens
		tokenizer.Append(&tokens, []byte(v.Input))
		got := []string{}
		for i := range tokens.Len() {
			got = append(got, string(tokens.At(i)))
		}
		var want []string
		if err := json.Unmarshal(v.Tokens, &want); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s of %q is %q, want %q (%v)", v.Tokenizer, v.Input, got, want, err)
		}
	})
}

// wordKind tells by the tokens of "c c", "cc" what the word tokeniser takes c for: separator, part
// of a word, or a token alone.
func wordKind(tokenizer Tokenizer, c rune) byte {
	var twice Tokens
	tokenizer.Append(&twice, []byte(string([]rune{c, c})))
	return "swa"[twice.Len()]
}

func (v vector) sketcher(t *testing.T) *Sketcher {
	t.Helper()
	p := Params{
		Normalize: "none", Tokenize: "word", ShingleSize: 1, Sketch: "fss", NumPerm: 1, Bands: 1, Rows: 1,
		BandKey: "xxh3", Seed: uint64(v.Seed),
	}
	for _, set := range []struct{ to, from *string }{
		{&p.Normalize, &v.Normalizer}, {&p.Tokenize, &v.Tokenizer}, {&p.Sketch, &v.Sketch}, {&p.BandKey, &v.BandKey},
	} {
		if *set.from != "" {
			*set.to = *set.from
		}
	}
	for _, set := range []struct{ to, from *int }{{&p.ShingleSize, &v.N}, {&p.NumPerm, &v.K}, {&p.Bands, &v.Bands},
		{&p.Rows, &v.Rows}} {
		if *set.from != 0 {
			*set.to = *set.from
		}
	}
	p.NumPerm = max(p.NumPerm, p.Bands*p.Rows)
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestGoldenShingles(t *testing.T) {
	golden(t, "shingle.jsonl", func(t *testing.T, v vector) {
		if got := v.sketcher(t).Shingles(nil, []byte(v.Input)); !slices.Equal(got, plain(v.Hashes)) {
			t.Errorf("%s %d of %q: %x, want %x", v.Tokenizer, v.N, v.Input, got, plain(v.Hashes))
		}
	})
}

func TestGoldenSignatures(t *testing.T) {
	golden(t, "signature.jsonl", func(t *testing.T, v vector) {
		slots := slices.Repeat([]uint64{untouched}, v.K)
		v.sketcher(t).sketch.(hashSketch).addHashes(slots, v.HashesFrom.list(v.Hashes))
		if len(v.Slots) > 0 {
			if !slices.Equal(slots, plain(v.Slots)) {
				t.Errorf("%s k=%d: %x, want %x", v.Sketch, v.K, slots, plain(v.Slots))
			}
			return
		}
		var bytes []byte
		for _, s := range slots {
			bytes = binary.LittleEndian.AppendUint64(bytes, s)
		}
		if xxh3.Hash(bytes) != uint64(v.SlotsXXH3) || !slices.Equal(slots[:4], plain(v.FirstSlots)) {
			t.Errorf("%s k=%d: first slots %x, want %x", v.Sketch, v.K, slots[:4], plain(v.FirstSlots))
		}
	})
}

func TestGoldenBandKeys(t *testing.T) {
	golden(t, "bandkey.jsonl", func(t *testing.T, v vector) {
		checkKeys(t, v, v.sketcher(t).bandKey(nil, v.SlotsFrom.list(v.Slots), v.Bands, v.Rows))
	})
}

func TestGoldenTexts(t *testing.T) {
	golden(t, "text.jsonl", func(t *testing.T, v vector) {
		s := v.sketcher(t)
		shingles := s.Shingles(nil, []byte(v.Text))
		slices.Sort(shingles)
		if n := len(slices.Compact(shingles)); n != v.Distinct {
			t.Errorf("%d distinct shingles, want %d", n, v.Distinct)
		}
		keys, ok := s.BandKeys(nil, []byte(v.Text))
		if ok != (len(v.Keys) > 0) {
			t.Errorf("a text with %d keys: %v", len(v.Keys), ok)
		}
		checkKeys(t, v, keys)
	})
}

func checkKeys(t *testing.T, v vector, got []xxh3.Uint128) {
	t.Helper()
	if len(got) != len(v.Keys) {
		t.Fatalf("%d keys, want %d", len(got), len(v.Keys))
	}
	for i, k := range got {
		if k.Hi != uint64(v.Keys[i][0]) || k.Lo != uint64(v.Keys[i][1]) {
			t.Errorf("key %d is %016x %016x, want %016x %016x", i, k.Hi, k.Lo, uint64(v.Keys[i][0]),
				uint64(v.Keys[i][1]))
		}
	}
}
