package sketch

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zeebo/xxh3"
)

// Every span of a text, of every length and at every distance from its edges, has the hash that the
// library gives it.
func TestSpanHashesAreXXH3(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, size := range []int{0, 1, 31, 32, 33, 63, 64, 65, 300} {
		text := make([]byte, size)
		for i := range text {
			text[i] = byte(rng.Uint32())
		}
		for gap := range 2 {
			for from := 0; from+gap <= size; from++ {
				var starts, nexts []uint32
				for next := from + gap; next <= size; next++ {
					starts, nexts = append(starts, uint32(from)), append(nexts, uint32(next))
				}
				for i, got := range appendSpanHashes(nil, text, starts, nexts, gap) {
					if span := text[from : int(nexts[i])-gap]; got != xxh3.Hash(span) {
						t.Fatalf("%x: got %x, want %x", span, got, xxh3.Hash(span))
					}
				}
			}
		}
	}
}

// Spans of mixed lengths, one after the other as in a text, with the longest and the shortest that
// are done in fours among them, or next to them.
func TestRunsOfSpanHashesAreXXH3(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 3000 {
		text := make([]byte, 100+rng.IntN(900))
		for i := range text {
			text[i] = byte(rng.Uint32())
		}
		text = text[:len(text)-rng.IntN(40)] // what is after it is read, and means nothing
		lengths := []int{1, 8, 16, 17, 18, 30, 31, 32, 33, 34, 48, 63, 64, 65, 100}
		switch rng.IntN(4) {
		case 0:
			lengths = lengths[3:13]
		case 1:
			lengths = []int{4, 4, 5, 5, 5, 6, 7, 8, 8, 3 + rng.IntN(7)}
		case 2:
			lengths = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1 + rng.IntN(18)}
		}
		gap := rng.IntN(2)
		var starts, nexts []uint32
		for from, next := 0, 0; ; from += rng.IntN(9) {
			next = max(next, from+lengths[rng.IntN(len(lengths))]+gap)
			if next > len(text) {
				break
			}
			starts, nexts = append(starts, uint32(from)), append(nexts, uint32(next))
		}
		for i, got := range appendSpanHashes([]uint64{7}, text, starts, nexts, gap)[1:] {
			if span := text[starts[i] : int(nexts[i])-gap]; got != xxh3.Hash(span) {
				t.Fatalf("span %d of %d, %x: got %x, want %x", i, len(starts), span, got, xxh3.Hash(span))
			}
		}
	}
}

// Bands of every number of rows have the keys that the library gives their bytes.
func TestBandKeysAreXXH3(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for rows := 1; rows <= 40; rows++ {
		for bands := 61; bands < 69; bands++ { // some of them in no eight, or in no four
			slots := make([]uint64, bands*rows)
			for i := range slots {
				slots[i] = rng.Uint64()
			}
			for j, got := range new(hashKey).appendKeys(nil, slots, bands, rows) {
				var band []byte
				for _, v := range slots[j*rows : (j+1)*rows] {
					band = binary.LittleEndian.AppendUint64(band, v)
				}
				if want := xxh3.Hash128Seed(band, uint64(j)); got != want {
					t.Fatalf("band %d of %d, of %d rows: got %x, want %x", j, bands, rows, got, want)
				}
			}
		}
	}
}

// Kernels load words that are after the hashes of a text. Memory is there.
func TestHashesHaveMemoryAfter(t *testing.T) {
	var text []byte
	for _, tokenize := range []string{"word", "char", "whitespace"} {
		p := defaults
		p.Tokenize = tokenize
		s := mustNew(t, p)
		for text = text[:0]; len(text) < 3000; text = append(text, "ab c"...) {
			s.Signature(nil, text)
			if hashes := s.shingles.hashes(); cap(hashes)-len(hashes) < wordsAfter {
				t.Fatalf("%s: %d hashes in room for %d", tokenize, len(hashes), cap(hashes))
			}
		}
	}
}

func TestDropRepeats(t *testing.T) {
	var seen seenHashes
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 { // what the hashes before have left must not matter
		hashes := make([]uint64, rng.IntN(500))
		for i := range hashes {
			hashes[i] = uint64(rng.IntN(2))<<63 | uint64(rng.IntN(3*len(seen)))>>rng.IntN(12)
		}
		want := slices.Compact(slices.Sorted(slices.Values(hashes)))
		some := seen.dropRepeats(hashes)
		if got := slices.Compact(slices.Sorted(slices.Values(some))); !slices.Equal(got, want) {
			t.Fatalf("got %d different hashes, want %d", len(got), len(want))
		}
	}
	if got := seen.dropRepeats([]uint64{0, 5, 0, 5, 5, 0, 1}); !slices.Equal(got, []uint64{0, 5, 1}) {
		t.Fatalf("got %d: repeats are left", got)
	}
}
