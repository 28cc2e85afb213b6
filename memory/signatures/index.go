package signatures

import (
	"cmp"
	"errors"
	"iter"
	"math"
	"runtime"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/sketch"
)

var (
	// ErrMemory is the error of an index that the system gives no more memory.
	ErrMemory = errors.New("not enough memory")
	// ErrFull is the error of an index that holds as many signatures as Params.Capacity says, or as
	// it can count, 2³² - 2.
	ErrFull = errors.New("the index is full")
	errSize = errors.New("sketches of another size than the parameters of the index ask for")
)

// A Match is an earlier record that another one resembles. The zero Match stands for none.
type Match struct {
	Record     uint64  // its number: the first record of the index has 1
	Similarity float32 // Jaccard, estimated from the signatures
	Votes      uint16  // how many bands both have in common
}

// Index remembers records by their band keys and signatures. Records of equal signatures are one
// entry, with the number of the first of them. An Index is not safe for concurrent use.
type Index struct {
	params   Params
	agreeing int // slots that must agree
	padding  int // bytes of a signature after its last slot

	bands   []table // from band keys to entries
	whole   table   // from signatures to entries
	entries entries

	active int          // entries that are in memory before they are sealed, or 0
	parts  []sealedPart // what was sealed
	sealed []keyFilter  // of the bands, then of the signatures, in all parts; nil before there are any
	marks  []uint64     // of the record at hand, for their filters

	records, duplicates, copies, forgotten uint64

	log  *Log // where entries are written down, or nil
	sets sets // of shingles, if there are any

	keys  []uint32    // of the record at hand: of its bands, then of its signature
	found []uint32    // the entries that share a band with it, each as often as it does
	alike []candidate // each of them once
}

// New returns an empty index.
func New(p Params) (*Index, error) {
	x, err := newEmpty(p)
	if err != nil || !p.Sets {
		return x, err
	}
	if err := x.addTemporaryLog(); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// newEmpty returns an index that has no log, which it needs if it has sets.
func newEmpty(p Params) (*Index, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	x := &Index{
		params: p, agreeing: p.agreeing(), padding: 8*p.signatureWords() - p.NumPerm,
		bands: make([]table, p.Bands), entries: entries{width: p.rowWords(), packed: p.signatureWords()},
		keys: make([]uint32, p.Bands+1), active: p.activeEntries(),
	}
	var err error
	for i := range x.bands {
		if x.bands[i], err = newTable(); err != nil {
			return nil, errors.Join(err, x.Close())
		}
	}
	if x.whole, err = newTable(); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// Params returns what the index was made with.
func (x *Index) Params() Params { return x.params }

// Observe asks about some records and remembers them, one after the other: each is compared with
// all before it. Their sketches, as sketch.Signed makes them, stand one after the other. matches[i]
// becomes the duplicate's most similar earlier record, the earliest of several, or the zero Match
// if record i is no duplicate. It returns how many records it has observed: all, unless there is an
// error. A full index observes nothing, not even a copy.
func (x *Index) Observe(sketches []uint64, matches []Match) (observed int, err error) {
	clear(matches)
	return x.ObserveBeside(sketches, matches)
}

// ObserveBeside is Observe for records that other indexes were asked about before, as by Query:
// what these have found stands in matches, and stays there if this index knows nothing that is more
// similar.
func (x *Index) ObserveBeside(sketches []uint64, matches []Match) (observed int, err error) {
	if err := x.params.check(sketches, len(matches)); err != nil {
		return 0, err
	}
	var sketch []uint64
	for i := range matches {
		if x.params.Capacity > 0 && uint64(x.entries.count) >= x.params.Capacity {
			return i, ErrFull
		}
		sketch, sketches, _ = x.params.cut(sketches)
		if matches[i], err = x.observe(sketch, matches[i]); err != nil {
			return i, err
		}
	}
	return len(matches), nil
}

// Query asks about some records like ObserveBeside, and remembers nothing.
func (x *Index) Query(sketches []uint64, matches []Match) error {
	if err := x.params.check(sketches, len(matches)); err != nil {
		return err
	}
	var sketch []uint64
	for i := range matches {
		sketch, sketches, _ = x.params.cut(sketches)
		best, _, err := x.best(x.enter(sketch))
		if err != nil {
			return err
		}
		matches[i] = closer(matches[i], best)
	}
	return nil
}

// closer returns the more similar of two matches, the first if they are equal.
func closer(a, b Match) Match {
	if a.Record == 0 || b.Record != 0 && b.Similarity > a.Similarity {
		return b
	}
	return a
}

// Pass counts records that have no sketch, so that Match.Record goes on being the number of a
// record in the stream.
func (x *Index) Pass(records int) { x.records += uint64(records) }

func (x *Index) observe(words []uint64, elsewhere Match) (best Match, err error) {
	signature := x.enter(words)
	x.records++
	best, isCopy, err := x.best(signature)
	if err != nil {
		return best, err
	}
	best = closer(elsewhere, best)
	if best.Record != 0 {
		x.duplicates++
	}
	if isCopy {
		x.copies++
		return best, nil
	}
	if best.Record != 0 && x.params.UnseenOnly {
		return best, nil
	}
	_, err = x.remember(signature)
	return best, err
}

// best returns the most similar of the entries that make the record at hand a duplicate, and
// whether it has the same signature.
func (x *Index) best(signature []uint64) (best Match, isCopy bool, err error) {
	if x.params.Sets {
		return x.bestOfSets(signature)
	}
	if entry, known := x.copyOf(signature); known {
		return Match{Record: x.entries.number(entry), Similarity: 1, Votes: uint16(x.params.Bands)}, true, nil
	}
	most := -1
	for _, c := range x.candidates(signature) { // in their order: of equal ones the first stays
		if x.isAlike(c) && c.agree > most {
			most = c.agree
			best = x.match(c)
		}
	}
	return best, false, nil
}

// enter makes the record of a sketch the one at hand.
func (x *Index) enter(words []uint64) (signature []uint64) {
	signature = words[2*x.params.Bands : x.params.SketchWords()]
	if x.params.Sets {
		x.sets.own = words[x.params.SketchWords()+1:]
	}
	touched := uint64(0)
	for i := range x.bands {
		x.keys[i] = uint32(words[2*i+1] >> 32) // of the 128 bits, as good as any
		touched |= x.bands[i].touch(x.keys[i])
	}
	x.keys[x.params.Bands] = uint32(xxh3.Hash(bytesOf(signature)) >> 32)
	touched |= x.whole.touch(x.keys[x.params.Bands])
	if x.sealed != nil {
		x.marks = x.marksOf(x.marks[:0], signature)
		touched |= touchMarks(x.sealed, x.marks)
	}
	runtime.KeepAlive(touched)
	return signature
}

// firstPart is the first part in which the key at hand may be: that of the entries in memory, which
// is after those that were sealed, unless their filter says yes.
func (x *Index) firstPart(band int) int {
	if x.sealed != nil && x.sealed[band].has(x.marks[band]) {
		return 0
	}
	return len(x.parts)
}

// copyOf returns the entry of the same signature, if there is one.
func (x *Index) copyOf(signature []uint64) (entry uint32, known bool) {
	for part := x.firstPart(x.params.Bands); part <= len(x.parts); part++ {
		for _, word := range x.wordsOf(part, x.params.Bands) {
			if slices.Equal(x.entries.signature(entryOf(word)), signature) {
				return entryOf(word), true
			}
		}
	}
	return 0, false
}

// wordsOf returns the words of the key at hand in the table of a band, or in that of the
// signatures, which is after those of the bands: in a part that was sealed, or, after these, in
// memory.
func (x *Index) wordsOf(part, band int) []uint64 {
	if part < len(x.parts) {
		t := &x.parts[part].tables[band]
		if !t.filter.has(x.marks[band]) {
			return nil
		}
		return t.find(x.keys[band])
	}
	t := &x.whole
	if band < len(x.bands) {
		t = &x.bands[band]
	}
	from, to := t.find(x.keys[band])
	return t.words[from:to]
}

// A candidate is an entry that shares bands with the record at hand.
type candidate struct {
	entry uint32
	votes int // bands in common
	agree int // slots in common
}

func (x *Index) match(c candidate) Match {
	return Match{x.entries.number(c.entry), float32(x.params.similarity(c.agree)), uint16(c.votes)}
}

// isAlike reports whether an entry makes the record at hand a duplicate.
func (x *Index) isAlike(c candidate) bool { return c.votes >= x.params.Votes && c.agree >= x.agreeing }

// candidates returns all entries that share bands with the record at hand, from the earliest on.
// They are good until the next record.
func (x *Index) candidates(signature []uint64) []candidate {
	x.found = x.found[:0]
	for i := range x.bands {
		for part := x.firstPart(i); part <= len(x.parts); part++ {
			for _, word := range x.wordsOf(part, i) {
				// Other keys may have the same 32 bits.
				if entry := entryOf(word); x.params.sameBand(i, x.entries.signature(entry), signature) {
					x.found = append(x.found, entry)
				}
			}
		}
	}
	slices.Sort(x.found)
	x.alike = x.alike[:0]
	for at := 0; at < len(x.found); {
		c := candidate{entry: x.found[at]}
		for ; at < len(x.found) && x.found[at] == c.entry; at++ {
			c.votes++
		}
		c.agree = sketch.PackedAgreement(x.entries.signature(c.entry), signature) - x.padding
		x.alike = append(x.alike, c)
	}
	return x.alike
}

// sameBand reports whether all slots of a band agree.
func (p Params) sameBand(band int, a, b []uint64) bool {
	for i := band * p.Rows; i < (band+1)*p.Rows; i++ {
		if slotOf(a, i) != slotOf(b, i) {
			return false
		}
	}
	return true
}

// remember makes an entry of the record at hand.
func (x *Index) remember(signature []uint64) (entry uint32, err error) {
	if x.entries.count == math.MaxUint32-1 {
		return 0, ErrFull
	}
	if entry, err = x.entries.add(x.records, signature); err != nil {
		return 0, err
	}
	for i := range x.bands {
		forgotten, err := x.bands[i].insert(x.keys[i], entry)
		if err != nil {
			return 0, err
		}
		if forgotten {
			x.forgotten++
		}
	}
	if _, err = x.whole.insert(x.keys[x.params.Bands], entry); err != nil {
		return entry, err
	}
	set := x.sets.restored
	if x.log != nil {
		var at int64
		at, err = x.log.entry(x.records, x.keys, signature, x.params.Sets, x.sets.own)
		set = placeOf(at, x.sets.own)
	}
	if x.params.Sets {
		x.entries.putSet(entry, set)
	}
	return entry, errors.Join(err, x.makeRoom())
}

// Signatures are the packed signatures that are remembered, from the earliest on. They are good
// until the next record is observed.
func (x *Index) Signatures() iter.Seq[[]uint64] {
	return func(yield func([]uint64) bool) {
		for entry := range x.entries.count {
			if !yield(x.entries.signature(uint32(entry))) {
				return
			}
		}
	}
}

// Near appends to dst the k records of the index that are the most similar to that of a sketch, or
// fewer, from the most similar on, the earlier of equal ones first. Those with which it shares no
// band are not found. Neither Votes nor Threshold matters, and nothing is remembered.
func (x *Index) Near(dst []Match, words []uint64, k int) ([]Match, error) {
	if err := x.params.check(words, 1); err != nil {
		return dst, err
	}
	signature := x.enter(words)
	first := len(dst)
	for _, c := range x.candidates(signature) {
		m := x.match(c)
		if x.params.Sets {
			similarity, err := x.jaccard(c)
			if err != nil {
				return dst, err
			}
			m.Similarity = float32(similarity)
		}
		dst = append(dst, m)
	}
	slices.SortStableFunc(dst[first:], func(a, b Match) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return dst[:min(len(dst), first+max(0, k))], nil
}

// Stats is what an index has seen and what it takes.
type Stats struct {
	Records    uint64 // observed or passed
	Entries    uint64 // signatures that are remembered
	Duplicates uint64 // of the records
	Copies     uint64 // of these, records whose signature was known, which are not entries
	Forgotten  uint64 // bands of entries that were given up, for keys that too many entries have
	Bytes      uint64 // of memory
	Sealed     uint64 // of the entries, those on disk
	FileBytes  uint64 // that these take there
	LogBytes   uint64 // of the log, where sets are, if there are sets
}

// Stats describes the index.
func (x *Index) Stats() Stats {
	s := Stats{
		Records: x.records, Entries: uint64(x.entries.count), Duplicates: x.duplicates,
		Copies: x.copies, Forgotten: x.forgotten, Bytes: x.entries.bytes() + x.whole.bytes(),
	}
	for i := range x.bands {
		s.Bytes += x.bands[i].bytes()
	}
	s.Sealed = uint64(x.entries.sealed) * rowsPerChunk
	if x.params.Sets && x.log != nil {
		s.LogBytes = uint64(x.log.frames.At())
	}
	for _, filter := range x.sealed {
		s.Bytes += wordBytes * uint64(len(filter))
	}
	for i := range x.parts {
		s.Bytes += x.parts[i].memory()
		s.FileBytes += uint64(len(x.parts[i].file))
	}
	return s
}

// Close gives the memory back. The index cannot be used after it.
func (x *Index) Close() error {
	var errs []error
	for _, t := range append(x.bands, x.whole) {
		if t.words != nil {
			errs = append(errs, release(t.words))
		}
	}
	for _, chunk := range x.entries.chunks[x.entries.sealed:] {
		errs = append(errs, release(chunk))
	}
	errs = append(errs, closeFilters(x.sealed), x.sets.close())
	for i := range x.parts {
		errs = append(errs, x.parts[i].close())
	}
	*x = Index{}
	return errors.Join(errs...)
}
