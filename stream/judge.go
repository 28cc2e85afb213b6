package stream

// A Judge decides which records are duplicates. One goroutine calls its functions. All but Decide
// may be left out; a judge that wraps another one is a copy of it with another Decide.
type Judge struct {
	// Decide sets a verdict in out for each record of the batch. It returns how many records, from
	// the first on, it has judged: all of them unless err is not nil. It does not keep the batch.
	// Its verdict on a record with a problem counts only with Method.DecidesAll.
	Decide func(b Batch, out []Verdict) (judged int, err error)

	// CanPrefetch reports whether the judge now works faster if it sees the next batches in
	// advance. Only then are batches read ahead.
	CanPrefetch func() bool
	// Prefetch announces the next batches, in order. They don't change until they are judged.
	Prefetch func(batches []Batch) error

	// Remembers reports whether the last record judged, which had that many votes, is remembered
	// for good: a copy, which is a later record with the same text, is a duplicate whatever comes
	// between, and no sketch is made of it. A judge that needs the sketches of all records leaves
	// it out; one that needs to tell records apart sets ReadsHashes.
	Remembers func(votes uint16) bool
	// VotesOfCopy is how many votes a copy has. It goes with Remembers.
	VotesOfCopy func() int

	// ReadsHashes says that the judge tells records apart by hashes of their sketches, copies
	// included, which come without a sketch: it receives Batch.Hashes.
	ReadsHashes bool
}

// canPrefetch reports whether batches are to be read ahead now.
func (j Judge) canPrefetch() bool { return j.CanPrefetch != nil && j.CanPrefetch() }

// KeepAll is the judge that finds no duplicates.
func KeepAll() Judge {
	return ByRecord(nil, func(Batch, int) (v Verdict, err error) { return v, nil })
}

// ByRecord returns a judge that decides about one record after the other: decide returns the
// verdict on record i of a batch. begin is called before each batch, unless it is nil.
func ByRecord(begin func(b Batch), decide func(b Batch, i int) (Verdict, error)) Judge {
	return Judge{Decide: func(b Batch, out []Verdict) (judged int, err error) {
		if begin != nil {
			begin(b)
		}
		for i := range out {
			if out[i], err = decide(b, i); err != nil {
				return i, err
			}
		}
		return len(out), nil
	}}
}
