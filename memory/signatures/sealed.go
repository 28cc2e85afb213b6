package signatures

import (
	"bufio"
	"errors"
	"fmt"
	"runtime"
	"sort"
	"unsafe"

	"github.com/zeebo/xxh3"
	"golang.org/x/sys/unix"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
	"github.com/mithril-stream/mithril-stream/internal/postings"
	"github.com/mithril-stream/mithril-stream/internal/private"
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
	file   []byte
	tables []sealedTable // of the bands, then of the signatures
}

// A sealedTable is a table that does not change any more.
type sealedTable struct {
	words  []uint64 // of the table, in their order, in the file
	firsts []uint32 // key of the first word of each page
	filter keyFilter
}

const wordsOfPage = 4096 / wordBytes

// find returns the words of a key in a table whose filter knows its mark.
func (t *sealedTable) find(key uint32) []uint64 {
	page := sort.Search(len(t.firsts), func(i int) bool { return t.firsts[i] >= key })
	from := max(0, page-1) * wordsOfPage // the page before may end with the key
	for from < len(t.words) && uint32(t.words[from]>>32) < key {
		from++
	}
	to := from
	for to < len(t.words) && uint32(t.words[to]>>32) == key {
		to++
	}
	return t.words[from:to]
}

// A keyFilter is a Bloom filter whose bits for a mark are in one line of the cache (Putze, Sanders,
// Singler: Cache-, Hash- and Space-Efficient Bloom Filters, 2007).
type keyFilter []uint64

const (
	bitsOfMark  = 10
	wordsOfLine = 8
)

// newKeyFilter has room for some marks, at a rate of errors of about 1 in 100.
func newKeyFilter(marks int) (keyFilter, error) {
	lines := max(1, marks*bitsOfMark/(64*wordsOfLine))
	return memory.Allocate(uint64(lines * wordsOfLine))
}

func (f keyFilter) line(mark uint64) []uint64 {
	lines := uint64(len(f) / wordsOfLine)
	at := mark >> 32 * lines >> 32 * wordsOfLine
	return f[at : at+wordsOfLine : at+wordsOfLine]
}

// bitsOf spreads a mark, of which the upper half has chosen the line: six bits for each word of it.
func bitsOf(mark uint64) uint64 { return uint64(uint32(mark)) * 0x9e3779b97f4a7c15 >> 16 }

// touchMarks reads the line of each mark in its filter, so that the processor waits for all of them
// at once.
func touchMarks(filters []keyFilter, marks []uint64) (touched uint64) {
	for i, mark := range marks {
		touched |= filters[i].line(mark)[0]
	}
	return touched
}

func (f keyFilter) add(mark uint64) {
	bits := bitsOf(mark)
	for i, line := 0, f.line(mark); i < wordsOfLine; i++ {
		line[i] |= 1 << (bits >> (6 * i) & 63)
	}
}

func (f keyFilter) has(mark uint64) bool {
	bits, missing := bitsOf(mark), uint64(0)
	for i, line := 0, f.line(mark); i < wordsOfLine; i++ {
		missing |= ^line[i] & (1 << (bits >> (6 * i) & 63))
	}
	return missing == 0
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
		if x.sealed, err = newKeyFilters(len(x.tables), x.params.sealedEntries()); err != nil {
			return err
		}
	}
	filters, err := newKeyFilters(len(x.tables), x.entries.count-x.entries.sealed*rowsPerChunk)
	if err != nil {
		return err
	}
	x.mark(filters)
	part := sealedPart{tables: make([]sealedTable, len(filters))}
	if part.file, err = x.writeSealed(); err != nil {
		return errors.Join(err, closeFilters(filters))
	}
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&part.file[0])), len(part.file)/wordBytes)
	for i := x.entries.sealed; i < len(x.entries.chunks); i++ {
		n := len(x.entries.chunks[i])
		err = errors.Join(err, offheap.Release(x.entries.chunks[i]))
		x.entries.chunks[i], words = words[:n:n], words[n:]
	}
	x.entries.sealed = len(x.entries.chunks)
	for i := range x.tables {
		s, size := &part.tables[i], x.tables[i].Len()
		s.filter, s.words = filters[i], words[:size:size]
		words = words[size:]
		for at := 0; at < len(s.words); at += wordsOfPage {
			s.firsts = append(s.firsts, uint32(s.words[at]>>32))
		}
		err = errors.Join(err, x.tables[i].Release())
		var wrong error
		x.tables[i], wrong = postings.New(postings.Quick)
		err = errors.Join(err, wrong)
	}
	x.parts = append(x.parts, part)
	return err
}

// newKeyFilters returns some filters, each with room for some marks.
func newKeyFilters(count, marks int) (filters []keyFilter, err error) {
	for range count {
		f, err := newKeyFilter(marks)
		if err != nil {
			return nil, errors.Join(err, closeFilters(filters))
		}
		filters = append(filters, f)
	}
	return filters, nil
}

func closeFilters(filters []keyFilter) (err error) {
	for _, f := range filters {
		err = errors.Join(err, offheap.Release(f))
	}
	return err
}

// mark adds the entries that are in memory to the filters of a part, and to those of all.
func (x *Index) mark(filters []keyFilter) {
	var marks []uint64
	for entry := x.entries.sealed * rowsPerChunk; entry < x.entries.count; entry++ {
		marks = x.marksOf(marks[:0], x.entries.signature(uint32(entry)))
		runtime.KeepAlive(touchMarks(x.sealed, marks))
		for i, mark := range marks {
			filters[i].add(mark)
			x.sealed[i].add(mark)
		}
	}
}

// writeSealed writes the entries and tables that are in memory to a file without a name, and maps
// it.
func (x *Index) writeSealed() (mapped []byte, err error) {
	file, err := private.Unnamed(x.params.SpillDir)
	if err != nil {
		return nil, fmt.Errorf("make a file for what is beyond the memory: %w", err)
	}
	defer file.Close()
	w, size := bufio.NewWriterSize(file, 1<<20), 0
	write := func(words []uint64) {
		n, _ := w.Write(bytesOf(words)) // an error stays until Flush
		size += n
	}
	for _, chunk := range x.entries.chunks[x.entries.sealed:] {
		write(chunk)
	}
	for i := range x.tables {
		words := x.tables[i].Words()
		for len(words) > 0 { // runs of words without an empty one
			n := 0
			for n < len(words) && words[n] != 0 {
				n++
			}
			write(words[:n])
			words = words[min(n+1, len(words)):]
		}
	}
	if err := w.Flush(); err != nil {
		return nil, fmt.Errorf("write what is beyond the memory: %w", err)
	}
	mapped, err = unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map what is beyond the memory: %w", err)
	}
	_ = unix.Madvise(mapped, unix.MADV_RANDOM) // a hint
	return mapped, nil
}

// close gives the memory and the file back.
func (p *sealedPart) close() error {
	errs := []error{unix.Munmap(p.file)}
	for _, t := range p.tables {
		errs = append(errs, offheap.Release(t.filter))
	}
	return errors.Join(errs...)
}

func (p *sealedPart) memory() (bytes uint64) {
	for _, t := range p.tables {
		bytes += uint64(len(t.filter)*wordBytes + 4*cap(t.firsts))
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
	return (2*bitsOfMark/8. + 4./wordsOfPage) * float64(p.Bands+1)
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
