package bloomlsh

// Usage is what an index holds and may hold, all generations together.
type Usage struct {
	Inserted uint64 // records
	Capacity uint64 // records
	Bytes    uint64 // memory of the filters
}

// Usage is the cheap part of Stats: exact, and without a look at the filters.
func (x *Index) Usage() Usage {
	u := Usage{Inserted: x.inserted(), Bytes: x.bytes()}
	for _, g := range x.generations {
		u.Capacity += g.capacity
	}
	return u
}
