package signatures

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/postings"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// sketchOf is the sketch of a signature.
func sketchOf(p Params, slots []uint64) (words []uint64) {
	for band := range p.Bands {
		var row []byte
		for _, slot := range slots[band*p.Rows : (band+1)*p.Rows] {
			row = binary.LittleEndian.AppendUint64(row, slot)
		}
		key := xxh3.Hash128Seed(row, uint64(band))
		words = append(words, key.Hi, key.Lo)
	}
	return sketch.AppendPacked(words, slots, p.slotBits())
}

// A model is the slow and plain index.
type model struct {
	p        Params
	sketches [][]uint64
	numbers  []uint64
	records  uint64
}

// compare counts what two sketches have in common.
func (m *model) compare(a, b []uint64) (votes, agree int) {
	for band := range m.p.Bands {
		if a[2*band] == b[2*band] && a[2*band+1] == b[2*band+1] {
			votes++
		}
	}
	a, b = a[2*m.p.Bands:], b[2*m.p.Bands:]
	bits := m.p.slotBits()
	for i := range m.p.NumPerm {
		if (a[i*bits/64]^b[i*bits/64])>>(i*bits%64)&(1<<bits-1) == 0 {
			agree++
		}
	}
	return votes, agree
}

func (m *model) similarity(agree int) float64 {
	byChance := math.Exp2(-float64(m.p.slotBits()))
	return max(0, (float64(agree)/float64(m.p.NumPerm)-byChance)/(1-byChance))
}

// copyOf is the first record with the signature and the first key of a sketch.
func (m *model) copyOf(words []uint64) (copied memory.Match, is bool) {
	i := slices.IndexFunc(m.sketches, func(s []uint64) bool {
		return slices.Equal(s[:2], words[:2]) && slices.Equal(s[2*m.p.Bands:], words[2*m.p.Bands:])
	})
	if i < 0 {
		return copied, false
	}
	return memory.Match{Record: m.numbers[i], Similarity: 1, Votes: uint16(m.p.Bands)}, true
}

// alike are all records that make one a duplicate.
func (m *model) alike(words []uint64) []memory.Match {
	all := m.near(words, m.p.Votes, m.p.Threshold)
	copied, is := m.copyOf(words)
	if is && !slices.ContainsFunc(all, func(m memory.Match) bool { return m.Record == copied.Record }) {
		all = append(all, copied)
	}
	sortNear(all)
	return all
}

func (m *model) near(words []uint64, votes int, threshold float64) (all []memory.Match) {
	for i, s := range m.sketches {
		v, agree := m.compare(s, words)
		if similarity := m.similarity(agree); v >= votes && similarity >= threshold {
			all = append(all, memory.Match{Record: m.numbers[i], Similarity: float32(similarity), Votes: uint16(v)})
		}
	}
	slices.SortStableFunc(all, func(a, b memory.Match) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return all
}

func (m *model) observe(words []uint64) memory.Match {
	m.records++
	best, known := m.copyOf(words)
	if all := m.near(words, m.p.Votes, m.p.Threshold); !known && len(all) > 0 {
		best = all[0]
	}
	if !known && !(m.p.UnseenOnly && best.Record != 0) {
		m.sketches, m.numbers = append(m.sketches, words), append(m.numbers, m.records)
	}
	return best
}

func newIndex(t interface{ Fatal(...any) }, p Params) *Index {
	x, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestIndexAnswersLikeComparingWithAll lets signatures be made of few values, so that all kinds of
// likeness occur.
func TestIndexAnswersLikeComparingWithAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Params{
			Bands: rapid.IntRange(1, 5).Draw(t, "bands"), Rows: rapid.IntRange(1, 4).Draw(t, "rows"),
			Threshold:  rapid.SampledFrom([]float64{0, .3, .5, .8, 1}).Draw(t, "threshold"),
			UnseenOnly: rapid.Bool().Draw(t, "unseen only"),
			SlotBits:   rapid.SampledFrom([]int{0, 1, 2, 4, 8}).Draw(t, "bits of a slot"),
		}
		p.NumPerm = p.Bands*p.Rows + rapid.IntRange(0, 9).Draw(t, "unused slots")
		p.Votes = rapid.IntRange(1, p.Bands).Draw(t, "votes")
		x, m := newIndex(t, p), &model{p: p}
		defer x.Close()
		values := rapid.IntRange(1, 4).Draw(t, "values")
		signature := rapid.SliceOfN(rapid.Uint64Range(0, uint64(values)), p.NumPerm, p.NumPerm)
		for range rapid.IntRange(1, 8).Draw(t, "batches") {
			batch := rapid.SliceOfN(signature, 0, 12).Draw(t, "batch")
			var words []uint64
			for _, slots := range batch {
				words = append(words, sketchOf(p, slots)...)
			}
			matches := make([]memory.Match, len(batch))
			if n, err := x.Observe(words, matches); n != len(batch) || err != nil {
				t.Fatal(n, err)
			}
			for i, slots := range batch {
				if want := m.observe(sketchOf(p, slots)); matches[i] != want {
					t.Fatalf("record %d: got %+v, want %+v", m.records, matches[i], want)
				}
			}
			x.Pass(2)
			m.records += 2
			query := sketchOf(p, signature.Draw(t, "query"))
			k := rapid.IntRange(0, 9).Draw(t, "k")
			want := m.near(query, 1, 0)
			want = want[:min(k, len(want))]
			if got, err := x.Near(nil, query, k); !slices.Equal(got, want) || err != nil {
				t.Fatalf("near: got %+v, %v, want %+v", got, err, want)
			}
			want = m.alike(query)
			if got, err := x.AppendDuplicates(nil, query); !slices.Equal(got, want) || err != nil {
				t.Fatalf("alike: got %+v, %v, want %+v", got, err, want)
			}
		}
		if s := x.Stats(); s.Records != m.records || s.Entries != uint64(len(m.sketches)) {
			t.Fatalf("%+v, the model has %d records and %d entries", s, m.records, len(m.sketches))
		}
	})
}

// random returns a signature of no other record.
func random(rng *rand.Rand, p Params) []uint64 {
	slots := make([]uint64, p.NumPerm)
	for i := range slots {
		slots[i] = rng.Uint64()
	}
	return slots
}

var ordinary = Params{NumPerm: 256, Bands: 14, Rows: 9, Votes: 1, Threshold: .85}

func observe(t *testing.T, x *Index, slots []uint64) memory.Match {
	t.Helper()
	match := make([]memory.Match, 1)
	if _, err := x.Observe(sketchOf(x.params, slots), match); err != nil {
		t.Fatal(err)
	}
	return match[0]
}

// TestIndexOfManyRecords grows the tables often, and finds each record by a near copy of it.
func TestIndexOfManyRecords(t *testing.T) {
	records := 20_000
	if testing.Short() {
		records = 5_000
	}
	x := newIndex(t, ordinary)
	rng := rand.New(rand.NewPCG(1, 1))
	slots := make([][]uint64, records)
	for i := range slots {
		slots[i] = random(rng, ordinary)
		if m := observe(t, x, slots[i]); m != (memory.Match{}) {
			t.Fatalf("record %d is said to resemble %+v", i+1, m)
		}
	}
	for i := 0; i < records; i += 7 {
		near := slices.Clone(slots[i])
		for range 12 {
			near[rng.IntN(len(near))] = rng.Uint64()
		}
		m := observe(t, x, near)
		if m.Record != uint64(i+1) || m.Similarity < .93 || m.Similarity >= 1 || m.Votes < 2 {
			t.Fatalf("a near copy of record %d resembles %+v", i+1, m)
		}
	}
}

// TestCopiesAreOneEntry: what is seen again and again takes neither memory nor time.
func TestCopiesAreOneEntry(t *testing.T) {
	x := newIndex(t, ordinary)
	slots := random(rand.New(rand.NewPCG(1, 2)), ordinary)
	words := slices.Repeat(sketchOf(ordinary, slots), 1000)
	matches := make([]memory.Match, 1000)
	for range 300 {
		if _, err := x.Observe(words, matches); err != nil {
			t.Fatal(err)
		}
		if matches[999] != (memory.Match{Record: 1, Similarity: 1, Votes: 14}) {
			t.Fatal(matches[999])
		}
	}
	if s := x.Stats(); s.Entries != 1 || s.Copies != 299_999 || s.Forgotten != 0 || s.Bytes > 5<<20 {
		t.Errorf("%+v", s)
	}
}

// TestHotKeyKeepsTheFirstAndTheLast: of very many entries of one key, the earliest and the latest
// are still found.
func TestHotKeyKeepsTheFirstAndTheLast(t *testing.T) {
	p := Params{NumPerm: 32, Bands: 1, Rows: 4, Votes: 1}
	x := newIndex(t, p)
	rng := rand.New(rand.NewPCG(1, 3))
	const records, between = 5000, 2500
	var forgotten []uint64 // the signature of a record that the key does not lead to
	for i := range records {
		slots := random(rng, p)
		copy(slots, []uint64{1, 2, 3, 4})
		observe(t, x, slots)
		if i+1 == between {
			forgotten = slots
		}
	}
	alike, err := x.AppendDuplicates(nil, sketchOf(p, forgotten))
	if copied := (memory.Match{Record: between, Similarity: 1, Votes: 1}); err != nil || alike[0] != copied ||
		len(alike) != 1+mostPostings {
		t.Errorf("%d are alike, from %+v on, %v; want the copy", len(alike), alike[0], err)
	}
	slots := random(rng, p)
	copy(slots, []uint64{1, 2, 3, 4})
	near, err := x.Near(nil, sketchOf(p, slots), records)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []uint64
	for _, m := range near {
		got = append(got, m.Record)
	}
	slices.Sort(got)
	for i := range uint64(mostPostings / 2) {
		want = append(want, i+1, records-i)
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("found %d, want %d", got, want)
	}
	if s := x.Stats(); s.Forgotten != records-mostPostings {
		t.Errorf("%d forgotten", s.Forgotten)
	}
}

func TestPlanHolds(t *testing.T) {
	plan, err := PlanIndex(ordinary, 30_000)
	if err != nil {
		t.Fatal(err)
	}
	if plan.BytesPerRecord > 150 {
		t.Errorf("%.1f bytes a record", plan.BytesPerRecord)
	}
	x := newIndex(t, ordinary)
	rng := rand.New(rand.NewPCG(1, 4))
	for range 30_000 {
		observe(t, x, random(rng, ordinary))
	}
	// A plan does not include the ends of tables, nor a chunk that is not full.
	ends := uint64((ordinary.Bands+1)*3*postings.Slack*wordBytes + x.entries.chunkWords()*wordBytes)
	if got := x.Stats().Bytes; got > plan.Memory+ends {
		t.Errorf("%d bytes, planned %d", got, plan.Memory)
	}
}

func TestThresholdIsOfTheEstimate(t *testing.T) {
	for _, numPerm := range []int{1, 7, 64, 128, 200} {
		for threshold := .01; threshold <= 1; threshold += .01 {
			p := Params{NumPerm: numPerm, Bands: 1, Rows: 1, Votes: 1, Threshold: threshold}
			n := p.agreeing()
			if p.similarity(n) < threshold && n < numPerm || n > 0 && p.similarity(n-1) >= threshold {
				t.Errorf("%d slots must agree for %g of %d", n, threshold, numPerm)
			}
		}
	}
}

func TestParamsThatMakeNoSense(t *testing.T) {
	for _, change := range []func(*Params){
		func(p *Params) { p.NumPerm = 125 },
		func(p *Params) { p.NumPerm, p.Bands = 1<<17, 1 },
		func(p *Params) { p.Bands = 0 },
		func(p *Params) { p.Rows = -1 },
		func(p *Params) { p.SlotBits = 3 },
		func(p *Params) { p.Votes = 0 },
		func(p *Params) { p.Votes = 15 },
		func(p *Params) { p.Threshold = 1.1 },
		func(p *Params) { p.Threshold = math.NaN() },
	} {
		p := ordinary
		change(&p)
		if _, err := New(p); err == nil {
			t.Errorf("%+v is accepted", p)
		}
	}
}

func TestSketchesOfAnotherSize(t *testing.T) {
	x := newIndex(t, ordinary)
	if _, err := x.Observe(make([]uint64, 35), make([]memory.Match, 1)); err == nil {
		t.Error("a short sketch is observed")
	}
	if _, err := x.Near(nil, make([]uint64, 37), 1); err == nil {
		t.Error("a long sketch is looked for")
	}
}

// TestFullIndexObservesNothing: where it stops depends on the signatures alone, not on how records
// come.
func TestFullIndexObservesNothing(t *testing.T) {
	p := ordinary
	p.Capacity = p.CapacityOf(100_000)
	if p.Capacity < 600 || p.Capacity > 700 {
		t.Fatalf("100 kB have room for %d signatures", p.Capacity)
	}
	rng := rand.New(rand.NewPCG(1, 8))
	var words []uint64
	var signatures [][]uint64
	for range p.Capacity {
		sketch := sketchOf(p, random(rng, p))
		words = append(append(words, sketch...), sketch...) // each comes twice
		signatures = append(signatures, sketch[2*p.Bands:])
	}
	size, fits := p.SketchWords(), int(2*p.Capacity-1)
	for _, batch := range []int{1, 7, 1000} {
		x := newIndex(t, p)
		observed := 0
		for err := error(nil); err == nil; {
			n := 0
			next := words[observed*size : min(observed+batch, int(2*p.Capacity))*size]
			n, err = x.Observe(next, make([]memory.Match, len(next)/size))
			observed += n
			if err != nil && !errors.Is(err, memory.ErrFull) {
				t.Fatal(err)
			}
		}
		if s := x.Stats(); observed != fits || s.Records != uint64(fits) || s.Entries != p.Capacity {
			t.Errorf("in batches of %d it has observed %d records, not %d: %+v", batch, observed, fits, s)
		}
		if got := slices.Collect(x.Signatures()); !slices.EqualFunc(got, signatures, slices.Equal) {
			t.Errorf("%d signatures are remembered, and not those of the records", len(got))
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}
