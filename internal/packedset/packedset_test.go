package packedset

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/sketch"
)

func randomSet(rng *rand.Rand, n int) []uint64 {
	set := make([]uint64, n)
	for i := range set {
		set[i] = rng.Uint64()
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// What is unpacked are the leading bits of what was packed, whatever the hashes are.
func TestUnpacked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom([]Form{1, Similar, Contained, Short}).Draw(t, "form")
		set := rapid.SliceOfNDistinct(rapid.Uint64(), 0, 200, rapid.ID[uint64]).Draw(t, "set")
		if rapid.Bool().Draw(t, "uniform") {
			set = randomSet(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), len(set))
		}
		slices.Sort(set)
		words := f.Append([]uint64{7}, set)
		if words[0] != 7 || len(words) != 1+f.Words(len(set)) {
			t.Fatalf("%d words for %d hashes, want %d", len(words)-1, len(set), f.Words(len(set)))
		}
		leading := 1 + f.LeadingWords(len(set))
		got, ok := f.AppendHashes([]uint64{8}, len(set), words[1:leading])
		first := func(bits int) []uint64 {
			want := []uint64{8}
			for _, h := range set {
				want = append(want, h>>(64-bits)<<(64-bits))
			}
			return want
		}
		kept := f.kept(len(set))
		if want := first(kept); !ok || !slices.Equal(got, want) {
			t.Fatalf("%v: got %x, want %x", ok, got, want)
		}
		f.AddFurther(got[1:], words[leading:])
		if want := first(kept + f.further(len(set))); !slices.Equal(got, want) {
			t.Fatalf("got %x, want %x", got, want)
		}
	})
}

// unpacked returns the hashes of a packed set by its first part, and by all bits that are kept.
func unpacked(f Form, set []uint64) (leading, whole []uint64) {
	words, n := f.Append(nil, set), f.LeadingWords(len(set))
	leading, _ = f.AppendHashes(nil, len(set), words[:n])
	whole = slices.Clone(leading)
	f.AddFurther(whole, words[n:])
	return leading, whole
}

// No hash has more than 64 bits, and only those of small sets have fewer than 32, in one part.
func TestFurtherBits(t *testing.T) {
	for _, f := range []Form{Similar, Contained, Short} {
		for n := 1; n < 1<<22; n *= 2 {
			least := min(64, 32+bucketBits(n))
			if f == Short && n < 64 {
				if least = 24; f.Words(n) != f.LeadingWords(n) {
					t.Errorf("%d hashes have a second part", n)
				}
			}
			if kept := f.kept(n) + f.further(n); kept > 64 || kept < least {
				t.Errorf("%d bits of each of %d hashes", kept, n)
			}
		}
	}
}

// Damaged words are refused, or are hashes in their buckets; never more, and without a panic.
func TestDamaged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom([]Form{Similar, Contained, Short}).Draw(t, "form")
		n := rapid.IntRange(1, 300).Draw(t, "hashes")
		size := f.LeadingWords(n)
		words := rapid.SliceOfN(rapid.Uint64(), size, size).Draw(t, "words")
		if hashes, ok := f.AppendHashes(nil, n, words); ok && len(hashes) != n {
			t.Fatalf("%d hashes, want %d", len(hashes), n)
		}
	})
	if _, ok := Similar.AppendHashes(nil, 3, make([]uint64, Similar.LeadingWords(3))); ok {
		t.Error("three hashes of no words")
	}
}

// Packed sets have the similarity of what was packed. By the first parts hardly any of 2,000 pairs
// of any size differs, and none by more than one hash.
func TestSimilarity(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 27))
	wrong := 0
	for range 2000 {
		common, own := randomSet(rng, 1+rng.IntN(1500)), 1+rng.IntN(300)
		a := slices.Concat(common, randomSet(rng, own))
		b := slices.Concat(common, randomSet(rng, rng.IntN(own)))
		slices.Sort(a)
		slices.Sort(b)
		exact := int(sketch.ContainmentOfSets(a, b)*float64(min(len(a), len(b))) + .5)
		x, wholeX := unpacked(Similar, a)
		y, wholeY := unpacked(Similar, b)
		if got := Similar.CommonExactly(wholeX, wholeY); got != exact {
			t.Errorf("%d hashes in common, want %d", got, exact)
		}
		if got := Similar.Common(x, y); got != exact {
			wrong++
			if got < exact || got > exact+1 {
				t.Errorf("%d hashes in common, want %d", got, exact)
			}
		} else if Jaccard(len(x), len(y), Similar.Common(x, y)) != sketch.JaccardOfSets(a, b) {
			t.Errorf("Jaccard %v, want %v", Jaccard(len(x), len(y), Similar.Common(x, y)), sketch.JaccardOfSets(a, b))
		}
	}
	if wrong > 40 {
		t.Errorf("%d of 2000 pairs differ", wrong)
	}
	t.Logf("%d of 2000 pairs differ", wrong)
}

// A small set is found in one that is a thousand times as large, and nothing else is.
func TestContainment(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 27))
	f := Contained
	large := randomSet(rng, 20_000)
	y, wholeY := unpacked(f, large)
	for range 500 {
		small := randomSet(rng, 20)
		copy(small, large[rng.IntN(len(large)-20):][:18])
		slices.Sort(small)
		x, wholeX := unpacked(f, small)
		want := sketch.ContainmentOfSets(small, large)
		for _, common := range []int{f.Common(x, y), f.CommonExactly(wholeX, wholeY)} {
			if got := Containment(len(x), len(y), common); got != want {
				t.Errorf("%v, want %v", got, want)
			}
		}
	}
}

// Two bytes a hash are enough for what is read of each candidate, of which 300 take 560 bytes. The
// rest takes 2.4 bytes a hash.
func TestSize(t *testing.T) {
	for n := 64; n <= 1<<22; n = n*5/4 + 1 {
		if bytes := 8 * Similar.LeadingWords(n); bytes > 2*n+16 {
			t.Errorf("%d bytes for %d hashes", bytes, n)
		}
	}
	if leading, bytes := 8*Similar.LeadingWords(300), 8*Similar.Words(300); leading != 560 || bytes != 560+720 {
		t.Errorf("%d of %d bytes for 300 hashes", leading, bytes)
	}
}

func BenchmarkAppend(b *testing.B) {
	set := randomSet(rand.New(rand.NewPCG(1, 1)), 300)
	var words []uint64
	for b.Loop() {
		words = Similar.Append(words[:0], set)
	}
}

func BenchmarkAppendHashes(b *testing.B) {
	words := Similar.Append(nil, randomSet(rand.New(rand.NewPCG(1, 1)), 300))[:Similar.LeadingWords(300)]
	var set []uint64
	for b.Loop() {
		set, _ = Similar.AppendHashes(set[:0], 300, words)
	}
}

func BenchmarkCommon(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := randomSet(rng, 300), randomSet(rng, 300)
	copy(x[20:], y[20:])
	slices.Sort(x)
	for b.Loop() {
		Similar.Common(x, y)
	}
}

// Parities bound the common hashes of any two sets from above, and closely if these are similar.
func TestParities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		form := rapid.SampledFrom([]Form{Similar, Contained, Short}).Draw(t, "form")
		common, few := randomSet(rng, rng.IntN(1500)), rng.IntN(100)
		pack := func(own int) []uint64 {
			set := slices.Concat(common, randomSet(rng, own))
			slices.Sort(set)
			hashes, _ := unpacked(form, set)
			return hashes
		}
		a, b := pack(few), pack(rng.IntN(few+1))
		order, n := ParityOrder(len(b)), form.Common(a, b)
		if !form.HasParities(len(a), order) {
			return
		}
		most := MostCommon(len(a), len(b), AppendParities(nil, a, order), AppendParities(nil, b, order))
		if differ := len(a) + len(b) - 2*n; most < n || most > n+2+differ/4 && 4*differ < len(b) {
			t.Fatalf("at most %d of %d and %d hashes are common, but %d are", most, len(a), len(b), n)
		}
	})
}
