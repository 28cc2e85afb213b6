package sketch

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/uax29/v2/words"
	"github.com/zeebo/xxh3"
)

// segmentsOf is what the library finds in each line.
func segmentsOf(text []byte) (list [][]byte) {
	for line := range bytes.Lines(text) {
		for segments := words.FromBytes(bytes.TrimSuffix(line, []byte("\n"))); segments.Next(); {
			if len(bytes.TrimSpace(segments.Value())) > 0 {
				list = append(list, segments.Value())
			}
		}
	}
	return list
}

// wordAlphabets make texts of all kinds: ASCII, the punctuation of English, scripts, white space,
// what is not well-formed.
func wordAlphabets() [][]string {
	ascii := strings.Split("aZ09_ '.:,;\t\n\r\v\f\x00\x1f\x7f\"-$+@/(b7", "")
	letters := slices.Repeat(strings.Split("abcdefgXYZ12", ""), 8)
	beyond := []string{"é", "’", "“", "Ж", "д", "中", "の", "カ", "ー", "ก", "\u00a0", "\u0085", "\u1680", "\u2003",
		"\u2028", "\u3000", "\u0301", "\u00ad", "\u200d", "\ufeff", "😀", "🇩", "🇪", "א", "\"", "\xc2", "\xe2\x80",
		"\x80", "\xe3", "\xf0\x9f", "\xff", "\xed\xa0\x80"}
	var plain []string
	for r := '\u200f'; r <= '\u2028'; r++ {
		plain = append(plain, string(r), "a", "7", " ")
	}
	english := slices.Concat(letters, strings.Split("    .,_\n’", ""))
	return [][]string{ascii, letters, beyond, plain, english, slices.Concat(ascii, beyond),
		slices.Concat(letters, beyond), slices.Concat(plain, strings.Split("_'.\u0301b", "")),
		slices.Concat(letters, strings.Split("’“’—", ""))}
}

// A text, and its lines, have the hashes of its words.
func TestWordHashes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	all := wordAlphabets()
	for _, kind := range []struct {
		hasher *WordHasher
		words  func(text []byte) [][]byte
	}{{NewSpaceWordHasher(), bytes.Fields}, {NewSegmentHasher(), segmentsOf}} {
		for range rounds(8000) {
			var text []byte
			alphabet := all[rng.IntN(len(all))]
			for range rng.IntN(1 << rng.IntN(13)) {
				text = append(text, alphabet[rng.IntN(len(alphabet))]...)
			}
			if text = text[:rng.IntN(len(text)+1)]; rng.IntN(2) == 0 {
				text = slices.Clip(text)
			}
			want := []uint64{7}
			for _, w := range kind.words(text) {
				want = append(want, xxh3.Hash(w))
			}
			if got := kind.hasher.Append([]uint64{7}, text); !slices.Equal(got, want) {
				t.Fatalf("%q: %d words, want %d", text, len(got)-1, len(want)-1)
			}
			want, wantEnds := want[:1], []int{7}
			for line := range bytes.Lines(text) {
				for _, w := range kind.words(line) {
					want = append(want, xxh3.Hash(w))
				}
				wantEnds = append(wantEnds, len(want))
			}
			got, ends := kind.hasher.AppendLines([]uint64{7}, []int{7}, text)
			if !slices.Equal(got, want) || !slices.Equal(ends, wantEnds) {
				t.Fatalf("%q: the lines have %d words and end at %v, want %d and %v", text, len(got)-1, ends,
					len(want)-1, wantEnds)
			}
		}
	}
}

// Of every few pieces side by side, the segments are those that the library finds: where a text may
// be divided does not show.
func TestShortSegments(t *testing.T) {
	hasher, rng := NewSegmentHasher(), rand.New(rand.NewPCG(3, 4))
	all := slices.Concat(wordAlphabets()...)
	for range 200000 {
		var text []byte
		for range 1 + rng.IntN(7) {
			if text = append(text, all[rng.IntN(len(all))]...); rng.IntN(3) == 0 {
				text = append(text, ' ')
			}
		}
		var want []uint64
		for _, w := range segmentsOf(text) {
			want = append(want, xxh3.Hash(w))
		}
		if got := hasher.Append(nil, text); !slices.Equal(got, want) {
			t.Fatalf("%q: want %q", text, segmentsOf(text))
		}
	}
}

// A text of many lines without a space is not gone through again for each of its code points.
func TestSegmentsInLinearTime(t *testing.T) {
	hasher := NewSegmentHasher()
	for _, part := range []string{"aé", "é ", " é", "a é", "’", "’é", "a_", "_ é b", "\xe2\x80"} {
		text := []byte(strings.Repeat(part, rounds(1<<19)))
		if got := len(hasher.Append(nil, text)); got != len(segmentsOf(text)) {
			t.Errorf("%q: %d segments, want %d", part, got, len(segmentsOf(text)))
		}
	}
}
