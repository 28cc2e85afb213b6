package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
)

const magic = "PAR1"

// Limits on what a file may ask for.
const (
	maxFooter = 256 << 20
	// bytes of a page or a dictionary, decompressed: one value of 1 GiB, and others
	maxPage = 1<<30 + 1<<20
)

// A footer is the metadata at the end of a file (FileMetaData). Whatever a copy of the file needs
// is kept as raw bytes.
type footer struct {
	size      int64 // of the file
	start     int64 // offset of the footer
	dataEnd   int64 // where the last data of a row group ends
	version   int32
	schema    *Schema
	keyValues []byte   // the list of KeyValue, or nil
	groups    []uint32 // where each RowGroup is in raw
	rows      uint64   // of all row groups
	largest   uint64   // rows of the largest row group
	raw       []byte
	codec     codec // of all columns, for a footer without row groups
}

// errEncrypted is returned for encrypted files, since the program has no keys.
var errEncrypted = errors.New("it is encrypted: decrypt it first")

// readFooter reads and checks the footer of a file.
func readFooter(file io.ReaderAt, size int64) (*footer, error) {
	if size < 12 {
		return nil, fmt.Errorf("it is no Parquet file: it has %d bytes", size)
	}
	var head [4]byte
	var tail [8]byte
	if err := readFull(file, head[:], 0); err != nil {
		return nil, err
	}
	if err := readFull(file, tail[:], size-8); err != nil {
		return nil, err
	}
	switch {
	case string(tail[4:]) == "PARE" || string(head[:]) == "PARE":
		return nil, errEncrypted
	case string(head[:]) != magic:
		return nil, errors.New("it is no Parquet file: it does not begin with PAR1")
	case string(tail[4:]) != magic:
		return nil, errors.New("it does not end like a Parquet file, with PAR1: it is cut off, or something " +
			"stands after its end")
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if length > size-12 || length > maxFooter {
		return nil, fmt.Errorf("its footer claims %d bytes of a file of %d", length, size)
	}
	f := &footer{size: size, start: size - 8 - length, raw: make([]byte, length)}
	if err := readFull(file, f.raw, f.start); err != nil {
		return nil, err
	}
	if err := f.parse(); err != nil {
		return nil, err
	}
	return f, f.refuseJoined(file)
}

// refuseJoined refuses local files that were joined by cat. The footer of the last one would be
// taken for that of the first, and the rows of the others would be lost.
func (f *footer) refuseJoined(file io.ReaderAt) error {
	if _, isLocal := file.(interface{ Fd() uintptr }); !isLocal { // from a server each look would take a request
		return nil
	}
	isJoined, err := columnar.HasBetween(file, f.dataEnd, f.start, []byte(magic+magic))
	if isJoined {
		err = errors.New("it is several files of Parquet, joined by cat: give each of them")
	}
	return err
}

func readFull(file io.ReaderAt, p []byte, at int64) error {
	n, err := file.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

func (f *footer) parse() error {
	r := &thriftReader{buf: f.raw}
	var schema []byte
	for fs := r.fields(); fs.next(); {
		switch fs.id {
		case 1:
			f.version = fs.i32()
		case 2:
			fs.expect(thriftList)
			schema = fs.raw()
		case 4:
			for range fs.list(thriftStruct) {
				f.groups = append(f.groups, uint32(r.pos))
				if r.skip(thriftStruct, 0); r.err != nil {
					break
				}
			}
		case 5:
			fs.expect(thriftList)
			f.keyValues = fs.raw()
		case 8:
			return errEncrypted
		default:
			fs.skip()
		}
	}
	if r.err != nil {
		return fmt.Errorf("its footer: %w", r.err)
	}
	var err error
	if f.schema, err = parseSchema(schema); err != nil {
		return err
	}
	for i := range f.groups {
		g, err := f.group(i)
		if err != nil {
			return fmt.Errorf("row group %d: %w", i+1, err)
		}
		for _, c := range g.chunks {
			f.dataEnd = max(f.dataEnd, c.claimedEnd)
		}
		f.rows += g.rows
		f.largest = max(f.largest, g.rows)
	}
	return nil
}

// A rowGroup is a range of rows of a file (RowGroup).
type rowGroup struct {
	rows   uint64
	chunks []chunk
}

// A chunk is the part of a file with one column of a row group (ColumnChunk and ColumnMetaData).
type chunk struct {
	typ         int32
	codec       codec
	levels      uint64 // NumValues: values and nulls
	start, end  int64
	claimedEnd  int64 // what the footer says of end
	dictionary  bool  // it has a dictionary page
	encryption  bool
	elsewhere   bool // in another file
	hasMetaData bool
}

// group parses and checks the metadata of row group i.
func (f *footer) group(i int) (rowGroup, error) {
	var g rowGroup
	r := &thriftReader{buf: f.raw, pos: int(f.groups[i])}
	for fs := r.fields(); fs.next(); {
		switch fs.id {
		case 1:
			n := fs.list(thriftStruct)
			if n != len(f.schema.columns) && r.err == nil {
				return g, fmt.Errorf("it has %d columns, but the schema has %d", n, len(f.schema.columns))
			}
			g.chunks = g.chunks[:0] // a field may occur twice
			for i := 0; i < n && r.err == nil; i++ {
				g.chunks = append(g.chunks, readChunk(r))
			}
		case 3:
			rows := fs.i64()
			if rows < 0 {
				return g, fmt.Errorf("it claims %d rows", rows)
			}
			g.rows = uint64(rows)
		default:
			fs.skip()
		}
	}
	if r.err != nil {
		return g, r.err
	}
	// even if it claims to have no rows, since all columns are opened
	if len(g.chunks) != len(f.schema.columns) {
		return g, errors.New("its columns are missing")
	}
	for i := range g.chunks {
		if err := f.checkChunk(&g.chunks[i], f.schema.columns[i]); err != nil {
			return g, fmt.Errorf("column %s: %w", f.schema.columns[i].name(), err)
		}
	}
	return g, nil
}

func (f *footer) checkChunk(c *chunk, column *column) error {
	switch {
	case c.encryption:
		return errEncrypted
	case c.elsewhere:
		return errors.New("its data is in another file, which is not supported")
	case !c.hasMetaData:
		return errors.New("it has no metadata")
	case c.typ != int32(column.physical):
		return fmt.Errorf("its data is %v, but the schema says %v", physical(c.typ), column.physical)
	case c.start < 4 && c.levels > 0 || c.start > f.start || c.end < c.start || c.end > f.start:
		return fmt.Errorf("its data is said to be at bytes %d to %d of a file whose data ends at %d", c.start, c.end,
			f.start)
	}
	// Old versions of parquet-mr did not count the header of the dictionary page (PARQUET-816).
	c.claimedEnd, c.end = c.end, min(c.end+128, f.start)
	return c.codec.check()
}

func readChunk(r *thriftReader) chunk {
	var c chunk
	for fs := r.fields(); fs.next(); {
		switch fs.id {
		case 1:
			c.elsewhere = len(fs.bytes()) > 0
		case 3:
			c.hasMetaData = true
			c.readMetaData(fs.structField())
		case 8, 9:
			c.encryption = true
			fs.skip()
		default:
			fs.skip()
		}
	}
	return c
}

func (c *chunk) readMetaData(fs fields) {
	var size, data, dictionary int64
	for fs.next() {
		switch fs.id {
		case 1:
			c.typ = fs.i32()
		case 2:
			for range fs.list(thriftI32) {
				if e := encoding(unzigzag(fs.r.uvarint())); e == plainDictionary || e == rleDictionary {
					c.dictionary = true
				}
			}
		case 4:
			c.codec = codec(fs.i32())
		case 5:
			if n := fs.i64(); n >= 0 {
				c.levels = uint64(n)
			} else {
				fs.r.fail(fmt.Errorf("it claims %d values", n))
			}
		case 7:
			size = fs.i64()
		case 9:
			data = fs.i64()
		case 11:
			dictionary = fs.i64()
		default:
			fs.skip()
		}
	}
	c.start = data
	if dictionary > 0 && dictionary < data {
		c.start = dictionary
	}
	if size < 0 || c.start > 1<<62 || size > 1<<62 {
		size = -1
	}
	c.end = c.start + size
}
