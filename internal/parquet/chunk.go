package parquet

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// Sizes that most writers use.
const (
	pageBytes       = 1 << 20 // of values, decompressed
	pageLevels      = 1 << 17
	dictionaryBytes = 1 << 20 // a dictionary of this size accepts no more values
)

// A chunkWriter writes one column of a row group. It holds all pages but the current one
// compressed.
type chunkWriter struct {
	*column
	codec    codec
	compress *compressor
	mayIndex bool  // the column may have a dictionary
	compare  order // nil if the values have no order

	memory *dictionaryWriter // memory reused for the dictionaries of all chunks
	dict   *dictionaryWriter // nil if the chunk has none
	plains bool              // values no longer go to the dictionary

	finishedPages
	page    openPage
	scratch []byte
}

// finishedPages are the pages of a chunk that are compressed.
type finishedPages struct {
	pages   [][]byte // headers and compressed pages, alternating
	packed  int      // bytes of pages
	size    int64    // their size without compression
	levels  int64
	rows    int64
	nulls   int64
	all     extremes
	entries []pageEntry // what the page indexes say
}

// An openPage is the current page of a chunk.
type openPage struct {
	reps, defs []uint8
	count      int // levels
	there      int // values
	rows       int64
	own        extremes
	// PLAIN, except that Booleans take a byte each; empty while there is a dictionary
	values  []byte
	indices []uint32
	indexed int // bytes of the values that indices refer to
}

// empty prepares for the next page. What note has taken is reset already.
func (p *openPage) empty() {
	p.reps, p.defs, p.values, p.indices = p.reps[:0], p.defs[:0], p.values[:0], p.indices[:0]
	p.count, p.indexed = 0, 0
}

func (w *chunkWriter) begin() {
	w.plains, w.dict, w.finishedPages = false, nil, finishedPages{all: w.all}
	w.all.reset()
	if w.mayIndex {
		if w.memory == nil {
			w.memory = newDictionaryWriter()
		}
		w.memory.reset()
		w.dict = w.memory
	}
}

// held returns the approximate memory of the chunk.
func (w *chunkWriter) held() int {
	n := w.packed + len(w.page.values) + 4*len(w.page.indices) + w.page.count
	if w.dict != nil {
		n += 4 * len(w.dict.data)
	}
	return n
}

// append writes rows from to to-1.
func (w *chunkWriter) append(v *vector, from, to int) error {
	a, b := v.start(from), v.start(to)
	if w.isIndexing() && v.offset(w.column, b.values)-v.offset(w.column, a.values) > dictionaryBytes {
		if err := w.stopIndexing(); err != nil {
			return err
		}
	}
	if w.maxRep > 0 {
		w.page.reps = append(w.page.reps, v.reps[a.levels:b.levels]...)
	}
	if w.maxDef > 0 {
		w.page.defs = append(w.page.defs, v.defs[a.levels:b.levels]...)
	}
	w.page.count += b.levels - a.levels
	w.page.there += b.values - a.values
	w.page.rows += int64(to - from)
	if w.compare != nil {
		for i := a.values; i < b.values; i++ {
			w.page.own.add(w.column, w.compare, v.value(w.column, i))
		}
	}
	switch {
	case w.isIndexing():
		for i := a.values; i < b.values; i++ {
			w.index(v.value(w.column, i))
		}
	case w.width > 0:
		w.page.values = append(w.page.values, v.data[a.values*w.width:b.values*w.width]...)
	default:
		for i := a.values; i < b.values; i++ {
			w.page.values = w.appendPlain(w.page.values, v.value(w.column, i))
		}
	}
	if len(w.page.values)+w.page.indexed >= pageBytes || w.page.count >= pageLevels {
		return w.endPage()
	}
	return nil
}

// isIndexing reports whether values go to the dictionary.
func (w *chunkWriter) isIndexing() bool { return w.dict != nil && !w.plains }

// stopIndexing makes the following values be stored in the pages. Otherwise a value longer than a
// dictionary would be in memory twice: in the dictionary and in the page.
func (w *chunkWriter) stopIndexing() error {
	if len(w.pages) == 0 {
		w.forget()
		return nil
	}
	w.plains = true
	return w.endPage()
}

func (w *chunkWriter) index(value []byte) {
	w.page.indices = append(w.page.indices, w.dict.number(w.column, value))
	w.page.indexed += len(value)
	if w.width == 0 {
		w.page.indexed += 4
	}
}

// endPage compresses the current page.
func (w *chunkWriter) endPage() error {
	if w.page.count == 0 {
		return nil
	}
	isFirst := len(w.pages) == 0
	if w.isIndexing() && isFirst && len(w.dict.data) > w.page.indexed/2 {
		w.forget()
	}
	page := w.scratch[:0]
	page = appendLevels(page, w.page.reps, w.maxRep)
	page = appendLevels(page, w.page.defs, w.maxDef)
	e := plainEncoding
	switch {
	case len(w.page.indices) > 0:
		e = rleDictionary
		width := widthOf(max(len(w.dict.ends)-1, 0))
		page = append(page, byte(width))
		page = appendHybrid(page, w.page.indices, width)
	case w.physical == boolean:
		page = appendBits(page, w.page.values)
	default:
		page = append(page, w.page.values...)
	}
	w.scratch, w.plains = page, w.plains || len(w.page.values) > 0
	// drop the memory of a long value before the compressor needs some
	if cap(w.page.values) > 4*pageBytes {
		w.page.values = nil
	}
	before := w.packed
	if err := w.addPage(page, dataPage, int32(w.page.count), e); err != nil {
		return err
	}
	w.note(w.packed - before)
	if w.dict != nil && len(w.dict.data) >= dictionaryBytes {
		w.plains = true
	}
	w.levels += int64(w.page.count)
	w.page.empty()
	if cap(w.scratch) > 4*pageBytes {
		w.scratch = nil
	}
	return nil
}

// note adds the current page, with its compressed size, to the indexes.
func (w *chunkWriter) note(size int) {
	p := pageEntry{size: size, row: w.rows, nulls: int64(w.page.count - w.page.there), allNull: w.page.there == 0}
	if b, ok := w.page.own.bounds(w.column); ok {
		p.min, p.max, p.known = bytes.Clone(b.min), bytes.Clone(b.max), true
	}
	w.entries = append(w.entries, p)
	w.all.join(w.column, w.compare, &w.page.own)
	w.page.own.reset()
	w.nulls += p.nulls
	w.rows += w.page.rows
	w.page.rows, w.page.there = 0, 0
}

// forget drops the dictionary, before any page depends on it, because values hardly repeat.
func (w *chunkWriter) forget() {
	for _, n := range w.page.indices {
		w.page.values = w.appendPlain(w.page.values, w.dict.value(w.column, n))
	}
	w.dict, w.page.indices, w.page.indexed = nil, w.page.indices[:0], 0
}

// appendLevels encodes levels as in a data page of version 1.
func appendLevels(dst []byte, levels []uint8, most int) []byte {
	if most == 0 {
		return dst
	}
	at := len(dst)
	dst = appendHybrid(append(dst, 0, 0, 0, 0), levels, widthOf(most))
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}

// appendBits packs Booleans.
func appendBits(dst, values []byte) []byte {
	for i := 0; i < len(values); i += 8 {
		var b byte
		for j, v := range values[i:min(i+8, len(values))] {
			b |= v << j
		}
		dst = append(dst, b)
	}
	return dst
}

// addPage appends a page and its header to the chunk.
func (w *chunkWriter) addPage(page []byte, kind, values int32, e encoding) error {
	packed, err := w.compress.compress(w.codec, page)
	if err != nil {
		return err
	}
	var h thriftWriter
	h.open()
	h.i32(1, kind)
	h.i32(2, int32(len(page)))
	h.i32(3, int32(len(packed)))
	h.i32(4, int32(crc32.ChecksumIEEE(packed)))
	if kind == dictionaryPage {
		h.beginStruct(7)
	} else {
		h.beginStruct(5)
	}
	h.i32(1, values)
	h.i32(2, int32(e))
	if kind == dataPage {
		h.i32(3, int32(rle))
		h.i32(4, int32(rle))
	}
	h.close()
	h.close()
	w.pages = append(w.pages, h.buf, packed)
	w.packed += len(h.buf) + len(packed)
	w.size += int64(len(h.buf) + len(page))
	return nil
}

// finish ends the last page, and puts the dictionary, if there is one, in front of all pages. It
// returns the bytes of the dictionary page.
func (w *chunkWriter) finish() (dictionary int, err error) {
	if err := w.endPage(); err != nil || w.dict == nil || len(w.dict.ends) == 0 {
		return 0, err
	}
	before := w.packed
	if err := w.addPage(w.dict.data, dictionaryPage, int32(len(w.dict.ends)), plainEncoding); err != nil {
		return 0, err
	}
	n := len(w.pages) - 2
	w.pages = append(w.pages[n:n+2:n+2], w.pages[:n]...)
	return w.packed - before, nil
}

// describe returns the ColumnMetaData of a chunk that begins at an offset of the file.
func (w *chunkWriter) describe(at int64, dictionary int) []byte {
	encodings := []encoding{rle, plainEncoding}
	if dictionary > 0 {
		encodings = append(encodings, rleDictionary)
	}
	var t thriftWriter
	t.open()
	t.i32(1, int32(w.physical))
	t.list(2, thriftI32, len(encodings))
	for _, e := range encodings {
		t.varint(int64(e))
	}
	path := w.path()
	t.list(3, thriftBinary, len(path))
	for _, name := range path {
		t.element(name)
	}
	t.i32(4, int32(w.codec))
	t.i64(5, w.levels)
	t.i64(6, w.size)
	t.i64(7, int64(w.packed))
	t.i64(9, at+int64(dictionary))
	if dictionary > 0 {
		t.i64(11, at)
	}
	w.writeStatistics(&t)
	t.close()
	return t.buf
}
