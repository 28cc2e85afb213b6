package sketch

import (
	"slices"
	"testing"

	"github.com/zeebo/xxh3"
)

// Under a secret every shingle is hashed with a seed that is drawn from it, whatever the tokeniser
// and however many shingles there are, and the sketch has constants of its own.
func TestSecret(t *testing.T) {
	texts := []string{"one", "a few words that make some shingles of five words each",
		manyWords(3000), "河水从山北面的草地里流出，前两里只是一条小沟。"}
	const secret = Secret(0x5eed5eed5eed5eed)
	seed := xxh3.HashStringSeed("shingle", uint64(secret))
	for _, tokenize := range builtIn() {
		p := defaults
		p.Tokenize, p.Seed, p.Secret = tokenize, 0, secret
		with := mustNew(t, p)
		p.Seed, p.Secret = xxh3.HashStringSeed("sketch", uint64(secret)), 0
		plain := mustNew(t, p)
		for _, text := range texts {
			got := with.Shingles(nil, []byte(text))
			var want []uint64
			for w := plain.windows([]byte(text)); w.next(); {
				for i := range plain.shingles.len() {
					want = append(want, xxh3.HashSeed(plain.shingles.at(i), seed))
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s, %.20q: other hashes", tokenize, text)
			}
			slots, _ := with.Signature(nil, []byte(text))
			expected := slices.Repeat([]uint64{untouched}, p.NumPerm)
			plain.sketch.(hashSketch).addHashes(expected, want)
			if len(want) > 0 && !slices.Equal(slots, expected) {
				t.Fatalf("%s, %.20q: another signature", tokenize, text)
			}
		}
	}
}

// Sketches that take short seeds take secrets too.
func TestSecretOfShortSeeds(t *testing.T) {
	for _, name := range SketchNames() {
		p := defaults
		p.Sketch, p.Seed, p.Secret = name, 0, NewSecret()
		one, _ := mustNew(t, p).BandKeys(nil, []byte(manyWords(50)))
		p.Secret++
		other, _ := mustNew(t, p).BandKeys(nil, []byte(manyWords(50)))
		if len(one) != p.Bands || one[0] == other[0] {
			t.Errorf("%s: the secret changes nothing", name)
		}
	}
	p := defaults
	p.Secret = 1
	if _, err := New(p); err == nil {
		t.Error("a secret beside a seed")
	}
}

func TestParseSecret(t *testing.T) {
	s := NewSecret()
	if again, ok, err := ParseSecret(s.String()); again != s || !ok || err != nil {
		t.Errorf("%v: %v, %v, %v", s, again, ok, err)
	}
	if _, ok, _ := ParseSecret("17"); ok {
		t.Error("a number is taken for a secret")
	}
	for _, wrong := range []string{"random:", "random:12", "random:0000000000000000", "random:00000000000000zz",
		"random:+000000000000001"} {
		if _, ok, err := ParseSecret(wrong); !ok || err == nil {
			t.Errorf("%s: %v, %v", wrong, ok, err)
		}
	}
}

// manyWords is a text of n words, of lengths that all ways of hashing meet.
func manyWords(n int) string {
	rng := splitMix(9)
	var text []byte
	for range n {
		for range 1 + rng.next()%14 {
			text = append(text, byte('a'+rng.next()%26))
		}
		text = append(text, ' ')
	}
	return string(text)
}
