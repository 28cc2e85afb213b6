package stream

// A Wrapper is a judge that has another one judge. What a judge can do besides judging is asked of
// the other one too, by Ability, unless the Wrapper does it itself.
type Wrapper interface {
	Judge
	// Unwrap returns the other judge.
	Unwrap() Judge
}

// A SketcherWrapper is a Sketcher that completes the sketches of another one. As with a Wrapper,
// Ability asks the other one too.
type SketcherWrapper interface {
	Sketcher
	// Unwrap returns the other sketcher.
	Unwrap() Sketcher
}

// Ability returns what a Judge or a Sketcher can do beyond that, such as Prefetcher,
// Rememberer or Confiner: itself or, if it wraps another one, the first one behind it that can. ok
// is false if none can.
func Ability[T any](of any) (able T, ok bool) {
	for {
		if able, ok = of.(T); ok {
			return able, true
		}
		switch w := of.(type) {
		case Wrapper:
			of = w.Unwrap()
		case SketcherWrapper:
			of = w.Unwrap()
		default:
			return able, false
		}
	}
}

// A Prefetcher is a judge that works faster if it sees the next batches in advance.
type Prefetcher interface {
	// CanPrefetch reports whether that is so now. Only then are batches read ahead.
	CanPrefetch() bool
	// Prefetch shows the batches that come next, in order. They don't change until they are judged.
	Prefetch(batches []Batch) error
}

// A Rememberer is a judge that remembers some records for good: a copy, which is a later record
// with the same text, is a duplicate whatever comes between, and no sketch is made of it. A Wrapper
// that needs the sketches of all records is a Rememberer itself, which remembers none; one that
// needs to tell records apart is a HashReader.
type Rememberer interface {
	// Remembers reports whether the last record judged, which had that many votes, is remembered
	// for good.
	Remembers(votes uint16) bool
	// VotesOfCopy is how many votes a copy has.
	VotesOfCopy() int
}

// A HashReader is a judge that tells records apart by hashes of their sketches, copies included,
// which come without a sketch: it receives Batch.Hashes.
type HashReader interface {
	// ReadsHashes reports whether it does. The answer is the same for all of a run.
	ReadsHashes() bool
}

func readsHashes(judge Judge) bool {
	reader, ok := Ability[HashReader](judge)
	return ok && reader.ReadsHashes()
}
