package bloomlsh

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"unsafe"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// A base file holds the filters of one generation; docs/design/format.md §2 defines it.

const (
	baseHolds      = "filters"
	baseHeaderSize = 4096
	extentSize     = 1 << 20
)

var filterCodes = map[string]uint32{FilterPaged: 1, FilterClassic: 2, FilterTagged: 3, filterDoubling: 4}

// baseHeader is the first page of a base file.
type baseHeader struct {
	fingerprint xxh3.Uint128
	generation  int // from 1
	inserted    uint64
	geometry
}

func (h baseHeader) encode() []byte {
	b := make([]byte, 0, baseHeaderSize)
	b = append(b, framelog.Named(baseHolds)...)
	b = binary.LittleEndian.AppendUint32(b, formatVersion)
	b = binary.LittleEndian.AppendUint32(b, filterCodes[h.filter])
	b = appendNumbers(b, h.fingerprint.Hi, h.fingerprint.Lo, uint64(h.generation), h.capacity, h.inserted)
	b = binary.LittleEndian.AppendUint32(b, uint32(h.bands))
	b = binary.LittleEndian.AppendUint32(b, uint32(h.probes))
	b = binary.LittleEndian.AppendUint64(b, h.bandWords)
	return b[:baseHeaderSize]
}

// decodeBaseHeader reads the fields. The caller, who knows the index, checks their values.
func decodeBaseHeader(b []byte) (h baseHeader, version uint32, err error) {
	if len(b) != baseHeaderSize || !bytes.HasPrefix(b, framelog.Named(baseHolds)) {
		return h, 0, fmt.Errorf("it does not begin as a base file")
	}
	le := binary.LittleEndian
	h = baseHeader{
		fingerprint: xxh3.Uint128{Hi: le.Uint64(b[24:]), Lo: le.Uint64(b[32:])},
		generation:  int(le.Uint64(b[40:])),
		inserted:    le.Uint64(b[56:]),
		geometry: geometry{
			capacity:  le.Uint64(b[48:]),
			filter:    filterOfCode(uint64(le.Uint32(b[20:]))),
			bands:     int(le.Uint32(b[64:])),
			probes:    int(le.Uint32(b[68:])),
			bandWords: le.Uint64(b[72:]),
		},
	}
	return h, le.Uint32(b[16:]), nil
}

func filterOfCode(code uint64) string {
	for name, c := range filterCodes {
		if uint64(c) == code {
			return name
		}
	}
	return fmt.Sprintf("number %d", code)
}

func extents(size int64) int64 { return (size + extentSize - 1) / extentSize }

// bytesOf is the memory of words as the file has it: this package works on little-endian machines
// only (checkByteOrder).
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

// writeBase writes and flushes a generation's base file and returns its seal.
func writeBase(files *store.Dir, name string, h baseHeader, words []uint64) (seal uint64, err error) {
	err = files.Fill(name, func(f *store.File) error {
		header, body := h.encode(), bytesOf(words)
		if _, err := f.WriteAt(header, 0); err != nil {
			return err
		}
		sealed := header
		for start := 0; start < len(body); start += extentSize {
			extent := body[start:min(start+extentSize, len(body))]
			if _, err := f.WriteAt(extent, baseHeaderSize+int64(start)); err != nil {
				return err
			}
			sealed = binary.LittleEndian.AppendUint64(sealed, xxh3.Hash(extent))
		}
		seal = xxh3.Hash(sealed)
		trailer := binary.LittleEndian.AppendUint64(sealed[baseHeaderSize:], seal)
		_, err := f.WriteAt(trailer, baseHeaderSize+int64(len(body)))
		return err
	})
	return seal, err
}

// baseFile is an open base file whose header and extent table are checked.
type baseFile struct {
	baseHeader
	path  string
	file  extentFile
	size  int64 // of the whole file
	table []byte
	kept  bool // by an index that reads pages of it
}

// openBase checks everything but the extents.
func openBase(
	env environment, files *store.Dir, ref baseRef, generation int, parameters []Parameter, p Params,
) (*baseFile, error) {
	f, err := env.openExtents(files, ref.name)
	if err != nil {
		return nil, err
	}
	b := &baseFile{path: filepath.Join(files.Path(), ref.name), file: f}
	if err := b.check(ref.seal, generation, parameters, p); err != nil {
		f.Close()
		return nil, err
	}
	return b, nil
}

func (b *baseFile) check(seal uint64, generation int, parameters []Parameter, p Params) (err error) {
	if b.size, err = b.file.Size(); err != nil {
		return err
	}
	header := make([]byte, baseHeaderSize)
	if b.size < baseHeaderSize {
		return corrupt(b.path, "it is only %d bytes long", b.size)
	}
	if _, err := b.file.ReadAt(header, 0); err != nil {
		return unexpectedEnd(b.path, err)
	}
	h, version, err := decodeBaseHeader(header)
	if err != nil {
		return corrupt(b.path, "%v", err)
	}
	if version != formatVersion {
		return fmt.Errorf("%s: %w", b.path, otherVersion(strconv.FormatUint(uint64(version), 10)))
	}
	b.baseHeader = h
	// The length of the file, not the header, says how much there is to read.
	if h.bands < 1 || h.bandWords > uint64(b.size)/8/uint64(h.bands) {
		return corrupt(b.path, "it is %d bytes long, which is less than its header says", b.size)
	}
	body := int64(h.words()) * 8
	if b.size != baseHeaderSize+body+extents(body)*8+8 {
		return corrupt(b.path, "it is %d bytes long, which is not what its header says", b.size)
	}
	trailer := make([]byte, extents(body)*8+8)
	if _, err := b.file.ReadAt(trailer, baseHeaderSize+body); err != nil {
		return unexpectedEnd(b.path, err)
	}
	b.table = trailer[:len(trailer)-8]
	got := xxh3.Hash(append(header, b.table...))
	if stored := binary.LittleEndian.Uint64(trailer[len(b.table):]); got != seal || stored != seal {
		return corrupt(b.path,
			"its header or extent table has the seal %016x, the file says %016x, MANIFEST says %016x", got, stored,
			seal)
	}
	if h.fingerprint != fingerprint(parameters) || h.generation != generation {
		return corrupt(b.path, "it is of another index or another generation")
	}
	if h.inserted > h.capacity {
		return corrupt(b.path, "it claims %d records at a capacity of %d", h.inserted, h.capacity)
	}
	if p.doubles() {
		plan := planGeneration(p, 0).doubledTo(h.capacity)
		if b.doublings = plan.doublings; plan.doublings > 0 && h.inserted <= h.capacity/2 {
			return corrupt(b.path, "it claims %d records at a capacity of %d: it is for more", h.inserted, h.capacity)
		}
		err = checkGeometry(b.geometry, plan)
	} else {
		err = p.checkGeneration(h.geometry, generation)
	}
	if err != nil {
		return corrupt(b.path, "%v", err)
	}
	return nil
}

// checkGeneration compares a stored geometry with the one that the parameters ask for. In an index
// with a clock that is any which a window may have: which generations share one is not known here.
func (p Params) checkGeneration(stored geometry, generation int) error {
	plan := planGeneration(p, generation-1)
	for times := 1; p.hasClock() && plan.capacity < stored.capacity && times <= maxDoublings; times++ {
		plan = p.doubled(times)
	}
	return checkGeometry(stored, plan)
}

// checkGeometry compares a stored geometry with the one that the parameters ask for. The number of
// words may differ a little: it comes from floating-point arithmetic.
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

// unexpectedEnd turns the end of a file whose length was checked into what it is.
func unexpectedEnd(path string, err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return corrupt(path, "it ends too early")
	}
	return err
}
