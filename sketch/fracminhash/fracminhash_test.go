package fracminhash

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/sketch"
)

func shingler(t testing.TB, size int) *sketch.Sketcher {
	t.Helper()
	s, err := sketch.New(sketch.ShingleParams("nfkc-fold", "word", size))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sketcher(t testing.TB, p Params) *Sketcher {
	t.Helper()
	s, err := New(shingler(t, 1), p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// textOf has so many different words, some of them several times.
func textOf(rng *rand.Rand, words int) []byte {
	var b strings.Builder
	for i := range words {
		for range 1 + rng.IntN(2)*rng.IntN(3) {
			fmt.Fprintf(&b, "w%dx%d ", i, rng.Uint64())
		}
	}
	if rng.IntN(2) == 0 {
		return []byte(b.String() + b.String())
	}
	return []byte(b.String())
}

// model is the definition: all shingles, the level of their number, and those below its bound.
func model(all []uint64, p Params) (level int, sample, set []uint64) {
	different := map[uint64]bool{}
	for _, h := range all {
		different[h] = true
	}
	for scale := 2; scale <= p.Scale && Least*scale <= len(different); scale *= 2 {
		level++
	}
	for h := range different {
		set = append(set, h)
		if float64(h) < math.Exp2(float64(64-level)) || level == 0 {
			sample = append(sample, h)
		}
	}
	slices.Sort(sample)
	slices.Sort(set)
	return level, sample, set
}

// uppersOf is the definition of a sample and a finer one: the upper halves of those below the
// bound.
func uppersOf(level int, set []uint64, p Params) (uppers []uint32) {
	for _, h := range set {
		isOfSample := bits.LeadingZeros64(h) >= level
		if isOfSample || p.Beside == Finer && bits.LeadingZeros64(h) >= level-2 {
			uppers = append(uppers, uint32(h>>32))
		}
	}
	return uppers
}

func drawBeside(t *rapid.T) Beside {
	return rapid.SampledFrom([]Beside{Nothing, Finer, Set}).Draw(t, "beside")
}

// Words whose finer sample has hashes that do not belong there are not sound.
func TestUnsoundSketches(t *testing.T) {
	for _, test := range []struct {
		finer []uint32
		sound bool
	}{
		{[]uint32{1 << 29, 1<<31 - 1}, true}, {nil, true}, {[]uint32{1<<29 - 1}, false}, {[]uint32{1 << 31}, false},
		{[]uint32{1 << 30, 1 << 29}, false}, {[]uint32{1 << 30, 1 << 30}, false},
	} {
		words := Sketch{Level: 3, Hashes: []uint64{1, 2}}.append(nil, test.finer)
		if got := Read(words).IsSound(); got != test.sound || SizeOf(words) != len(words) {
			t.Errorf("%x: %v", test.finer, got)
		}
	}
	if Read(Sketch{Level: 3, Hashes: []uint64{2, 1}}.append(nil, nil)).IsSound() {
		t.Error("hashes out of order are sound")
	}
}

func TestSampleIsThatOfTheDefinition(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := Params{Scale: 1 << rapid.IntRange(0, 10).Draw(rt, "level"), Beside: drawBeside(rt)}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		s := sketcher(t, p)
		var words []uint64
		for range 3 {
			text := textOf(rng, 1+rng.IntN(1<<rng.IntN(14)))
			level, sample, set := model(shingler(t, 1).Shingles(nil, text), p)
			first := len(words)
			var ok bool
			if words, ok = s.Append(words, text); ok != (len(sample) > 0) {
				t.Fatalf("ok %v with a sample of %d", ok, len(sample))
			} else if !ok {
				continue
			}
			if n := SizeOf(words[first:]); n != len(words)-first {
				t.Fatalf("%d words, which say that they are %d", len(words)-first, n)
			}
			got := Read(words[first:])
			if got.Level != level || !slices.Equal(got.Sample(), sample) || got.IsSet != (p.Beside == Set) {
				t.Fatalf("level %d, %d of %d hashes: want level %d, %d", got.Level, len(got.Sample()), len(set), level,
					len(sample))
			}
			if p.Beside == Set && !slices.Equal(got.Hashes, set) {
				t.Fatal("the set is not that of all shingles")
			}
			if uppers := uppersOf(level, set, p); !slices.Equal(got.AppendUppers(nil), uppers) ||
				got.Finer() != len(uppers)-len(sample) || !got.IsSound() {
				t.Fatalf("%+v, level %d: the finer sample has %d hashes, want %d", p, level,
					len(got.AppendUppers(nil)), len(uppers))
			}
		}
	})
}

// Two samples, cut at the larger level, are the samples of the texts at that level, for texts of
// any lengths.
func TestSamplesOfAnyLengthsAreComparable(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		common := hashes(rng, rng.IntN(300))
		a := append(hashes(rng, 1+rng.IntN(40)), common...)
		b := append(hashes(rng, 1+rng.IntN(1<<rng.IntN(13))), common...)
		p := Params{Scale: 16}
		x, y := sketchOf(p, a), sketchOf(p, b)
		level := max(x.Level, y.Level)
		isKept := func(h uint64) bool { return level == 0 || h < 1<<(64-level) }
		weight := func(h uint64) int { return int(h % 3) }
		want := [3]int{}
		for _, h := range a {
			if isKept(h) {
				want[0] += weight(h)
			}
		}
		for _, h := range b {
			if isKept(h) {
				want[1] += weight(h)
			}
		}
		for _, h := range common {
			if isKept(h) {
				want[2] += weight(h)
			}
		}
		if ofA, ofB, both := Common(x, y, weight); [3]int{ofA, ofB, both} != want {
			t.Fatalf("%v, want %v", [3]int{ofA, ofB, both}, want)
		}
		slices.Sort(a)
		slices.Sort(b)
		if n := CommonOfSets(a, b); n != len(common) {
			t.Fatalf("%d in common, want %d", n, len(common))
		}
	}
}

func hashes(rng *rand.Rand, n int) []uint64 {
	list := make([]uint64, n)
	for i := range list {
		list[i] = rng.Uint64()
	}
	return list
}

// sketchOf is the sketch of a set of hashes, by the definition.
func sketchOf(p Params, all []uint64) Sketch {
	level, sample, _ := model(all, p)
	return Sketch{Level: level, Hashes: sample}
}

// The mean of the estimates is the containment, whatever the lengths are.
func TestEstimateHasNoBias(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	p := Params{Scale: 16}
	for _, test := range []struct{ a, b, common int }{
		{40, 35, 20}, {100, 90, 70}, {260, 250, 200}, {300, 5000, 240}, {250, 1000, 100}, {2000, 300, 150},
	} {
		truth := float64(test.common) / float64(test.a)
		sum, squares, n := 0., 0., 0.
		for range 1500 {
			common := hashes(rng, test.common)
			x := sketchOf(p, append(hashes(rng, test.a-test.common), common...))
			y := sketchOf(p, append(hashes(rng, test.b-test.common), common...))
			ofA, _, both := Common(x, y, nil)
			if ofA == 0 {
				continue
			}
			e := float64(both) / float64(ofA)
			sum, squares, n = sum+e, squares+e*e, n+1
		}
		mean := sum / n
		deviation := math.Sqrt((squares/n-mean*mean)/n) + 1e-12
		if math.Abs(mean-truth) > 4*deviation {
			t.Errorf("%+v: the mean is %.4f ± %.4f, and %.4f of one is in the other", test, mean, deviation, truth)
		}
	}
}

func TestEmptyTextsHaveNoSample(t *testing.T) {
	for _, p := range []Params{{Scale: 16}, {Scale: 1}, {Scale: 16, Beside: Set}} {
		if words, ok := sketcher(t, p).Append(nil, []byte(" … ")); ok || len(words) > 0 {
			t.Errorf("%+v: %v", p, words)
		}
	}
	for _, scale := range []int{0, -1, 3, 12, 2048} {
		if _, err := New(shingler(t, 1), Params{Scale: scale}); err == nil {
			t.Errorf("scale %d is taken", scale)
		}
	}
}

// What was kept of a long text is forgotten, and a clone makes the same.
func TestClonesAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	s := sketcher(t, Params{Scale: 4})
	text := textOf(rng, 3000)
	first, _ := s.Append(nil, text)
	if _, ok := s.Append(nil, []byte("a few words")); !ok {
		t.Fatal("short texts have no sample")
	}
	again, _ := s.Clone().Append(nil, text)
	if !slices.Equal(first, again) {
		t.Error("a clone makes another sketch")
	}
	if words, _ := s.Append(nil, []byte("a few words")); len(words) != 4 {
		t.Errorf("%d words of three shingles", len(words))
	}
}

func TestAppendDoesNotAllocate(t *testing.T) {
	text, s := english(), sketcher(t, Params{Scale: 16, Beside: Finer})
	words, _ := s.Append(nil, text)
	if n := testing.AllocsPerRun(100, func() { words, _ = s.Append(words[:0], text) }); n > 0 {
		t.Errorf("%v allocations a text", n)
	}
}

// english is 2 KB of words that are not repeated often.
func english() []byte {
	rng := rand.New(rand.NewPCG(7, 8))
	var b strings.Builder
	for b.Len() < 2000 {
		for range 2 + rng.IntN(8) {
			b.WriteByte(byte('a' + rng.IntN(26)))
		}
		b.WriteByte(' ')
	}
	return []byte(b.String())
}

func BenchmarkAppend(b *testing.B) {
	for _, p := range []Params{{Scale: 16}, {Scale: 16, Beside: Finer}, {Scale: 16, Beside: Set}} {
		b.Run(fmt.Sprintf("beside=%d", p.Beside), func(b *testing.B) {
			text := english()
			s, err := New(shingler(b, 5), p)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			var words []uint64
			for b.Loop() {
				words, _ = s.Append(words[:0], text)
			}
		})
	}
}

// A text with too many shingles for a set has a sample alone, and one whose sample would be as long
// has none.
func TestHugeTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("4 million words")
	}
	text := make([]byte, 0, 40<<20)
	for i := range sketch.MaxSet + 1000 {
		text = fmt.Appendf(text, "%d ", i)
	}
	words, ok := sketcher(t, Params{Scale: 16, Beside: Set}).Append(nil, text)
	if !ok {
		t.Fatal("there is no sample")
	}
	s := Read(words)
	want, _ := sketcher(t, Params{Scale: 16}).Append(nil, text)
	if s.IsSet || s.Level != 4 || !slices.Equal(words, want) {
		t.Errorf("level %d, %d hashes, want %d", s.Level, len(s.Hashes), len(want)-1)
	}
	if words, ok := sketcher(t, Params{Scale: 1}).Append(nil, text); ok {
		t.Errorf("a sample of %d hashes", len(words)-1)
	}
}

func TestBucketsSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	var b buckets
	var room []uint64
	for i := range 5000 {
		all := hashes(rng, rng.IntN(mostSpread+9))
		for j := range all {
			switch i % 4 {
			case 0:
				all[j] >>= rng.IntN(64)
			case 1:
				all[j] >>= 60
			case 2:
				all[j] |= 0xfff << 52
			}
		}
		want := slices.Sorted(slices.Values(all))
		if all, room = b.sort(all, room); !slices.Equal(all, want) {
			t.Fatalf("%d hashes are not in order", len(want))
		}
	}
}
