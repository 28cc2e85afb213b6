package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// The kinds of pages (PageType).
const (
	dataPage       = 0
	dictionaryPage = 2
	dataPageV2     = 3
)

// A pageHeader precedes each page.
type pageHeader struct {
	kind         int32
	size, packed int32 // of the page, decompressed and in the file
	crc          uint32
	hasCRC       bool

	values    int32 // including nulls
	encoding  encoding
	defLevels encoding // of a data page of version 1
	repLevels encoding
	headerV2
	isComplete bool // the header has the struct that its kind requires
}

// headerV2 is what only the headers of data pages of version 2 have. Their levels are not
// compressed.
type headerV2 struct {
	defBytes, repBytes int32
	isPlain            bool // the values are not compressed either
}

func (h *pageHeader) read(r *thriftReader) {
	for fs := r.fields(); fs.next(); {
		switch fs.id {
		case 1:
			h.kind = fs.i32()
		case 2:
			h.size = fs.i32()
		case 3:
			h.packed = fs.i32()
		case 4:
			h.crc, h.hasCRC = uint32(fs.i32()), true
		case 5:
			h.readData(fs.structField())
			h.isComplete = h.kind == dataPage
		case 7:
			for dictionary := fs.structField(); dictionary.next(); {
				h.readValues(&dictionary)
			}
			h.isComplete = h.kind == dictionaryPage
		case 8:
			h.readDataV2(fs.structField())
			h.isComplete = h.kind == dataPageV2
		default:
			fs.skip()
		}
	}
}

func (h *pageHeader) readData(fs fields) {
	for fs.next() {
		switch fs.id {
		case 3:
			h.defLevels = encoding(fs.i32())
		case 4:
			h.repLevels = encoding(fs.i32())
		default:
			h.readValues(&fs)
		}
	}
}

// readValues reads what dictionaries and data pages of version 1 have in common.
func (h *pageHeader) readValues(fs *fields) {
	switch fs.id {
	case 1:
		h.values = fs.i32()
	case 2:
		h.encoding = encoding(fs.i32())
	default:
		fs.skip()
	}
}

func (h *pageHeader) readDataV2(fs fields) {
	for fs.next() {
		switch fs.id {
		case 1:
			h.values = fs.i32()
		case 4:
			h.encoding = encoding(fs.i32())
		case 5:
			h.defBytes = fs.i32()
		case 6:
			h.repBytes = fs.i32()
		case 7:
			h.isPlain = !fs.bool()
		default:
			fs.skip()
		}
	}
}

// A pageReader reads the pages of a chunk sequentially. The contents of a page are valid until the
// next one is read.
type pageReader struct {
	file    io.ReaderAt
	at, end int64
	codec   codec
	unpack  *decompressor
	budget  *budget
	held    int64  // bytes of the budget in use
	head    []byte // scratch for headers
	packed  []byte // scratch for compressed pages
	page    []byte // scratch for decompressed pages
	levels  []byte // of the current page, if they precede the compressed part
}

// Limits on the bytes read to find a header. Headers with statistics about long texts are long.
const (
	minHeader = 256
	maxHeader = 16 << 20
)

// next reads the next page.
func (p *pageReader) next() (h pageHeader, page []byte, err error) {
	if h, err = p.header(); err != nil {
		return h, nil, fmt.Errorf("the page at byte %d: its header: %w", p.at, err)
	}
	place := p.at
	p.dropLarge(int(h.packed), int(h.size))
	if err := p.budget.change(&p.held, max(int64(h.packed), int64(cap(p.packed)))+
		max(int64(h.size), int64(cap(p.page)))); err != nil {
		return h, nil, fmt.Errorf("the page at byte %d: %w", place, err)
	}
	if page, err = p.contents(&h); err != nil {
		err = fmt.Errorf("the page at byte %d: %w", place, err)
	}
	return h, page, err
}

func (p *pageReader) header() (pageHeader, error) {
	for size := int64(minHeader); ; size *= 8 {
		n := min(size, p.end-p.at)
		if n <= 0 {
			return pageHeader{}, errCutShort
		}
		if int64(cap(p.head)) < n {
			p.head = make([]byte, n)
		}
		p.head = p.head[:n]
		if err := readFull(p.file, p.head, p.at); err != nil {
			return pageHeader{}, err
		}
		var h pageHeader
		r := &thriftReader{buf: p.head}
		h.read(r)
		if errors.Is(r.err, errCutShort) && n == size && size < maxHeader {
			continue
		}
		if r.err == nil {
			p.at += int64(r.pos)
		}
		return h, errors.Join(r.err, h.check(p.end-p.at))
	}
}

// dropLarge frees buffers that a much larger page left behind.
func (p *pageReader) dropLarge(packed, size int) {
	if cap(p.packed) > max(4*pageBytes, 4*packed) {
		p.packed, p.levels = nil, nil
	}
	if cap(p.page) > max(4*pageBytes, 4*size) {
		p.page = nil
	}
}

// isLarge reports whether the current page, of that many values, was made large by long values.
func (p *pageReader) isLarge(values int) bool {
	size := cap(p.page) + cap(p.packed)
	return size > 4*pageBytes && size/batchBytes > values
}

// leave frees the current page, which has been read completely: its last value is in a row, and
// would otherwise be in memory twice until the next page is read.
func (p *pageReader) leave() error {
	p.packed, p.page, p.levels = nil, nil, nil
	return p.budget.change(&p.held, 0)
}

// check compares the claims of a header with the bytes that are left.
func (h *pageHeader) check(left int64) error {
	switch {
	case h.size < 0 || h.packed < 0 || h.values < 0 || h.defBytes < 0 || h.repBytes < 0:
		return errors.New("it claims a negative size")
	case int64(h.packed) > left:
		return fmt.Errorf("it claims %d bytes where only %d are left", h.packed, left)
	case h.size > maxPage:
		return fmt.Errorf("it claims %d bytes, and pages of more than %d are not read", h.size, maxPage)
	case int64(h.defBytes)+int64(h.repBytes) > min(int64(h.packed), int64(h.size)):
		return errors.New("its levels are longer than the page")
	}
	isKnown := h.kind == dataPage || h.kind == dictionaryPage || h.kind == dataPageV2
	if isKnown && !h.isComplete {
		return errors.New("it does not say what is in the page")
	}
	return nil
}

// contents reads and decompresses the page after its header.
func (p *pageReader) contents(h *pageHeader) ([]byte, error) {
	if cap(p.packed) < int(h.packed) {
		p.packed = make([]byte, withSlack(int(h.packed)))
	}
	p.packed = p.packed[:h.packed]
	if err := readFull(p.file, p.packed, p.at); err != nil {
		return nil, err
	}
	p.at += int64(h.packed)
	if h.hasCRC && crc32.ChecksumIEEE(p.packed) != h.crc {
		return nil, errors.New("its checksum is wrong")
	}
	how := p.codec
	levels := int(h.defBytes + h.repBytes)
	p.levels = p.packed[:levels]
	values, size := p.packed[levels:], int(h.size)-levels
	switch {
	case len(values) == 0 && h.kind == dataPageV2: // some writers compress nothing to nothing
		return nil, nil
	case (how == uncompressed || h.isPlain) && len(values) != size:
		return nil, errSize
	case how == uncompressed || h.isPlain:
		return values, nil
	}
	page, err := p.unpack.decompress(how, p.page, values, size)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", how, err)
	}
	p.page = page
	return page, nil
}

// withSlack returns how much to allocate for a page of a size, since later pages are often slightly
// longer.
func withSlack(size int) int {
	if size > 16*pageBytes {
		return size
	}
	return size + size/8
}

// levels returns the next repetition or definition level of a page.
type levels func() (uint32, error)

// noLevels returns the next of levels that are all 0.
func noLevels() (uint32, error) { return 0, nil }

// levelsV1 splits levels up to most off a data page of version 1.
func levelsV1(page []byte, e encoding, most, values int) (levels, []byte, error) {
	switch {
	case most == 0:
		return noLevels, page, nil
	case e == bitPacked:
		width := widthOf(most)
		size := (int64(values)*int64(width) + 7) / 8
		if size > int64(len(page)) {
			return nil, nil, errDamaged
		}
		packed := &packedLevels{src: page[:size], width: width}
		return packed.next, page[size:], nil
	case e != rle:
		return nil, nil, fmt.Errorf("encoding %d of levels is not known", e)
	case len(page) < 4:
		return nil, nil, errDamaged
	}
	size := binary.LittleEndian.Uint32(page)
	if page = page[4:]; uint64(size) > uint64(len(page)) {
		return nil, nil, errDamaged
	}
	h := newHybrid(page[:size], widthOf(most))
	return h.next, page[size:], nil
}

// levelsV2 returns the levels of a data page of version 2.
func levelsV2(src []byte, most int) levels {
	if most == 0 {
		return noLevels
	}
	h := newHybrid(src, widthOf(most))
	return h.next
}
