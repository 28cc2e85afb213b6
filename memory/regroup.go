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
	// Settle joins the records that were added so far as Joins said of them, so that Find does not
	// compare them with each other once more. Joins says something only after a call of it, which
	// may be one before the first record.
	Settle(joins []Join) error
	// Joins are what Find has joined, but for what was settled before, in the order of Later.
	Joins() []Join
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
func (g anew) AddPacked(packed []uint64) error  { return g.Add(packed) }
func (anew) Settle([]Join) error                { return nil }
func (anew) Joins() []Join                      { return nil }
