package signatures

import (
	"errors"
	"iter"
	"runtime"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/offheap"
	"github.com/mithril-stream/mithril-stream/internal/postings"
	"github.com/mithril-stream/mithril-stream/internal/spill"
	"github.com/mithril-stream/mithril-stream/sketch"
)

var (
	_ memory.Index  = (*Index)(nil)
	_ memory.Groups = (*Groups)(nil)
)

// An Index finds records by their band keys and signatures. Records with equal signatures share an
// entry, which has the number of the first of them. Similarity is the Jaccard similarity, estimated
// from signatures, or exact with Params.Sets. An Index is not safe for concurrent use.
type Index struct {
	memory.Core
	rule
	tables  []*postings.Compact // from band keys to entries
	copies  postings.Table      // from signatures to entries that the first table has dropped
	entries entries
	sealedParts
	forgotten   uint64
	comparesAll bool // whether Near and AppendDuplicates compare all entries if tables list too few

	sets    sets     // shingle sets, if there are any
	decoded []uint64 // signature of the entry that is read from a log
	lookup
}

// A lookup holds the current record and what was found for it.
type lookup struct {
	own     []uint64          // signature of the current record
	keys    []uint32          // keys of the current record
	ahead   []uint32          // keys of the next record
	had     []uint32          // scratch: the entries of a key
	found   []uint32          // an entry for each band it shares with the record
	once    memory.ListPlaces // of entries in similar
	similar []candidate       // the same entries, each once
	isNear  bool              // the current record is a near copy of an earlier one
}

// New returns an empty index. Load or Read fills it from a log.
func New(p Params) (*Index, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	x := &Index{
		rule: newRule(p), tables: make([]*postings.Compact, p.Bands), entries: newEntries(p),
		lookup:      lookup{keys: make([]uint32, p.Bands), ahead: make([]uint32, p.Bands)},
		sealedParts: sealedParts{active: costs(p).activeEntries()}, decoded: make([]uint64, p.signatureWords()),
	}
	x.Core = memory.NewCore(kind{x}, p.UnseenOnly)
	x.PrefetchBy(kind{x}.prefetch)
	if err := x.newTables(); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// newTables replaces all tables with empty ones.
func (x *Index) newTables() (err error) {
	shape, first := x.params.tableShape(), uint32(x.entries.count)
	for i := range x.tables {
		if x.tables[i], err = postings.NewCompact(shape, i, len(x.tables), first); err != nil {
			return err
		}
	}
	x.copies, err = postings.New(postings.Quick)
	return err
}

// best returns the most similar entry that makes the current record a duplicate, and whether its
// signature is identical.
func (x *Index) best() (best memory.Match, isCopy bool, err error) {
	if x.params.Sets {
		return x.bestOfSets()
	}
	if entry, known := x.copyOf(x.own); known {
		return memory.Match{Record: x.entries.number(entry), Similarity: 1, Votes: uint16(x.params.Bands)}, true, nil
	}
	most := -1
	first := uint32(0)
	for _, c := range x.candidates() {
		if x.isSimilar(c) && (c.agree > most || c.agree == most && c.entry < first) {
			most, first = c.agree, c.entry
			best = x.match(c)
		}
	}
	return best, false, nil
}

// setCurrent makes the record of a sketch the current one.
func (x *Index) setCurrent(words []uint64) {
	signature := words[2*x.params.Bands : x.words]
	x.own = signature
	if x.params.Sets {
		x.sets.own.set(words[x.words:])
	}
	putKeys(x.keys, words)
	touched := uint64(0)
	for i := range x.tables {
		touched |= x.tables[i].Touch(x.keys[i])
	}
	if x.sealed != nil {
		x.putMarks()
		touched |= touchMarks(x.sealed, x.marks)
	}
	runtime.KeepAlive(touched)
}

// putKeys sets keys to the band keys of a sketch.
func putKeys(keys []uint32, words []uint64) {
	for i := range keys {
		keys[i] = uint32(memory.LowHalf(words[2*i], words[2*i+1]) >> (64 - postings.KeyBits))
	}
}

// copyKey returns the key by which copies finds an entry.
func copyKey(signature []uint64) uint32 { return uint32(xxh3.Hash(bytesOf(signature)) >> 32) }

// firstPart returns the first part that may have the current key of a band: len(x.parts), which
// means the entries in memory, unless the filter over all parts matches.
func (x *Index) firstPart(band int) int {
	if x.sealed != nil && x.sealed[band].Has(x.marks[band]) {
		return 0
	}
	return len(x.parts)
}

// copyOf returns the first entry with the same signature, if there is one. A copy shares the first
// band. If very many entries have that key, those dropped from its table are found by their
// signature.
func (x *Index) copyOf(signature []uint64) (entry uint32, known bool) {
	for part := x.firstPart(0); part <= len(x.parts); part++ {
		had := x.entriesOf(part, 0)
		if len(had) >= x.params.mostOfKey() {
			had = append(had, x.forgottenOf(part, copyKey(signature))...)
			x.had = had
		}
		for _, entry := range had {
			if slices.Equal(x.entries.signature(entry), signature) {
				return entry, true
			}
		}
	}
	return 0, false
}

// entriesOf returns the entries of the current key in the table of a band, in a sealed part or, for
// part len(x.parts), in memory. The slice is valid until the next call.
func (x *Index) entriesOf(part, band int) []uint32 {
	x.had = x.had[:0]
	if part == len(x.parts) {
		x.had = x.tables[band].Append(x.had, x.keys[band])
		return x.had
	}
	if t := &x.parts[part].Tables[band]; t.Filter.Has(x.marks[band]) {
		x.had = appendEntries(x.had, t.Of(x.keys[band]))
	}
	return x.had
}

// forgottenOf returns the entries of a part that its tables have dropped, by the key of their
// signature.
func (x *Index) forgottenOf(part int, key uint32) []uint32 {
	if part == len(x.parts) {
		return appendEntries(nil, x.copies.Of(key))
	}
	return appendEntries(nil, x.parts[part].Tables[len(x.tables)].Of(key))
}

func appendEntries(dst []uint32, words []uint64) []uint32 {
	for _, word := range words {
		dst = append(dst, postings.EntryOf(word))
	}
	return dst
}

// A candidate is an entry that shares bands with the current record.
type candidate struct {
	entry uint32
	votes int     // common bands
	agree int     // common slots
	most  float64 // upper bound for the similarity of the sets
}

func (x *Index) match(c candidate) memory.Match {
	return memory.Match{
		Record: x.entries.number(c.entry), Similarity: float32(x.params.similarity(c.agree)), Votes: uint16(c.votes),
	}
}

// candidates returns all entries that share bands with the current record, in the order in which
// they are found. The slice is valid until the next record.
func (x *Index) candidates() []candidate {
	signature := x.own
	x.found = x.found[:0]
	for i := range x.params.Bands {
		for part := x.firstPart(i); part <= len(x.parts); part++ {
			for _, entry := range x.entriesOf(part, i) {
				// different keys may agree in the bits that are kept
				if sameBand(x.masks[i], x.entries.signature(entry), signature) {
					x.found = append(x.found, entry)
				}
			}
		}
	}
	x.similar = x.similar[:0]
	x.once.Begin()
	for _, entry := range x.found {
		at, isNew := x.once.Place(entry)
		if isNew {
			x.similar = append(x.similar, candidate{entry: entry, most: 1})
		}
		x.similar[at].votes++
	}
	for i := range x.similar {
		c := &x.similar[i]
		other := x.entries.signature(c.entry)
		if x.params.Crowd > 0 {
			c.votes = votesOf(x.masks, other, signature)
		}
		c.agree = sketch.PackedAgreement(other, signature, x.slotBits) - x.padding
	}
	return x.similar
}

// Signatures iterates over the remembered packed signatures in the order of their records. A slice
// is valid until the next record is observed.
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
	s.Bytes += x.copies.Bytes()
	s.Sealed = uint64(x.entries.sealed) * rowsPerChunk
	s.LogBytes = x.sets.LogBytes()
	for _, filter := range x.sealed {
		s.Bytes += filter.Bytes()
	}
	for i := range x.parts {
		s.Bytes += x.parts[i].Memory()
		s.FileBytes += x.parts[i].File.Bytes()
	}
	return s
}

// Close frees the memory. The index must not be used afterwards.
func (x *Index) Close() error {
	err := errors.Join(spill.CloseFilters(x.sealed), x.sets.Close(), x.copies.Release())
	for i := range x.tables {
		err = errors.Join(err, x.tables[i].Release())
	}
	for _, chunk := range x.entries.chunks[x.entries.sealed:] {
		err = errors.Join(err, offheap.Release(chunk))
	}
	for i := range x.parts {
		err = errors.Join(err, x.parts[i].Close())
	}
	*x = Index{}
	return err
}
