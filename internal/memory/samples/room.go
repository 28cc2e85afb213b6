package samples

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/postings"
	"github.com/mithril-stream/mithril-stream/internal/spill"
)

// PeakBytes returns the memory that an index takes, while it grows, for that many entries of texts
// that are not long: of fewer than 2·fracminhash.Least·Scale shingles.
func (p Params) PeakBytes(entries uint64) uint64 {
	return uint64(float64(entries) * (p.bytesOfActive() + p.bytesOfRow()))
}

// LeastMemory returns the lowest MaxMemory with which that many entries fit.
func (p Params) LeastMemory(entries uint64) uint64 {
	sealed := p.bytesOfRow() + p.bytesOfSealed()
	// filters are built while the tables still exist
	active := p.bytesOfRow() + p.bytesOfActive() + p.bytesOfSealed()
	// Each sealed part leaves less room for the next one, until it would be too small.
	ofByte := (1-1./leastSealed)/sealed + 1./leastSealed/active
	const begun = 17 << 16 // tables, chunks and buffers that are nearly empty
	return min(uint64(float64(entries)/ofByte), p.PeakBytes(entries)) + begun
}

// bytesOfActive returns the memory of an entry that sealing frees: its hashes, while one table
// grows, and its finer sample.
func (p Params) bytesOfActive() float64 {
	// of a posting, in one table at a time
	growing := postings.Dense.PeakOf() - postings.Dense.BytesOf()
	bytes := usual*postings.Dense.MeanOf() + postings.Dense.BytesOf() + growing*usual/hashTables
	if p.hasFiner() {
		bytes += wordBytes * usualFinerWords
	}
	return bytes
}

// bytesOfRow returns the memory of an entry that sealing does not free, with as many weights of
// lower levels as possible.
func (p Params) bytesOfRow() float64 {
	return float64(originBytes + wordBytes*(p.rowWords()+(p.sampling().MaxLevel()+1)/2))
}

// bytesOfSealed returns the memory that the hashes of a sealed entry keep.
func (p Params) bytesOfSealed() float64 {
	return (usual + 1) * (spill.BytesOfMark + spill.MemoryOfWord)
}

// reserve makes room for the current record within Params.MaxMemory, including the growth of
// tables and a later sealing. What may have to be sealed is sealed while there is still room for
// its filters. It returns ErrFull if little would be sealed because sealed parts use most of the
// memory.
func (x *Index) reserve() error {
	if x.params.MaxMemory == 0 || x.bytesWithOneMore() <= x.params.MaxMemory {
		return nil
	}
	if x.active() < x.params.MaxMemory/leastSealed {
		return x.params.errNoRoom(x.entries.count, x.sealed)
	}
	if err := x.seal(); err != nil {
		return err
	}
	if x.bytesWithOneMore() > x.params.MaxMemory {
		return x.params.errNoRoom(x.entries.count, x.sealed)
	}
	return nil
}

// leastSealed is the inverse of the minimum fraction of the memory that is sealed at once. It keeps
// the number of parts low, since each is asked for each hash.
const leastSealed = 8

func (p *Params) errNoRoom(samples, sealed uint32) error {
	return fmt.Errorf("%w: %d samples, of which %d are on disk, take the %d bytes that they may take: give more "+
		"memory, or take smaller samples (a larger scale)", memory.ErrFull, samples, sealed, p.MaxMemory)
}

// active returns the memory that sealing would free.
func (x *Index) active() uint64 {
	words := -x.commons
	for i := range x.tables {
		words += x.tables[i].Len()
	}
	return wordBytes*uint64(words) + x.entries.finers.bytes()
}

// sealedBytes returns the memory that sealed parts use.
func (x *hashLists) sealedBytes() (bytes uint64) {
	for _, p := range x.parts {
		bytes += p.Memory()
	}
	return bytes
}

// bytesWithOneMore returns the maximum memory of the index while the current record is added, or
// while the index is sealed afterwards.
func (x *Index) bytesWithOneMore() uint64 {
	var more [tables]int
	for _, h := range x.sample {
		more[tableOf(h)]++
	}
	more[ofSketches] = 1 + nearKeys
	all, growing, words := x.sealedBytes(), uint64(0), 0
	for i := range x.tables {
		after, beside := x.tables[i].With(more[i])
		all, growing = all+after, max(growing, beside)
		words += x.tables[i].Len() + more[i]
	}
	sealing := uint64(spill.BytesOfMark*float64(words)) + x.empty + spill.BufferBytes
	packed := mostPackedWords(len(x.sample) + x.own.Finer())
	return all + max(growing, sealing) + x.entries.bytesWithOneMore(x.own.Level, packed)
}
