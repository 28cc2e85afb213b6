package bloomlsh

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

// model is an index that uses exact sets of keys instead of filters.
type model struct {
	params      Params
	generations []*modelGeneration
}

type modelGeneration struct {
	bands              []map[Key]bool
	inserted, capacity uint64
}

func newModel(p Params) *model {
	m := &model{params: p}
	m.open(planGeneration(p, 0).capacity)
	return m
}

func (m *model) open(capacity uint64) {
	g := &modelGeneration{bands: make([]map[Key]bool, m.params.Bands), capacity: capacity}
	for i := range g.bands {
		g.bands[i] = map[Key]bool{}
	}
	m.generations = append(m.generations, g)
}

// find returns how many keys are present in any generation, and whether all of them are in one that
// is not forgotten next.
func (m *model) find(keys []Key) (votes int, all bool) {
	found := make([]bool, len(keys))
	for _, g := range m.generations {
		present := 0
		for band, key := range keys {
			if g.bands[band][key] {
				present++
				found[band] = true
			}
		}
		if !m.params.forgets() || g == m.generations[len(m.generations)-1] {
			all = all || present == len(keys)
		}
	}
	for _, is := range found {
		if is {
			votes++
		}
	}
	return votes, all
}

func (m *model) votes(keys []Key) int {
	votes, _ := m.find(keys)
	return votes
}

func (m *model) observe(keys []Key) (votes int, full bool) {
	votes, all := m.find(keys)
	if all || votes >= max(1, m.params.Votes) && m.params.Remember == RememberUnseen {
		return votes, false // copies take no space
	}
	g := m.generations[len(m.generations)-1]
	if g.inserted == g.capacity {
		if m.params.OnFull == OnFullRefuse {
			return 0, true
		}
		if m.params.Generations > 0 {
			m.open(g.capacity)
		} else if m.params.forgets() {
			m.open(g.capacity)
			m.generations = m.generations[max(0, len(m.generations)-m.params.KeepGenerations):]
		} else {
			m.open(3 * g.capacity)
		}
		g = m.generations[len(m.generations)-1]
	}
	for band, key := range keys {
		g.bands[band][key] = true
	}
	g.inserted++
	return votes, false
}

func (m *model) inserted() (n uint64) {
	for _, g := range m.generations {
		n += g.inserted
	}
	return n
}

// drawParams draws parameters of small indexes whose false positives are too rare to occur. Some
// grow, others leave the small filters of their first records.
func drawParams(t *rapid.T) Params {
	p := Params{
		Bands: rapid.IntRange(1, 6).Draw(t, "bands"),
		Votes: 1,
		Capacity: rapid.OneOf(rapid.Uint64Range(1, 40), rapid.Uint64Range(firstShare, 40*firstShare)).Draw(t,
			"capacity"),
		FPRate:   rapid.SampledFrom([]float64{1e-9, 1e-12}).Draw(t, "rate"),
		Filter:   rapid.SampledFrom([]string{FilterPaged, FilterClassic}).Draw(t, "filter"),
		Remember: rapid.SampledFrom([]string{RememberAll, RememberUnseen}).Draw(t, "remember"),
		OnFull:   rapid.SampledFrom([]string{OnFullGrow, OnFullRefuse}).Draw(t, "onFull"),
	}
	if p.OnFull == OnFullGrow && rapid.Bool().Draw(t, "forgets") {
		p.KeepGenerations = rapid.IntRange(2, 4).Draw(t, "keep")
	} else if p.OnFull == OnFullGrow && rapid.Bool().Draw(t, "divided") {
		p.Generations = rapid.IntRange(2, 4).Draw(t, "generations")
	}
	return p
}

// drawTagged is like drawParams, but some of the indexes are tagged.
func drawTagged(t *rapid.T) Params {
	p := drawParams(t)
	if p.Bands > 1 && rapid.Bool().Draw(t, "tagged") {
		p.Filter, p.Votes = FilterTagged, rapid.IntRange(2, p.Bands).Draw(t, "votes")
	}
	return p
}

// drawRecord draws the keys of a record from so few values that records often share some. They
// differ in ways that a careless hash would miss: in one half only, in low or high bits only, or by
// swapped halves.
func drawRecord(t *rapid.T, bands int) []Key {
	values := rapid.Uint64Range(0, 40)
	keys := make([]Key, bands)
	for i := range keys {
		v := values.Draw(t, "value")
		switch rapid.IntRange(0, 3).Draw(t, "shape") {
		case 0:
			keys[i] = Key{Lo: v}
		case 1:
			keys[i] = Key{Hi: v}
		case 2:
			keys[i] = Key{Hi: v << 58, Lo: v << 58}
		case 3:
			keys[i] = Key{Hi: 1, Lo: v << 32}
		}
	}
	return keys
}

func TestVerdictsEqualModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		if rapid.Bool().Draw(t, "two votes") && p.Bands > 1 {
			p.Votes, p.FPRate = 2, lsh.MinFPRate // so that errors of single bands are rare, too
		}
		x, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		m := newModel(p)
		for range rapid.IntRange(0, 150).Draw(t, "records") {
			keys := drawRecord(t, p.Bands)
			var asked, observed [1]uint16
			if err := x.Query(keys, asked[:]); err != nil || int(asked[0]) != m.votes(keys) {
				t.Fatalf("query of %v: %d, want %d, %v", keys, asked[0], m.votes(keys), err)
			}
			present := make([]bool, p.Bands)
			if err := x.keys.queryBands(keys, present); err != nil || count(present) != m.votes(keys) {
				t.Fatalf("query of the bands of %v: %v, want %d, %v", keys, present, m.votes(keys), err)
			}
			want, full := m.observe(keys)
			_, err := x.Observe(keys, observed[:])
			got := int(observed[0])
			if full != errors.Is(err, ErrFull) || err != nil && !full {
				t.Fatalf("observe %v: %v, want full: %v", keys, err, full)
			}
			if got != want {
				t.Fatalf("observe %v: %v, want %v", keys, got, want)
			}
		}
		s := x.Stats()
		if s.Inserted != m.inserted() || len(s.Generations) != len(m.generations) {
			t.Fatalf("%d records inserted in %d generations, want %d in %d", s.Inserted, len(s.Generations),
				m.inserted(), len(m.generations))
		}
		if s.FPRate > p.FPRate*1.001 {
			t.Fatalf("false-positive rate %g, promised %g", s.FPRate, p.FPRate)
		}
	})
}

func count(present []bool) (n int) {
	for _, is := range present {
		if is {
			n++
		}
	}
	return n
}

// TestAskedBesideOthersIsAUnion checks that a band found by several indexes counts once, as in
// their union.
func TestAskedBesideOthersIsAUnion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Params{Bands: rapid.IntRange(1, 70).Draw(t, "bands"), Capacity: 1000, Filter: FilterPaged}
		p.Votes = rapid.IntRange(1, p.Bands).Draw(t, "votes")
		own, other, union := mustIndex(t, p), mustIndex(t, p), mustIndex(t, p)
		for range rapid.IntRange(1, 20).Draw(t, "records") {
			keys := drawRecord(t, p.Bands)
			var votes, want [1]uint16
			if rapid.Bool().Draw(t, "into the other") {
				if _, err := other.Observe(keys, votes[:]); err != nil {
					t.Fatal(err)
				}
			} else {
				var beside Answers
				beside.Reset(p.Bands)
				err := other.Lookup(keys, &beside)
				if _, failed := own.ObserveBeside(&beside, keys, votes[:]); err != nil || failed != nil {
					t.Fatal(err, failed)
				}
				if err := union.Query(keys, want[:]); err != nil || votes != want {
					t.Fatalf("%d votes, want %d, %v", votes[0], want[0], err)
				}
			}
			if _, err := union.Observe(keys, want[:]); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestGrowthWithoutMemory checks that, if there is no memory for the next generation, the record
// fails and the index is unchanged, and that the index works again once there is.
func TestGrowthWithoutMemory(t *testing.T) {
	p := Params{Bands: 3, Capacity: 100, FPRate: 1e-6, Filter: FilterPaged, Remember: RememberAll, OnFull: OnFullGrow}
	available := uint64(1 << 30)
	x, err := newIndex(p, func() (uint64, bool) { return available, true })
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	stream, keys := &keyStream{7}, make([]Key, p.Bands)
	for range 100 {
		stream.fill(keys)
		observeRecord(x, keys)
	}
	available = 1000
	stream.fill(keys)
	if _, err := observeRecord(x, keys); !errors.Is(err, ErrMemory) {
		t.Fatalf("error %v, want %v", err, ErrMemory)
	}
	if s := x.Stats(); hasRecord(x, keys) || s.Observed != 100 || s.Inserted != 100 || len(s.Generations) != 1 {
		t.Fatalf("a refused record left a trace: %+v", s)
	}
	available = 1 << 30
	if duplicate, err := observeRecord(x, keys); duplicate || err != nil || !hasRecord(x, keys) {
		t.Fatalf("observe: %v, %v", duplicate, err)
	}
}

func TestObserveRefusesWrongNumberOfKeys(t *testing.T) {
	x := mustNew(t, Params{Bands: 3, Capacity: 10, FPRate: 1e-6, Filter: FilterPaged, Remember: RememberAll,
		OnFull: OnFullGrow})
	for _, n := range []int{0, 2, 4} {
		if _, err := observeRecord(x, make([]Key, n)); err == nil {
			t.Errorf("%d keys are accepted", n)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	good := Params{Bands: 3, Capacity: 10, FPRate: 1e-6, Filter: FilterPaged, Remember: RememberAll, OnFull: OnFullGrow}
	for name, spoil := range map[string]func(*Params){
		"bands":    func(p *Params) { p.Bands = 0 },
		"capacity": func(p *Params) { p.Capacity = lsh.MaxCapacity + 1 },
		"votes":    func(p *Params) { p.Votes = 4 },
		"fp-rate":  func(p *Params) { p.FPRate = 1e-30 },
		"filter":   func(p *Params) { p.Filter = "cuckoo" },
		"remember": func(p *Params) { p.Remember = "some" },
		"on-full":  func(p *Params) { p.OnFull = "wait" },
		"keep":     func(p *Params) { p.KeepGenerations = 1 },
	} {
		p := good
		spoil(&p)
		if _, err := New(p); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestObserveDoesNotAllocate(t *testing.T) {
	for _, filter := range []string{FilterPaged, FilterClassic} {
		for _, remember := range []string{RememberAll, RememberUnseen} {
			x := mustNew(t, Params{Bands: 14, Capacity: 10_000, FPRate: 1e-6, Filter: filter, Remember: remember,
				OnFull: OnFullGrow})
			stream, keys := &keyStream{3}, make([]Key, 14)
			votes := make([]uint16, 1)
			allocs := testing.AllocsPerRun(2000, func() {
				stream.fill(keys)
				_, err := x.Observe(keys, votes)
				if err = errors.Join(err, x.Query(keys, votes)); err != nil {
					t.Fatal(err)
				}
			})
			if allocs != 0 {
				t.Errorf("%s, %s: %g allocations a record", filter, remember, allocs)
			}
		}
	}
}

func mustNew(t *testing.T, p Params) *Index {
	t.Helper()
	x, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}
