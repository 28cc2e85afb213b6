package signatures

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/offheap"
	"github.com/mithril-stream/mithril-stream/internal/postings"
	"github.com/mithril-stream/mithril-stream/internal/spill"
)

// What exceeds Params.MaxMemory is sealed: entries and tables are written to an unnamed file, in
// one sequential pass, and read from there through the page cache. The first key of each page stays
// in memory, and so do filters that rule out nearly all absent keys: for each band one over all
// parts, and one for each part, which is looked up only if the first one matches. So a record
// without near-duplicates costs hardly any reads.

// sealedParts is everything that was sealed.
type sealedParts struct {
	active int            // number of entries in memory that triggers sealing, or 0
	parts  []spill.Part   // in the order they were sealed: the tables of bands, and of Index.copies
	sealed []spill.Filter // filters of the bands, over all parts; nil if nothing is sealed
	marks  []uint64       // marks of the current record, to look up in the filters
}

// markOf returns what filters store for a band: its key combined with the band's slots in the
// signature, since keys alone are too short to be selective.
func (x *rule) markOf(band int, key uint32, signature []uint64) uint64 {
	mark := uint64(key)<<32 | uint64(band)
	for _, m := range x.masks[band] {
		mark = (mark ^ signature[m.word]&m.mask) * 0x9e3779b97f4a7c15
		mark ^= mark >> 32
	}
	return mark * 0x9e3779b97f4a7c15
}

// putMarks sets the marks of the current record.
func (x *Index) putMarks() {
	x.marks = x.marks[:0]
	for i, key := range x.keys {
		x.marks = append(x.marks, x.markOf(i, key, x.own))
	}
}

func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*wordBytes)
}

// seal moves everything in memory to a file.
func (x *Index) seal() error {
	if x.sealed == nil {
		var err error
		if x.sealed, err = spill.NewFilters(len(x.tables), costs(x.params).sealedEntries()); err != nil {
			return err
		}
	}
	filters, err := spill.NewFilters(len(x.tables), x.entries.count-x.entries.sealed*rowsPerChunk)
	if err != nil {
		return err
	}
	x.mark(filters)
	part := spill.Part{Tables: make([]spill.FilteredTable, len(filters)+1)}
	sizes := make([]int, len(x.tables))
	if part.File, err = x.writeSealed(sizes); err != nil {
		return errors.Join(err, spill.CloseFilters(filters))
	}
	for i := x.entries.sealed; i < len(x.entries.chunks); i++ {
		n := len(x.entries.chunks[i])
		err = errors.Join(err, offheap.Release(x.entries.chunks[i]))
		x.entries.chunks[i] = part.File.Next(n)
	}
	x.entries.sealed = len(x.entries.chunks)
	for i := range x.tables {
		part.Tables[i] = spill.FilteredTable{Table: spill.NewTable(part.File.Next(sizes[i])), Filter: filters[i]}
		err = errors.Join(err, x.tables[i].Release())
	}
	part.Tables[len(x.tables)].Table = spill.NewTable(part.File.Next(x.copies.Len()))
	x.parts = append(x.parts, part)
	return errors.Join(err, x.copies.Release(), x.newTables())
}

// mark adds the entries in memory to the filters of a part, and to those over all parts.
func (x *Index) mark(filters []spill.Filter) {
	for band, table := range x.tables {
		table.Each(func(words []uint64) {
			for _, word := range words {
				mark := x.markOf(band, uint32(word>>32), x.entries.signature(postings.EntryOf(word)))
				filters[band].Add(mark)
				x.sealed[band].Add(mark)
			}
		})
	}
}

// touchMarks reads the cache line of each mark in its filter.
func touchMarks(filters []spill.Filter, marks []uint64) (touched uint64) {
	for i, mark := range marks {
		touched |= filters[i].Touch(mark)
	}
	return touched
}

// writeSealed writes the entries and tables in memory to a file, and sets sizes to the words of
// each table.
func (x *Index) writeSealed(sizes []int) (f spill.File, err error) {
	w, err := spill.Create(x.params.SpillDir)
	if err != nil {
		return f, err
	}
	for _, chunk := range x.entries.chunks[x.entries.sealed:] {
		w.Write(chunk)
	}
	for i := range x.tables {
		x.tables[i].Each(func(words []uint64) {
			sizes[i] += len(words)
			w.Write(words)
		})
	}
	x.copies.EachRun(w.Write)
	return w.Map()
}

// activeEntries returns how many entries stay in memory before they are sealed, or 0 if they never
// are. They get half of the memory, and what remains of sealed entries gets the other half.
func (p costs) activeEntries() int {
	if p.MaxMemory == 0 {
		return 0
	}
	return int(float64(p.MaxMemory)/2/p.peakOfEntry()) / rowsPerChunk * rowsPerChunk
}

// bytesOfSealed returns the memory of a sealed entry: for each table its bits in two filters, and
// its share of the first key of a page.
func (p costs) bytesOfSealed() float64 {
	return (2*spill.BytesOfMark + spill.MemoryOfWord) * float64(p.Bands)
}

// sealedEntries returns how many entries can be sealed.
func (p costs) sealedEntries() int { return int(float64(p.MaxMemory) / 2 / p.bytesOfSealed()) }

// leastMemory returns the lowest valid MaxMemory.
func (p costs) leastMemory() uint64 { return uint64(2*p.peakOfEntry()*rowsPerChunk) + 1<<20 }

// sealFull seals the entries in memory if there are as many as allowed.
func (x *Index) sealFull() error {
	if x.active == 0 || x.entries.count-x.entries.sealed*rowsPerChunk < x.active {
		return nil
	}
	if most := costs(x.params).sealedEntries(); x.entries.count > most {
		return fmt.Errorf("%w: %d bytes are enough for only %d signatures, most of them on disk: allow more",
			memory.ErrMemory, x.params.MaxMemory, most)
	}
	return x.seal()
}
