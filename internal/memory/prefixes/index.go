package prefixes

import (
	"errors"
	"math/bits"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

var _ memory.Index = (*Index)(nil)

// An Index finds records by their sets. Records with equal sets share an entry, which has the
// number of the first of them. It is not safe for concurrent use.
type Index struct {
	memory.Core
	params  Params
	needs   needs
	rarity  rarity
	order   order
	tables  keyTables
	entries entries

	renewals []int // numbers of entries at which renewals are still due
	frequent []key // elements whose lists have become too long

	sets        memory.Sets
	own         current
	other       []uint64        // scratch: the hashes of an entry
	decoded     []uint64        // scratch: the sketch of an entry that is read from a log
	restored    memory.SetPlace // of that entry
	comparesAll bool            // whether Near and AppendDuplicates examine all entries if lists were cut

	lookup
	forgotten uint64 // keys of entries that lists dropped
	cut       uint64 // records that were not compared with all candidates
}

// A lookup holds what was found for the current record.
type lookup struct {
	found   []uint32 // entries with a common key that may be similar, each once
	seen    []uint64 // a bit for each entry in found; 0 between records
	similar []candidate
	isCut   bool // not all entries of all keys were examined
}

// New returns an empty index. Load or Read fills it from a log.
func New(p Params) (*Index, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	x := &Index{
		params: p, needs: newNeeds(p),
		rarity: usualRarity, order: newOrder(usualRarity, 0), renewals: renewals[:],
	}
	x.Core = memory.NewCore(kind{x}, p.UnseenOnly)
	var err error
	if x.tables, err = newKeyTables(); err != nil {
		return nil, err
	}
	return x, nil
}

// scan finds the entries that share a key with the current record. If areSimilar is true, it keeps
// only those that may be similar by their tags and marks. It examines the lists of rare elements
// first, and stops after mostScanned entries.
func (x *Index) scan(areSimilar bool) {
	x.found, x.isCut = x.found[:0], false
	looked, most := 0, &anyDiffering
	if areSimilar {
		most = x.needs.differing(x.own.size)
	}
	for _, k := range x.own.keys {
		admitted := anyLimits
		if areSimilar {
			admitted = k.tag().limits()
		}
		first := len(x.found)
		found, count, isCut := x.tables.append(x.found, k, admitted)
		x.found = found[:first+x.similarByMarks(found[first:], most)]
		x.isCut = x.isCut || isCut
		if looked += count; looked > mostScanned {
			x.isCut = true
			break
		}
	}
	x.found = x.distinct(x.found)
}

// similarByMarks moves the entries of a list that may be similar by their marks to its front, and
// returns their number. It has no branches, so the processor reads several marks at a time.
func (x *Index) similarByMarks(list []uint32, most *differing) (count int) {
	marks, own := x.entries.marks, x.own.mark
	for _, entry := range list {
		m := marks[entry]
		list[count] = entry
		count += 1 - int(uint64(int(most[m.size()])-m.differing(own))>>63)
	}
	return count
}

// distinct removes repeated entries from a list.
func (x *Index) distinct(list []uint32) []uint32 {
	if words := x.entries.count/64 + 1; words > len(x.seen) {
		x.seen = make([]uint64, 2*words)
	}
	count := 0
	for _, entry := range list {
		word, bit := &x.seen[entry/64], uint64(1)<<(entry%64)
		list[count] = entry
		count += boolToInt(*word&bit == 0)
		*word |= bit
	}
	for _, entry := range list[:count] {
		x.seen[entry/64] = 0
	}
	return list[:count]
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// candidates returns the entries whose similarity may be least or more, in no particular order. The
// slice is valid until the next record.
func (x *Index) candidates(least float64) []candidate {
	x.scan(least >= x.params.Threshold)
	x.similar = x.similar[:0]
	for _, entry := range x.found {
		if most := x.mostOf(x.entries.row(entry)); most >= least {
			x.similar = append(x.similar, candidate{entry: entry, most: most})
		}
	}
	return x.similar
}

// mostOf returns an upper bound for the similarity of the current record and an entry. It follows
// from their sizes, and from the ranges in which one has an odd number of hashes and the other an
// even one.
func (x *Index) mostOf(r *row) float64 {
	n, m := x.own.size, memory.SetPlace(r.place).Len()
	if n == 0 || m == 0 {
		return 0
	}
	a, b := &r.parities, &x.own.row.parities
	differ := bits.OnesCount64(a[0]^b[0]) + bits.OnesCount64(a[1]^b[1])
	common := min(n, m, (n+m-differ)/2)
	return float64(common) / float64(n+m-common)
}

// mostCompared is the maximum number of sets that are read for a record.
const mostCompared = 256

// best returns the most similar entry that makes the current record a duplicate, the earliest if
// several are equal, and whether their sets are equal. It reads sets in descending order of the
// bounds for their similarity, as long as they may be better.
func (x *Index) best() (best memory.Match, isCopy bool, err error) {
	least, rest := x.params.Threshold, byBound(x.candidates(x.params.Threshold))
	rest.order()
	for read := 0; len(rest) > 0; read++ {
		c := rest.take()
		if c.most < least || c.most == least && best.Record != 0 && x.entries.number(c.entry) > best.Record {
			break
		}
		if read == mostCompared {
			x.isCut = true
			break
		}
		similarity, err := x.similarity(c.entry)
		if err != nil {
			return best, false, err
		}
		number := x.entries.number(c.entry)
		if similarity > least || similarity == least && (best.Record == 0 || number < best.Record) {
			least = similarity
			best = memory.Match{Record: number, Similarity: float32(similarity)}
		}
		if similarity == 1 {
			return best, true, nil
		}
	}
	return best, false, nil
}

// Stats describes the index.
func (x *Index) Stats() memory.Stats {
	s := x.Counted()
	s.Forgotten, s.Cut = x.forgotten, x.cut
	s.Bytes = x.entries.bytes() + x.tables.bytes() + 4*uint64(len(x.order.counts))
	s.LogBytes = x.sets.LogBytes()
	return s
}

// Close frees the memory. The index must not be used afterwards.
func (x *Index) Close() error {
	err := errors.Join(x.sets.Close(), x.tables.release(), x.entries.release())
	*x = Index{}
	return err
}
