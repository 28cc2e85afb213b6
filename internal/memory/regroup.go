package memory

// Regrouping is implemented by Groups that can continue where earlier Groups ended, from what Pack
// returned for each record and what Joins returned. The result equals a single pass over all
// records.
type Regrouping interface {
	Groups
	// Pack appends to dst the part of a sketch that has to be kept.
	Pack(dst, sketch []uint64) []uint64
	// AddPacked adds a record by what Pack returned for it.
	AddPacked(packed []uint64) error
	// Follow places the earlier records before those added so far; Follow may call added to read
	// the latter again. Find does not compare earlier records with each other. earlier must stay
	// readable as long as the groups are used.
	Follow(earlier Packed, added func(do func(packed []uint64) error) error) error
	// Settle joins earlier records as the earlier Joins returned. Call it after Follow.
	Settle(joins []Join) error
	// Joins returns the pairs that Find has joined, without the settled ones, ordered by Later.
	Joins() []Join
}

// Packed is a list of records as Pack stored them.
type Packed interface {
	// Each calls do for every record, in order, with no words for a record without a sketch. packed
	// is valid only during the call.
	Each(do func(packed []uint64) error) error
	// Records returns the number of records, as far as it is known in advance.
	Records() int
	// At appends the record with the given entry to dst. Entries number the records that have a
	// sketch, from 0.
	At(dst []uint64, entry uint32) ([]uint64, error)
}

// A Join connects two records that have sketches, numbered from 0.
type Join struct {
	Later, Earlier uint32
	IsCopy         bool // of the earlier record
}

// Regroup returns Groups that can continue earlier ones. For Groups that do not implement
// Regrouping it keeps whole sketches and compares all records again.
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

// AddPacked does nothing: Follow adds the records after the earlier ones.
func (anew) AddPacked([]uint64) error { return nil }

// Pass does nothing, as AddPacked.
func (anew) Pass() {}

// Follow adds all records in order.
func (g anew) Follow(earlier Packed, added func(do func(packed []uint64) error) error) error {
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
