package samples

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/postings"
	"github.com/mithril-stream/mithril-stream/internal/spill"
)

// PeakBytes is what an index takes, while it grows, for so many entries of texts that are not long:
// of fewer than 2·fracminhash.Least·Scale shingles.
func (p Params) PeakBytes(entries uint64) uint64 {
	return uint64(float64(entries) * (p.bytesOfActive() + p.bytesOfRow()))
}

// LeastMemory is the least MaxMemory with which an index has room for so many entries.
func (p Params) LeastMemory(entries uint64) uint64 {
	sealed := p.bytesOfRow() + p.bytesOfSealed()
	active := p.bytesOfRow() + p.bytesOfActive() + p.bytesOfSealed() // filters are made beside it
	// Each part that is sealed leaves less room for the next one, until that would be too small.
	ofByte := (1-1./leastSealed)/sealed + 1./leastSealed/active
	const begun = 7 << 17 // tables, chunks and buffers that are hardly used
	return min(uint64(float64(entries)/ofByte), p.PeakBytes(entries)) + begun
}

// bytesOfActive is what an entry takes in memory of what can be sealed: its hashes, at the moment
// at which one table grows, and its finer sample.
func (p Params) bytesOfActive() float64 {
	growing := postings.Dense.PeakOf() - postings.Dense.BytesOf() // of a posting, in one table at a time
	bytes := usual*postings.Dense.MeanOf() + postings.Dense.BytesOf() + growing*usual/hashTables
	if p.hasFiner() {
		bytes += wordBytes * usualFinerWords
	}
	return bytes
}

// bytesOfRow is what an entry takes in memory whatever is sealed, with the most weights of lower
// levels.
func (p Params) bytesOfRow() float64 {
	return float64(originBytes + wordBytes*(p.rowWords()+(p.sampling().MaxLevel()+1)/2))
}

// bytesOfSealed is what stays in memory of the hashes of a sealed entry.
func (p Params) bytesOfSealed() float64 {
	return (usual + 1) * (spill.BytesOfMark + spill.MemoryOfWord)
}

// makeRoom has room for the record at hand, within Params.MaxMemory, also while tables grow for it
// and while what is in memory is sealed. What may have to be sealed is sealed before there is no
// more room for its filters. It is ErrFull if little would be sealed: then most of the memory is
// for what was.
func (x *Index) makeRoom() error {
	if x.params.MaxMemory == 0 || x.bytesWithOneMore() <= x.params.MaxMemory {
		return nil
	}
	if x.active() < x.params.MaxMemory/leastSealed {
		return x.errNoRoom()
	}
	if err := x.seal(); err != nil {
		return err
	}
	if x.bytesWithOneMore() > x.params.MaxMemory {
		return x.errNoRoom()
	}
	return nil
}

// leastSealed is the part of the memory that is sealed at least: one in so many. So there are few
// parts, each of which is asked for each hash.
const leastSealed = 8

func (x *Index) errNoRoom() error {
	return fmt.Errorf("%w: %d samples, of which %d are on disk, take the %d bytes that they may take: give more "+
		"memory, or take smaller samples (a larger scale)", memory.ErrFull, x.entries.count, x.sealed,
		x.params.MaxMemory)
}

// active is what is in memory and goes to a file when it is sealed.
func (x *Index) active() uint64 {
	words := -x.commons
	for i := range x.tables {
		words += x.tables[i].Len()
	}
	return wordBytes*uint64(words) + x.entries.finers.bytes()
}

// sealedBytes is what stays in memory of what was sealed.
func (x *Index) sealedBytes() (bytes uint64) {
	for _, p := range x.parts {
		bytes += p.memory()
	}
	return bytes
}

// bytesWithOneMore is what the index takes with the record at hand, at most while it is added, or
// while it is sealed then.
func (x *Index) bytesWithOneMore() uint64 {
	var more [tables]int
	for _, h := range x.sample {
		more[tableOf(h)]++
	}
	more[ofSketches] = 1
	all, growing, words := x.sealedBytes(), uint64(0), 0
	for i := range x.tables {
		after, beside := x.tables[i].With(more[i])
		all, growing = all+after, max(growing, beside)
		words += x.tables[i].Len() + more[i]
	}
	sealing := uint64(spill.BytesOfMark*float64(words)) + x.empty + spill.BufferBytes
	return all + max(growing, sealing) + x.entries.bytesWithOneMore(x.own.Level, x.finer)
}
