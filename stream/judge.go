package stream

// A Judge decides which records are duplicates. A single goroutine calls its functions. Only Decide
// is required. To wrap a judge, copy it and replace Decide.
type Judge struct {
	// Decide sets a verdict in out for each record of the batch. It returns how many of the first
	// records it has judged: all of them, unless err is not nil. It must not keep the batch. Its
	// verdict on a record with a problem counts only with Method.DecidesAll.
	Decide func(b Batch, out []Verdict) (judged int, err error)

	// CanPrefetch reports whether the judge currently works faster if it sees the next batches in
	// advance. Batches are read ahead only then.
	CanPrefetch func() bool
	// Prefetch announces the next batches, in order. They don't change until they are judged.
	Prefetch func(batches []Batch) error

	// Remembers reports whether the last judged record, which had that many votes, is remembered
	// for good. Then a copy, which is a later record with the same text, is a duplicate whatever
	// comes between, and needs no sketch. Leave Remembers out for a judge that needs the sketches
	// of all records. Set ReadsHashes for one that has to tell records apart.
	Remembers func(votes uint16) bool
	// VotesOfCopy returns how many votes a copy has. It is required with Remembers.
	VotesOfCopy func() int

	// ReadsHashes says that the judge tells records apart by the hashes of their sketches in
	// Batch.Hashes. Copies have hashes, too, although they have no sketch.
	ReadsHashes bool
}

// canPrefetch reports whether to read batches ahead now.
func (j Judge) canPrefetch() bool { return j.CanPrefetch != nil && j.CanPrefetch() }

// KeepAll returns a judge that finds no duplicates.
func KeepAll() Judge {
	return ByRecord(nil, func(Batch, int) (v Verdict, err error) { return v, nil })
}

// ByRecord returns a judge that decides about one record at a time: decide returns the verdict on
// record i of a batch. begin is called before each batch, and may be nil.
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
