package overlap

import (
	"math"
	"slices"
	"sort"

	"github.com/mithril-stream/mithril-stream/stream"
)

// A Memory remembers parts: an index of one band.
type Memory struct {
	// Observe sets votes[i] to 1 if part i was seen before, including among the preceding keys,
	// else to 0, and remembers the part. It returns the number of parts observed, which is less
	// than len(keys) only if err is not nil. It does not keep keys.
	Observe func(keys []stream.Key, votes []uint16) (observed int, err error)
	// Query is like Observe, but remembers nothing.
	Query func(keys []stream.Key, votes []uint16) error
}

// A Judge judges records by the parts of them that were seen before. Their sketches must come from
// a Sketcher with the same parameters.
type Judge struct {
	params   Params
	method   method
	memory   Memory
	readOnly bool // nothing is remembered
	keeps    bool // seen pieces are kept
	removes  bool // records that consist only of seen pieces are duplicates
	LastBatch

	keys  []stream.Key // of a batch
	votes []uint16     // of each
	fresh keySet       // parts that the current record adds, if not all are added
	again []uint16     // votes of the memory for these
}

// A Piece is a part of a text that was seen before: the bytes [Start, End).
type Piece struct{ Start, End int }

// NewJudge returns a Judge for parameters that Complete has returned.
func NewJudge(p Params, memory Memory) *Judge {
	return &Judge{params: p, method: methods[p.Method], memory: memory}
}

// KeepPieces makes the judge keep which pieces of records were seen, for Seen. No record is then a
// duplicate, unless remove is true: then a record is one if all its pieces were seen or, with dclm,
// if the share of its n-grams is large enough.
func (j *Judge) KeepPieces(remove bool) { j.keeps, j.removes = true, remove }

// QueryOnly makes the judge remember nothing. A part that occurs earlier in its record still counts
// as seen.
func (j *Judge) QueryOnly() { j.readOnly = true }

// Judge returns the judge of a stream. Verdict.Votes is the number of parts that were seen, limited
// to its maximum.
func (j *Judge) Judge() stream.Judge { return stream.Judge{Decide: j.judge} }

func (j *Judge) judge(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	j.reset()
	clear(out)
	keys := j.gather(b)
	if j.method.selective || j.readOnly {
		return j.judgeEach(b, keys, out)
	}
	j.votes = slices.Grow(j.votes[:0], len(keys))[:len(keys)]
	observed, err := j.memory.Observe(keys, j.votes)
	at := 0
	for i := range out {
		sketch := b.Sketch(i)
		parts := Parts(sketch)
		if at+parts > observed && err != nil {
			return i, err
		}
		out[i] = j.decide(sketch, j.votes[at:at+parts])
		at += parts
	}
	return len(out), err
}

// gather concatenates the keys of all records, so that the memory can look ahead. Those of a single
// record, which may be a long one, are not copied.
func (j *Judge) gather(b stream.Batch) []stream.Key {
	if b.Len() == 1 {
		return keysOf(b.Sketch(0))
	}
	j.keys = j.keys[:0]
	for i := range b.Len() {
		j.keys = append(j.keys, keysOf(b.Sketch(i))...)
	}
	return j.keys
}

// keysOf returns the keys of a sketch, which may be empty.
func keysOf(sketch []uint64) []stream.Key {
	if len(sketch) == 0 {
		return nil
	}
	return stream.KeysOf(KeysIn(sketch))
}

// Parts returns the number of parts of a sketch, or 0 if it is empty.
func Parts(sketch []uint64) int {
	if len(sketch) == 0 {
		return 0
	}
	return len(KeysIn(sketch)) / 2
}

// Query judges a record as Judge would, and remembers nothing. The record belongs to no batch.
func (j *Judge) Query(sketch []uint64) (v stream.Verdict, err error) {
	seen, ends := len(j.seen), len(j.ends)
	if len(sketch) > 0 {
		if err := j.queryPieces(sketch, stream.KeysOf(KeysIn(sketch)), false); err != nil {
			return v, err
		}
		v = j.decide(sketch, j.votes)
	}
	j.seen, j.ends = j.seen[:seen], j.ends[:ends]
	return v, nil
}

// judgeEach judges one record after the other, as required by methods that remember only the parts
// of unseen pieces: whether a piece is seen is known only when all before it are decided.
func (j *Judge) judgeEach(b stream.Batch, keys []stream.Key, out []stream.Verdict) (judged int, err error) {
	for i := range out {
		sketch := b.Sketch(i)
		parts := Parts(sketch)
		if err := j.queryPieces(sketch, keys[:parts], !j.readOnly); err != nil {
			return i, err
		}
		out[i] = j.decide(sketch, j.votes)
		keys = keys[parts:]
	}
	return len(out), nil
}

// queryPieces looks up the parts of a record, decides piece by piece, and leaves the answers in
// votes. The memory is asked once for all of them, since it then looks ahead; what earlier parts of
// the record add to it is looked up in fresh.
func (j *Judge) queryPieces(sketch []uint64, keys []stream.Key, remember bool) error {
	j.votes = slices.Grow(j.votes[:0], len(keys))[:len(keys)]
	if len(keys) == 0 {
		return nil
	}
	if err := j.memory.Query(keys, j.votes); err != nil {
		return err
	}
	j.fresh.reset(len(keys))
	if j.method.selective {
		j.completeQueries(sketch, keys)
	} else {
		j.addFresh(keys, j.votes)
	}
	if !remember {
		return nil
	}
	added := j.fresh.keys
	j.again = slices.Grow(j.again[:0], len(added))[:len(added)]
	_, err := j.memory.Observe(added, j.again)
	return err
}

// completeQueries completes the answers if only the parts of unseen pieces are remembered: all
// parts of a piece are looked up before any is remembered.
func (j *Judge) completeQueries(sketch []uint64, keys []stream.Key) {
	at := 0
	for i := range piecesIn(sketch) {
		parts := pieceOf(sketch, i).parts
		own, votes := keys[at:at+parts], j.votes[at:at+parts]
		at += parts
		for k, key := range own {
			if votes[k] == 0 && j.fresh.has(key) {
				votes[k] = 1
			}
		}
		if j.isSeen(sum(votes), parts) {
			continue
		}
		for k, key := range own {
			if votes[k] == 0 {
				j.fresh.add(key)
			}
		}
	}
}

// addFresh completes the answers if all parts are remembered, each before the next one is looked
// up.
func (j *Judge) addFresh(keys []stream.Key, votes []uint16) {
	for k, key := range keys {
		switch {
		case votes[k] != 0:
		case j.fresh.has(key):
			votes[k] = 1
		default:
			j.fresh.add(key)
		}
	}
}

func sum(votes []uint16) (n int) {
	for _, v := range votes {
		n += int(v)
	}
	return n
}

// isSeen reports whether a share is large enough.
func (j *Judge) isSeen(part, all int) bool { return all > 0 && j.params.isSeen(part, all) }

// isSeenBeside is like isSeen, but a share again of the whole is known to be seen, and the parts
// are a sample of the rest.
func (j *Judge) isSeenBeside(again float64, part, all int) bool {
	return all > 0 && again+(1-again)*(float64(part)/float64(all)) >= j.params.Threshold
}

func (p Params) isSeen(part, all int) bool { return float64(part)/float64(all) >= p.Threshold }

// Enough returns how many of the given number of parts make a record a duplicate.
func (p Params) Enough(parts int) (n int) {
	return sort.Search(parts, func(n int) bool { return p.isSeen(n, parts) })
}

// decide returns the verdict on a record, given the votes of its parts.
func (j *Judge) decide(sketch []uint64, votes []uint16) (v stream.Verdict) {
	var seenParts, allParts, seenNext, allNext, seenBytes, allBytes, seenPieces int
	pieces := piecesIn(sketch)
	for i := range pieces {
		p := pieceOf(sketch, i)
		own := votes[allParts : allParts+p.parts]
		seen := sum(own)
		seenNext += sum(own[:p.next])
		allNext += p.next
		allParts += p.parts
		allBytes += p.end - p.start
		seenParts += seen
		isSeen := seen == p.parts
		if j.method.ngram > 0 {
			isSeen = j.isSeen(seen, p.parts)
		}
		if isSeen {
			seenPieces++
			seenBytes += p.end - p.start
			if j.keeps {
				j.seen = append(j.seen, Piece{p.start, p.end})
			}
		}
	}
	j.endRecord()
	v.Votes = uint16(min(seenParts, math.MaxUint16))
	part, all := seenParts, allParts
	if j.method.byBytes {
		part, all = seenBytes, allBytes
	}
	again := repeatedShare(sketch)
	v.Duplicate = j.isSeenBeside(again, part, all) || j.isSeenBeside(again, seenNext, allNext)
	if j.keeps && !(j.method.selective && v.Duplicate) {
		v.Duplicate = pieces > 0 && seenPieces == pieces
	}
	v.Duplicate = v.Duplicate && (j.removes || !j.keeps)
	return v
}
