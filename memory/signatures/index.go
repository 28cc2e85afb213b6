package signatures

import (
	"errors"
	"iter"
	"runtime"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
	"github.com/mithril-stream/mithril-stream/internal/postings"
	"github.com/mithril-stream/mithril-stream/internal/spill"
	"github.com/mithril-stream/mithril-stream/memory"
	"github.com/mithril-stream/mithril-stream/sketch"
)

var (
	_ memory.Index  = (*Index)(nil)
	_ memory.Groups = (*Groups)(nil)
)

// Index remembers records by their band keys and signatures. Records of equal signatures are one
// entry, with the number of the first of them. Similarity is Jaccard, estimated from the
// signatures, or exact with Params.Sets. An Index is not safe for concurrent use.
type Index struct {
	memory.Core
	params   Params
	agreeing int // slots that must agree
	padding  int // bytes of a signature after its last slot

	tables  []postings.Table // from band keys to entries, and the last one from signatures
	entries entries

	active int            // entries that are in memory before they are sealed, or 0
	parts  []sealedPart   // what was sealed
	sealed []spill.Filter // of the bands, then of the signatures, in all parts; nil before there are any
	marks  []uint64       // of the record at hand, for their filters

	forgotten uint64

	sets    sets     // of shingles, if there are any
	decoded []uint64 // the signature of the entry that is read from a log
	own     []uint64 // the signature of the record at hand

	keys  []uint32    // of the record at hand: of its bands, then of its signature
	ahead []uint32    // of the record after it
	found []uint32    // the entries that share a band with it, each as often as it does
	alike []candidate // each of them once
}

// New returns an empty index, which may Load or Read a log.
func New(p Params) (*Index, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	x := &Index{
		params: p, agreeing: p.agreeing(), padding: 8*p.signatureWords() - p.NumPerm,
		tables: make([]postings.Table, p.Bands+1), entries: entries{width: p.rowWords(), packed: p.signatureWords()},
		keys: make([]uint32, p.Bands+1), ahead: make([]uint32, p.Bands+1),
		active: p.activeEntries(), decoded: make([]uint64, p.signatureWords()),
	}
	x.Core = memory.NewCore(kind{x}, p.UnseenOnly)
	var err error
	for i := range x.tables {
		if x.tables[i], err = postings.New(postings.Quick); err != nil {
			return nil, errors.Join(err, x.Close())
		}
	}
	return x, nil
}

// best returns the most similar of the entries that make the record at hand a duplicate, and
// whether it has the same signature.
func (x *Index) best() (best memory.Match, isCopy bool, err error) {
	if x.params.Sets {
		return x.bestOfSets()
	}
	if entry, known := x.copyOf(x.own); known {
		return memory.Match{Record: x.entries.number(entry), Similarity: 1, Votes: uint16(x.params.Bands)}, true, nil
	}
	most := -1
	for _, c := range x.candidates() { // in their order: of equal ones the first stays
		if x.isAlike(c) && c.agree > most {
			most = c.agree
			best = x.match(c)
		}
	}
	return best, false, nil
}

// enter makes the record of a sketch the one at hand.
func (x *Index) enter(words []uint64) {
	signature := words[2*x.params.Bands : x.params.SketchWords()]
	x.own = signature
	if x.params.Sets {
		x.sets.own = words[x.params.SketchWords()+1:]
	}
	x.putKeys(x.keys, words)
	touched := uint64(0)
	for i := range x.tables {
		touched |= x.tables[i].Touch(x.keys[i])
	}
	if x.sealed != nil {
		x.marks = x.marksOf(x.marks[:0], signature)
		touched |= touchMarks(x.sealed, x.marks)
	}
	runtime.KeepAlive(touched)
}

// putKeys makes the keys of a sketch's record: of its bands, then of its signature.
func (x *Index) putKeys(keys []uint32, words []uint64) {
	for i := range x.params.Bands {
		keys[i] = uint32(words[2*i+1] >> 32) // of the 128 bits, as good as any
	}
	keys[x.params.Bands] = uint32(xxh3.Hash(bytesOf(words[2*x.params.Bands:x.params.SketchWords()])) >> 32)
}

// firstPart is the first part in which the key at hand may be: that of the entries in memory, which
// is after those that were sealed, unless their filter says yes.
func (x *Index) firstPart(band int) int {
	if x.sealed != nil && x.sealed[band].Has(x.marks[band]) {
		return 0
	}
	return len(x.parts)
}

// copyOf returns the entry of the same signature, if there is one.
func (x *Index) copyOf(signature []uint64) (entry uint32, known bool) {
	for part := x.firstPart(x.params.Bands); part <= len(x.parts); part++ {
		for _, word := range x.wordsOf(part, x.params.Bands) {
			if slices.Equal(x.entries.signature(postings.EntryOf(word)), signature) {
				return postings.EntryOf(word), true
			}
		}
	}
	return 0, false
}

// wordsOf returns the words of the key at hand in the table of a band, or in that of the
// signatures, which is after those of the bands: in a part that was sealed, or, after these, in
// memory.
func (x *Index) wordsOf(part, band int) []uint64 {
	if part == len(x.parts) {
		return x.tables[band].Of(x.keys[band])
	}
	t := &x.parts[part].tables[band]
	if !t.filter.Has(x.marks[band]) {
		return nil
	}
	return t.Of(x.keys[band])
}

// A candidate is an entry that shares bands with the record at hand.
type candidate struct {
	entry uint32
	votes int // bands in common
	agree int // slots in common
}

func (x *Index) match(c candidate) memory.Match {
	return memory.Match{
		Record: x.entries.number(c.entry), Similarity: float32(x.params.similarity(c.agree)), Votes: uint16(c.votes),
	}
}

// isAlike reports whether an entry makes the record at hand a duplicate.
func (x *Index) isAlike(c candidate) bool { return c.votes >= x.params.Votes && c.agree >= x.agreeing }

// candidates returns all entries that share bands with the record at hand, from the earliest on.
// They are good until the next record.
func (x *Index) candidates() []candidate {
	signature := x.own
	x.found = x.found[:0]
	for i := range x.params.Bands {
		for part := x.firstPart(i); part <= len(x.parts); part++ {
			for _, word := range x.wordsOf(part, i) {
				// Other keys may have the same 32 bits.
				if entry := postings.EntryOf(word); x.params.sameBand(i, x.entries.signature(entry), signature) {
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

// Stats describes the index.
func (x *Index) Stats() memory.Stats {
	s := x.Counted()
	s.Forgotten, s.Bytes = x.forgotten, x.entries.bytes()
	for i := range x.tables {
		s.Bytes += x.tables[i].Bytes()
	}
	s.Sealed = uint64(x.entries.sealed) * rowsPerChunk
	s.LogBytes = x.sets.LogBytes()
	for _, filter := range x.sealed {
		s.Bytes += filter.Bytes()
	}
	for i := range x.parts {
		s.Bytes += x.parts[i].memory()
		s.FileBytes += x.parts[i].file.Bytes()
	}
	return s
}

// Close gives the memory back. The index cannot be used after it.
func (x *Index) Close() error {
	err := errors.Join(spill.CloseFilters(x.sealed), x.sets.Close())
	for i := range x.tables {
		err = errors.Join(err, x.tables[i].Release())
	}
	for _, chunk := range x.entries.chunks[x.entries.sealed:] {
		err = errors.Join(err, offheap.Release(chunk))
	}
	for i := range x.parts {
		err = errors.Join(err, x.parts[i].close())
	}
	*x = Index{}
	return err
}
