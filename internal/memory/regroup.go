package memory

// Groups can continue where earlier Groups ended, from what Pack returned for each record and what
// Joins returned. The result equals a single pass over all records. Joined keeps whole sketches,
// and compares all records again.

// Packed is a list of records as Pack stored them.
type Packed struct {
	// Each calls do for every record, in order, with no words for a record without a sketch. packed
	// is valid only during the call.
	Each func(do func(packed []uint64) error) error
	// Records returns the number of records, as far as it is known in advance.
	Records func() int
	// At appends the record with the given entry to dst. Entries number the records that have a
	// sketch, from 0.
	At func(dst []uint64, entry uint32) ([]uint64, error)
}

// A Join connects two records that have sketches, numbered from 0.
type Join struct {
	Later, Earlier uint32
	IsCopy         bool // of the earlier record
}

// Pack implements Groups.
func (g *Joined) Pack(dst, sketch []uint64) []uint64 { return append(dst, sketch...) }

// Settle implements Groups. Follow joins earlier records again.
func (g *Joined) Settle([]Join) error { return nil }

// Joins implements Groups.
func (g *Joined) Joins() []Join { return nil }

// AddPacked implements Groups. Follow adds the records, after the earlier ones.
func (g *Joined) AddPacked([]uint64) error { return nil }

// Follow implements Groups. It adds all records in order.
func (g *Joined) Follow(earlier Packed, added func(do func(packed []uint64) error) error) error {
	add := func(packed []uint64) error {
		if len(packed) == 0 {
			g.Pass()
			return nil
		}
		return g.Add(packed)
	}
	if err := earlier.Each(add); err != nil {
		return err
	}
	return added(add)
}
