package bloomlsh

// Usage says how much an index holds and can hold, over all generations.
type Usage struct {
	Inserted uint64 // records
	Capacity uint64 // records
	Bytes    uint64 // memory of the filters
}

// Usage returns the cheap part of Stats, which is exact and does not read the filters.
func (x *Index) Usage() Usage {
	u := Usage{Inserted: x.inserted(), Bytes: x.bytes()}
	for _, g := range x.generations {
		u.Capacity += g.capacity
	}
	return u
}
