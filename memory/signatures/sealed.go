package signatures

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
	"github.com/mithril-stream/mithril-stream/internal/postings"
	"github.com/mithril-stream/mithril-stream/internal/spill"
	"github.com/mithril-stream/mithril-stream/memory"
)

// What exceeds Params.MaxMemory is sealed: entries and tables are written to a file that has no
// name, and read from there through the cache of the system. Writing is one pass from one end of
// the file to the other, however the keys fall. In memory stay the first key of each page, and
// filters, which say of nearly all keys that they are not there: for each band one for all parts,
// and one for each part, which is asked if the first one says yes. So a record that resembles none
// costs next to no reading.

// A sealedPart is what was sealed at a time.
type sealedPart struct {
	file   spill.File
	tables []sealedTable // of the bands, then of the signatures
}

// A sealedTable is a table that does not change any more.
type sealedTable struct {
	spill.Table
	filter spill.Filter
}

// marksOf appends what the filters know of a signature: a hash of the slots of each band, then of
// all. Keys of 32 bits would not do, of which others have many.
func (x *Index) marksOf(dst []uint64, signature []uint64) []uint64 {
	bytes := bytesOf(signature)
	for i := range x.params.Bands {
		dst = append(dst, xxh3.Hash(bytes[i*x.params.Rows:(i+1)*x.params.Rows]))
	}
	return append(dst, xxh3.Hash(bytes))
}

func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*wordBytes)
}

// seal moves all that is in memory to a file.
func (x *Index) seal() error {
	if x.sealed == nil {
		var err error
		if x.sealed, err = spill.NewFilters(len(x.tables), x.params.sealedEntries()); err != nil {
			return err
		}
	}
	filters, err := spill.NewFilters(len(x.tables), x.entries.count-x.entries.sealed*rowsPerChunk)
	if err != nil {
		return err
	}
	x.mark(filters)
	part := sealedPart{tables: make([]sealedTable, len(filters))}
	if part.file, err = x.writeSealed(); err != nil {
		return errors.Join(err, spill.CloseFilters(filters))
	}
	for i := x.entries.sealed; i < len(x.entries.chunks); i++ {
		n := len(x.entries.chunks[i])
		err = errors.Join(err, offheap.Release(x.entries.chunks[i]))
		x.entries.chunks[i] = part.file.Take(n)
	}
	x.entries.sealed = len(x.entries.chunks)
	for i := range x.tables {
		part.tables[i] = sealedTable{spill.NewTable(part.file.Take(x.tables[i].Len())), filters[i]}
		err = errors.Join(err, x.tables[i].Release())
		var wrong error
		x.tables[i], wrong = postings.New(postings.Quick)
		err = errors.Join(err, wrong)
	}
	x.parts = append(x.parts, part)
	return err
}

// mark adds the entries that are in memory to the filters of a part, and to those of all.
func (x *Index) mark(filters []spill.Filter) {
	var marks []uint64
	for entry := x.entries.sealed * rowsPerChunk; entry < x.entries.count; entry++ {
		marks = x.marksOf(marks[:0], x.entries.signature(uint32(entry)))
		runtime.KeepAlive(touchMarks(x.sealed, marks))
		for i, mark := range marks {
			filters[i].Add(mark)
			x.sealed[i].Add(mark)
		}
	}
}

// touchMarks reads the line of each mark in its filter.
func touchMarks(filters []spill.Filter, marks []uint64) (touched uint64) {
	for i, mark := range marks {
		touched |= filters[i].Touch(mark)
	}
	return touched
}

// writeSealed writes the entries and tables that are in memory to a file.
func (x *Index) writeSealed() (f spill.File, err error) {
	w, err := spill.Create(x.params.SpillDir)
	if err != nil {
		return f, err
	}
	for _, chunk := range x.entries.chunks[x.entries.sealed:] {
		w.Write(chunk)
	}
	for i := range x.tables {
		x.tables[i].EachRun(w.Write)
	}
	return w.Map()
}

// close gives the memory and the file back.
func (p *sealedPart) close() error {
	errs := []error{p.file.Close()}
	for _, t := range p.tables {
		errs = append(errs, t.filter.Close())
	}
	return errors.Join(errs...)
}

func (p *sealedPart) memory() (bytes uint64) {
	for _, t := range p.tables {
		bytes += t.filter.Bytes() + t.Memory()
	}
	return bytes
}

// activeEntries is how many entries are in memory before they are sealed, or 0 if they never are.
// Half of the memory is for them, the other for what stays of those that were sealed.
func (p Params) activeEntries() int {
	if p.MaxMemory == 0 {
		return 0
	}
	return int(float64(p.MaxMemory)/2/p.peakOfEntry()) / rowsPerChunk * rowsPerChunk
}

// bytesOfSealed is what stays in memory of a sealed entry: of each table its bits in two filters,
// and its part of the first key of a page.
func (p Params) bytesOfSealed() float64 {
	return (2*spill.BytesOfMark + spill.MemoryOfWord) * float64(p.Bands+1)
}

// sealedEntries is how many entries can be sealed.
func (p Params) sealedEntries() int { return int(float64(p.MaxMemory) / 2 / p.bytesOfSealed()) }

// leastMemory is the least that MaxMemory may be.
func (p Params) leastMemory() uint64 { return uint64(2*p.peakOfEntry()*rowsPerChunk) + 1<<20 }

// makeRoom seals what is in memory, if it is as much as it may be.
func (x *Index) makeRoom() error {
	if x.active == 0 || x.entries.count-x.entries.sealed*rowsPerChunk < x.active {
		return nil
	}
	if most := x.params.sealedEntries(); x.entries.count > most {
		return fmt.Errorf("%w: %d bytes are enough for %d signatures, of which most are on disk: allow more",
			memory.ErrMemory, x.params.MaxMemory, most)
	}
	return x.seal()
}
