package signatures

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// However records are divided, and however few earlier ones each is compared with, groups that go
// on are the ones of all records at once; in files as well, and with sets.
func TestGroupsGoOn(t *testing.T) {
	compared := uint64(0) // by groups that go on
	rapid.Check(t, func(t *rapid.T) {
		p := Params{
			Bands: rapid.IntRange(1, 5).Draw(t, "bands"), Rows: rapid.IntRange(1, 4).Draw(t, "rows"),
			Threshold: rapid.SampledFrom([]float64{0, .3, .5, .8, 1}).Draw(t, "threshold"),
			Sets:      rapid.Bool().Draw(t, "sets"),
		}
		p.NumPerm = p.Bands*p.Rows + rapid.IntRange(0, 9).Draw(t, "unused slots")
		p.Votes = rapid.IntRange(1, p.Bands).Draw(t, "votes")
		most, inFiles := rapid.SampledFrom([]int{2, mostCompared}).Draw(t, "most"), rapid.Bool().Draw(t, "in files")
		room := rapid.Uint64Range(1, 1000).Draw(t, "least room")
		begin := func() *Groups {
			g, err := NewGroups(p)
			if err != nil {
				t.Fatal(err)
			}
			if g.read = newRecent(most); inFiles {
				g.params.MaxMemory, g.leastRoom, g.leastKept = 1000, room, 1<<20
			}
			return g
		}
		var sketches [][]uint64
		for range rapid.IntRange(0, 40).Draw(t, "records") {
			sketches = append(sketches, drawSketch(t, p))
		}
		var days []int // where each ends
		for range rapid.IntRange(0, 3).Draw(t, "days") {
			days = append(days, rapid.IntRange(0, len(sketches)).Draw(t, "end"))
		}
		days = append(days, len(sketches))
		slices.Sort(days)

		var joins []memory.Join
		var last *Groups
		for i, end := range days {
			settled := 0
			if i > 0 {
				settled = days[i-1]
			}
			g := begin()
			defer g.Close()
			addPacked(t, g, sketches[settled:end])
			if err := errors.Join(g.Follow(packedOf(g, sketches[:settled]).asked(), nil), g.Settle(joins)); err != nil {
				t.Fatal(err)
			}
			if err := g.Find(context.Background()); err != nil {
				t.Fatal(err)
			}
			joins = append(joins, g.Joins()...)
			last = g
		}
		one := begin()
		defer one.Close()
		addPacked(t, one, sketches)
		if err := one.Find(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got, want := allOf(last), allOf(one); !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("%v after days that end at %d, want %v", got, days, want)
		}
		if got, want := last.Stats().Copies, one.Stats().Copies; got != want {
			t.Fatalf("%d copies, want %d", got, want)
		}
		compared += uint64(len(joins))
	})
	if compared == 0 {
		t.Error("nothing was ever joined")
	}
}

// packed are earlier records.
type packed [][]uint64

func packedOf(g *Groups, sketches [][]uint64) (p packed) {
	for _, words := range sketches {
		if words != nil {
			words = g.Pack(nil, words)
		}
		p = append(p, words)
	}
	return p
}

func (p packed) asked() memory.Packed {
	return memory.Packed{Each: p.Each, Records: p.Records, At: p.At}
}

func (p packed) Each(do func([]uint64) error) error {
	for _, words := range p {
		if err := do(slices.Clone(words)); err != nil {
			return err
		}
	}
	return nil
}

func (p packed) Records() int { return len(p) }

func (p packed) At(dst []uint64, entry uint32) ([]uint64, error) {
	for _, words := range p {
		if words == nil {
			continue
		}
		if entry == 0 {
			return append(dst, words...), nil
		}
		entry--
	}
	return nil, memory.ErrCorrupt
}

// drawSketch draws one of a few sketches, or none.
func drawSketch(t *rapid.T, p Params) []uint64 {
	if rapid.IntRange(0, 9).Draw(t, "has a sketch") == 0 {
		return nil
	}
	values := rapid.SliceOfN(rapid.Uint64Range(0, 2), p.NumPerm, p.NumPerm).Draw(t, "signature")
	words := sketchOf(p, values)
	if p.Sets {
		words = withSet(p, words, rapid.SliceOfNDistinct(rapid.Uint64Range(1, 9), 1, 6, rapid.ID).Draw(t, "set"))
	}
	return words
}

func addPacked(t *rapid.T, g *Groups, sketches [][]uint64) {
	for _, words := range sketches {
		if words == nil {
			g.Pass()
		} else if err := g.AddPacked(g.Pack(nil, words)); err != nil {
			t.Fatal(err)
		}
	}
}

func allOf(g *Groups) (all [][]uint64) {
	for group := range g.All() {
		all = append(all, slices.Clone(group))
	}
	return all
}

// What cannot have been packed, or joined, is refused.
func TestGroupsGoOnWithWhatCanBe(t *testing.T) {
	for _, sets := range []bool{false, true} {
		p := Params{NumPerm: 8, Bands: 3, Rows: 2, Votes: 1, Sets: sets}
		g, err := NewGroups(p)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		words := sketchOf(p, make([]uint64, p.NumPerm))
		if sets {
			words = append(words, 2)
			words = p.SetForm().Append(words, []uint64{5, 6})
		}
		whole := g.Pack(nil, words)
		for n := range len(whole) {
			if err := g.AddPacked(whole[:n]); n > 0 && !errors.Is(err, memory.ErrSize) {
				t.Errorf("%d words of %d: %v", n, len(whole), err)
			}
			if err := g.Follow(packed{whole[:n]}.asked(), nil); n > 0 && !errors.Is(err, memory.ErrCorrupt) {
				t.Errorf("%d words of %d earlier: %v", n, len(whole), err)
			}
		}
		if err := g.Follow(packed{whole, whole}.asked(), nil); err != nil {
			t.Fatal(err)
		}
		for _, j := range []memory.Join{{Later: 1, Earlier: 1}, {Later: 2, Earlier: 0}, {Later: 0, Earlier: 1}} {
			if err := g.Settle([]memory.Join{j}); !errors.Is(err, memory.ErrCorrupt) {
				t.Errorf("%+v: %v", j, err)
			}
		}
	}
}
