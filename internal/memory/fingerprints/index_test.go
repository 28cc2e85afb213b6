package fingerprints

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch/tlsh"
)

// A plainIndex is the definition: it compares each record with all before it.
type plainIndex struct {
	params  Params
	items   [][]uint64
	numbers []uint64
	records uint64
}

func (x *plainIndex) observe(fingerprint []uint64) memory.Match {
	var best hit
	x.records++
	for i, item := range x.items {
		d := x.params.distance(item, fingerprint)
		if d <= x.params.Distance && (best.Record == 0 || d < best.Distance) {
			best = hit{Record: x.numbers[i], Distance: d}
		}
	}
	if best.Record == 0 || !x.params.UnseenOnly {
		x.items = append(x.items, slices.Clone(fingerprint))
		x.numbers = append(x.numbers, x.records)
	}
	return matchOf(x.params, best)
}

// matchOf is what an index says of a hit.
func matchOf(p Params, h hit) memory.Match {
	if h == (hit{}) {
		return memory.Match{}
	}
	return memory.Match{Record: h.Record, Similarity: float32(p.Similarity(h.Distance))}
}

func lanesOf(x *Index) *multiIndex { return x.finder.(*multiIndex) }

// flip changes n different bits.
func flip(rng *rand.Rand, fingerprint []uint64, n int) {
	for _, bit := range rng.Perm(64 * len(fingerprint))[:n] {
		fingerprint[bit/64] ^= 1 << (bit % 64)
	}
}

// random is any fingerprint.
func random(rng *rand.Rand, p Params) []uint64 {
	item := make([]uint64, p.Words())
	for w := range item {
		item[w] = rng.Uint64()
	}
	if p.Measure == TLSH { // the first bytes of real ones have few values
		item[0] = tlsh.Digest{
			Checksum: byte(rng.IntN(3)), Length: byte(250 + rng.IntN(12)), Ratios: byte(rng.IntN(5) | rng.IntN(20)<<4),
		}.AppendWords(nil)[0]
	}
	return item
}

// changeDigest makes another digest that is near, or not far from near.
func changeDigest(rng *rand.Rand, item []uint64) {
	d := tlsh.FromWords(item)
	d.Length += byte(rng.IntN(3) * rng.IntN(2) * rng.IntN(2))
	d.Ratios = d.Ratios&15 + byte(rng.IntN(3)*rng.IntN(2))&15 | d.Ratios>>4<<4
	d.Checksum += byte(rng.IntN(2))
	for range rng.IntN(40) {
		d.Code[rng.IntN(len(d.Code))] ^= 1 << rng.IntN(64)
	}
	d.AppendWords(item[:0])
}

// planted makes fingerprints of which many are near earlier ones: at all distances, and also in
// runs of bits, where a lane takes all the difference.
func planted(rng *rand.Rand, p Params, count int) (items [][]uint64) {
	for range count {
		item := random(rng, p)
		if len(items) > 0 && rng.IntN(4) > 0 {
			copy(item, items[rng.IntN(len(items))])
			if p.Measure == TLSH {
				changeDigest(rng, item)
			} else if d := rng.IntN(p.Distance + 3); rng.IntN(3) > 0 {
				flip(rng, item, d)
			} else {
				from := rng.IntN(64 - d%64)
				item[rng.IntN(len(item))] ^= (1<<(d%64) - 1) << from
			}
		}
		items = append(items, item)
	}
	return items
}

// drawParams are any, but for UnseenOnly.
func drawParams(t *rapid.T) Params {
	p := Params{Bits: rapid.SampledFrom([]int{0, 64, 128}).Draw(t, "bits")}
	most := rapid.SampledFrom([]int{4, p.Bits / 4}).Draw(t, "most")
	if p.Bits == 0 {
		p.Measure, most = TLSH, rapid.SampledFrom([]int{0, 10, 50, 100, MaxTLSH}).Draw(t, "most of TLSH")
	}
	p.Distance = rapid.IntRange(0, most).Draw(t, "distance")
	return p
}

func TestAllWithinTheDistanceAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		p.UnseenOnly = rapid.Bool().Draw(t, "unseen only")
		x, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if p.Measure == Hamming {
			lanesOf(x).mostLatest = rapid.IntRange(1, 40).Draw(t, "latest")
		}
		plain := plainIndex{params: p}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		for i, item := range planted(rng, p, rapid.IntRange(1, 200).Draw(t, "records")) {
			if rng.IntN(10) == 0 {
				x.Pass(1)
				plain.records++
			}
			var asked, got [1]memory.Match
			if err := x.Query(item, asked[:]); err != nil {
				t.Fatal(err)
			}
			if n, err := x.Observe(item, got[:]); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			if want := plain.observe(item); got[0] != want || asked[0] != want {
				t.Fatalf("%+v: record %d: %+v, asked %+v, want %+v", p, i+1, got[0], asked[0], want)
			}
		}
		if s := x.Stats(); s.Records != plain.records || s.Bytes == 0 || int(s.Entries) > len(plain.items) {
			t.Fatalf("%+v, want %d records", s, plain.records)
		}
	})
}

// Every one of all near pairs of a larger stream, in which runs are merged many times.
func TestNothingIsMissedInManyRuns(t *testing.T) {
	const count = 20000
	for _, p := range []Params{{Bits: 64, Distance: 3}, {Bits: 128, Distance: 6}} {
		x, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		lanesOf(x).mostLatest = 500
		rng := rand.New(rand.NewPCG(5, 5))
		var items []uint64
		near := map[int]bool{}
		for i := range count {
			item := make([]uint64, p.Words())
			for w := range item {
				item[w] = rng.Uint64()
			}
			if i%3 == 2 {
				copy(item, items[rng.IntN(i)*p.Words():][:p.Words()])
				flip(rng, item, rng.IntN(p.Distance+1))
				near[i] = true
			}
			items = append(items, item...)
		}
		matches := make([]memory.Match, count)
		if n, err := x.Observe(items, matches); n != count || err != nil {
			t.Fatal(n, err)
		}
		for i, m := range matches {
			if near[i] && (m.Record == 0 || m.Record > uint64(i) || m.Similarity < float32(p.Similarity(p.Distance))) {
				t.Fatalf("%+v: record %d is near an earlier one: %+v", p, i+1, m)
			}
		}
		if len(lanesOf(x).runs) < 2 || len(lanesOf(x).runs) > 5 {
			t.Errorf("%d runs", len(lanesOf(x).runs))
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// However often a fingerprint comes, it takes no more memory.
func TestEqualOnesAreRememberedOnce(t *testing.T) {
	x, err := New(Params{Bits: 64, Distance: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	lanesOf(x).mostLatest = 10
	items, matches := make([]uint64, 100000), make([]memory.Match, 100000)
	for i := range items {
		items[i] = uint64(i%5) * 0x123456789abcdef
	}
	if n, err := x.Observe(items, matches); n != len(items) || err != nil {
		t.Fatal(n, err)
	}
	for i, m := range matches {
		if i >= 5 && m != (memory.Match{Record: uint64(i%5 + 1), Similarity: 1}) {
			t.Fatalf("record %d: %+v", i+1, m)
		}
	}
	if s := x.Stats(); s.Entries != 5 || s.Copies != uint64(len(items)-5) || s.Duplicates < s.Copies {
		t.Errorf("%+v", s)
	}
}

func TestBytesOfADigest(t *testing.T) {
	for _, count := range []int{1, 1000, 200_000} {
		p := Params{Measure: TLSH, Distance: 0}
		x, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 1))
		for range count {
			if _, err := x.Observe(random(rng, p), make([]memory.Match, 1)); err != nil {
				t.Fatal(err)
			}
		}
		if s := x.Stats(); s.Bytes < uint64(37*count) || s.Bytes > p.PeakBytes(s.Entries) {
			t.Errorf("%d bytes for %d digests, %d were planned", s.Bytes, s.Entries, p.PeakBytes(s.Entries))
		}
		x.Close()
	}
}

func TestBytesOfAFingerprint(t *testing.T) {
	x, err := New(Params{Bits: 64, Distance: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	const count = 6 * mostLatest
	rng, matches := rand.New(rand.NewPCG(1, 1)), make([]memory.Match, 1)
	for range count {
		if _, err := x.Observe([]uint64{rng.Uint64()}, matches); err != nil {
			t.Fatal(err)
		}
	}
	if s := x.Stats(); s.Bytes > x.params.PeakBytes(s.Entries) || 2*s.Bytes < x.params.PeakBytes(s.Entries) {
		t.Errorf("%d bytes, %d were planned", s.Bytes, x.params.PeakBytes(s.Entries))
	}
	tables := uint64(0)
	for _, r := range lanesOf(x).runs {
		tables += uint64(36 * r.count)
	}
	if s := x.Stats(); s.Bytes < tables || s.Bytes > tables+uint64(2+len(lanesOf(x).runs))*4*4*buckets+28*mostLatest*2 {
		t.Errorf("%d bytes for %d fingerprints in %d runs", s.Bytes, s.Entries, len(lanesOf(x).runs))
	}
}

func TestWhatHasNoMeaningIsRefused(t *testing.T) {
	for _, p := range []Params{{}, {Bits: 63}, {Bits: 64, Distance: -1}, {Bits: 64, Distance: 17},
		{Bits: 128, Distance: 33}, {Measure: TLSH, Distance: 301}, {Measure: TLSH, Distance: -1},
		{Measure: TLSH, Bits: 64}, {Measure: 2, Bits: 64}} {
		if _, err := New(p); err == nil {
			t.Errorf("%+v is taken", p)
		}
	}
	x, err := New(Params{Bits: 128, Distance: 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Observe([]uint64{1}, make([]memory.Match, 1)); err == nil {
		t.Error("half a fingerprint is taken")
	}
	if err := x.Query([]uint64{1}, make([]memory.Match, 1)); err == nil {
		t.Error("half a fingerprint is asked about")
	}
	x.Pass(math.MaxUint32)
	if n, err := x.Observe([]uint64{1, 2}, make([]memory.Match, 1)); n != 0 || !errors.Is(err, memory.ErrFull) {
		t.Error(n, err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if err := x.Query([]uint64{1, 2}, make([]memory.Match, 1)); err == nil {
		t.Error("a closed index answers")
	}
}

func TestFlips(t *testing.T) {
	for radius, want := range []int{1, 17, 137, 697, 2517} {
		flips := flipsOf(radius)
		slices.Sort(flips)
		if n := len(slices.Compact(flips)); n != want {
			t.Errorf("radius %d: %d values, want %d", radius, n, want)
		}
	}
	if len(flipsOf(-1)) != 0 {
		t.Error("there is something nearer than equal")
	}
}

// BenchmarkObserve has an index of a million random fingerprints, or 100,000 digests, observe more.
func BenchmarkObserve(b *testing.B) {
	for _, c := range []struct {
		name string
		p    Params
	}{
		{"64/3", Params{Bits: 64, Distance: 3}}, {"64/7", Params{Bits: 64, Distance: 7}},
		{"128/3", Params{Bits: 128, Distance: 3}}, {"128/10", Params{Bits: 128, Distance: 10}},
		{"tlsh/50", Params{Measure: TLSH, Distance: 50}},
	} {
		rng := rand.New(rand.NewPCG(1, 1))
		var item []uint64
		match := make([]memory.Match, 1)
		next := func() { item = random(rng, c.p) }
		x, err := New(c.p)
		if err != nil {
			b.Fatal(err)
		}
		count := 1_000_000
		if c.p.Measure == TLSH {
			count = 100_000 // with headers of 1,200 classes
		}
		for range count {
			next()
			x.Pass(1)
			x.own = item
			if err := (kind{x}).Remember(x.Records(), nil); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				next()
				if _, err := x.Observe(item, match); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(x.Stats().Bytes)/float64(x.Stats().Entries), "B/entry")
		})
		x.Close()
	}
}

// A memory of more than a million records merges runs of more than a huge page of numbers.
func TestMillionRecords(t *testing.T) {
	const distinct, copies = 1_200_000, 10_000
	x, err := New(Params{Bits: 128})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	sketch, match := make([]uint64, 2), make([]memory.Match, 1)
	for i := range uint64(distinct + copies) {
		n := i%distinct + 1
		sketch[0], sketch[1] = n*0x9e3779b97f4a7c15, n*0xbf58476d1ce4e5b9
		match[0] = memory.Match{}
		if _, err := x.Observe(sketch, match); err != nil {
			t.Fatalf("record %d: %v", i+1, err)
		}
		if i < distinct && match[0].Record != 0 || i >= distinct && match[0].Record != n {
			t.Fatalf("record %d: %+v", i+1, match[0])
		}
	}
}
