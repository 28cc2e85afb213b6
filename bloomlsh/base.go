package bloomlsh

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/mithril-stream/mithril-stream/internal/index"
)

// A sealed file holds the filters of one generation; docs/design/format.md §2 defines it.

var filterCodes = map[string]uint32{FilterPaged: 1, FilterClassic: 2, FilterTagged: 3, filterDoubling: 4}

// sealedGeneration returns the header and body of a generation's sealed file.
func sealedGeneration(number int, g *generation) (header, body []byte) {
	g.moveFirst()
	b := make([]byte, index.SealedHeader)
	le := binary.LittleEndian
	le.PutUint32(b[20:], filterCodes[g.geometry.filter])
	own := appendNumbers(nil, uint64(number), g.capacity, g.inserted)
	own = le.AppendUint32(own, uint32(g.bands))
	own = le.AppendUint32(own, uint32(g.probes))
	copy(b[index.SealedOwn:], le.AppendUint64(own, g.bandWords))
	return b, bytesOf(g.words)
}

func filterOfCode(code uint64) string {
	for name, c := range filterCodes {
		if uint64(c) == code {
			return name
		}
	}
	return fmt.Sprintf("number %d", code)
}

// bytesOf returns the memory of words as bytes, as stored in files. This package works only on
// little-endian machines (checkByteOrder).
func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)
}

// wordsOf is the inverse of bytesOf.
func wordsOf(b []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

func checkByteOrder() error {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return fmt.Errorf("index files cannot be used on this machine: it is big-endian, they are not")
	}
	return nil
}

// A baseFile is the sealed file of a generation. Its header has been checked.
type baseFile struct {
	*index.SealedFile
	generation int // counted from 1
	inserted   uint64
	geometry
	kept bool // an index still reads its pages
}

// openBase returns a baseFile after checking its header.
func openBase(f *index.SealedFile, p Params) (*baseFile, error) {
	le, own := binary.LittleEndian, f.Header[index.SealedOwn:]
	b := &baseFile{SealedFile: f, generation: f.Number, inserted: le.Uint64(own[16:]), geometry: geometry{
		capacity:  le.Uint64(own[8:]),
		filter:    filterOfCode(uint64(le.Uint32(f.Header[20:]))),
		bands:     int(le.Uint32(own[24:])),
		probes:    int(le.Uint32(own[28:])),
		bandWords: le.Uint64(own[32:]),
	}}
	if le.Uint64(own) != uint64(f.Number) {
		return nil, index.Corrupt(f.Path(), "it is of another generation")
	}
	// The length of the file, not its header, determines how much is read.
	if b.bands < 1 || b.bandWords > uint64(f.Bytes())/8/uint64(b.bands) || int64(b.words())*8 != f.Bytes() {
		return nil, index.Corrupt(f.Path(), "it has %d bytes of filters, which is not what its header says", f.Bytes())
	}
	return b, b.check(p)
}

// check compares the header with the parameters of the index.
func (b *baseFile) check(p Params) (err error) {
	if b.inserted > b.capacity {
		return index.Corrupt(b.Path(), "it claims %d records at a capacity of %d", b.inserted, b.capacity)
	}
	if p.doubles() {
		plan := planGeneration(p, 0).doubledTo(b.capacity)
		if b.doublings = plan.doublings; plan.doublings > 0 && b.inserted <= plan.before() {
			return index.Corrupt(b.Path(), "it claims %d records at a capacity of %d: it is for more", b.inserted,
				b.capacity)
		}
		err = checkGeometry(b.geometry, plan)
	} else {
		err = p.checkGeneration(b.geometry, b.generation)
	}
	if err != nil {
		return index.Corrupt(b.Path(), "%v", err)
	}
	return nil
}

// checkGeneration compares a stored geometry with the one that the parameters require. With a
// clock, any geometry that a window can have is accepted, since it is not known here which
// generations share a window.
func (p Params) checkGeneration(stored geometry, generation int) error {
	plan := planGeneration(p, generation-1)
	for times := 1; p.hasClock() && plan.capacity < stored.capacity && times <= maxDoublings; times++ {
		plan = p.doubled(times)
	}
	return checkGeometry(stored, plan)
}

// checkGeometry compares a stored geometry with the required one. The number of words may differ
// slightly, since it comes from floating-point arithmetic.
func checkGeometry(stored, plan geometry) error {
	if stored.filter != plan.filter || stored.bands != plan.bands || stored.capacity != plan.capacity ||
		stored.probes != plan.probes {
		return fmt.Errorf("its geometry (%s, %d bands, %d records, %d probes) is not that of the parameters",
			stored.filter, stored.bands, stored.capacity, stored.probes)
	}
	slack := plan.bandWords/100 + pageWords
	page := uint64(pageWords) << plan.doublings
	if plan.isTagged() {
		slack = page
	}
	if stored.bandWords == 0 || stored.bandWords > plan.bandWords+slack || stored.bandWords+slack < plan.bandWords {
		return fmt.Errorf("a band has %d words, the parameters ask for %d", stored.bandWords, plan.bandWords)
	}
	if plan.filter != FilterClassic && stored.bandWords%page != 0 {
		return fmt.Errorf("a band of %d words is not made of whole pages", stored.bandWords)
	}
	return nil
}
