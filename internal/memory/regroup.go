package memory

// Regrouping is Groups that go on where others have ended, of which was kept what Pack says of each
// record, and what Joins said. Its groups are the ones that would have been found of all records at
// once.
type Regrouping interface {
	Groups
	// Pack appends what has to be kept of a sketch.
	Pack(dst, sketch []uint64) []uint64
	// AddPacked is Add by what Pack has made of a sketch.
	AddPacked(packed []uint64) error
	// Follow has earlier records come before those that were added, which added hands over once
	// more if it is called. If the earlier ones are settled, Settle is called next, and Find does
	// not compare them with each other. They are asked for as long as groups are asked about.
	Follow(earlier Packed, added func(do func(packed []uint64) error) error, areSettled bool) error
	// Settle joins the earlier records as Joins has said of them.
	Settle(joins []Join) error
	// Joins are what Find has joined, but for what was settled before, in the order of Later.
	Joins() []Join
}

// Packed are records by what Pack has made of their sketches.
type Packed interface {
	// Each hands over all of them in their order, of no word where there is no sketch. What is
	// handed over is good until the next one.
	Each(do func(packed []uint64) error) error
	// Records is how many they are, as far as that is known before.
	Records() int
	// At appends that of one of those that have a sketch, which count from 0.
	At(dst []uint64, entry uint32) ([]uint64, error)
}

// A Join is of two records that have sketches. They count from 0, in their order.
type Join struct {
	Later, Earlier uint32
	IsCopy         bool // of the earlier one
}

// Regroup has groups go on. Those that cannot do it by themselves keep whole sketches, and compare
// all records anew.
func Regroup(g Groups) Regrouping {
	if r, ok := g.(Regrouping); ok {
		return r
	}
	return anew{g}
}

type anew struct{ Groups }

func (anew) Pack(dst, sketch []uint64) []uint64 { return append(dst, sketch...) }
func (anew) Settle([]Join) error                { return nil }
func (anew) Joins() []Join                      { return nil }

// AddPacked waits for the records that come before.
func (anew) AddPacked([]uint64) error { return nil }

// Pass does so too.
func (anew) Pass() {}

// Follow adds all records in their order.
func (g anew) Follow(earlier Packed, added func(do func(packed []uint64) error) error, _ bool) error {
	add := func(packed []uint64) error {
		if len(packed) == 0 {
			g.Groups.Pass()
			return nil
		}
		return g.Groups.Add(packed)
	}
	if err := earlier.Each(add); err != nil {
		return err
	}
	return added(add)
}
