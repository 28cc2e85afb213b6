package arrow

import (
	"errors"
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Kinds of messages (Message.fbs, MessageHeader).
const (
	schemaMessage   = 1
	dictionaryBatch = 2
	recordBatch     = 3
)

// Slots of tables, as numbered by flatc: Message.fbs, Schema.fbs, File.fbs.
const (
	messageHeaderType, messageHeader, messageBodyLength, messageCustom = 6, 8, 10, 12
	schemaEndianness, schemaFields, schemaCustom, schemaFeatures       = 4, 6, 8, 10
	fieldType, fieldTypeTable, fieldDictionary, fieldChildren          = 8, 10, 12, 14
	fieldCustom, encodingID                                            = 16, 4
	batchLength, batchNodes, batchBuffers, batchCompression            = 4, 6, 8, 10
	batchVariadic                                                      = 12
	dictionaryID, dictionaryData, dictionaryDelta                      = 4, 6, 8
	unionTypeIDs, compressionCodec                                     = 6, 4
	footerSchema, footerDictionaries, footerBatches                    = 6, 8, 10
	byteWidth                                                          = 4
)

// The size of a Block in a footer (File.fbs), and the version of messages created here.
const blockBytes, metadataV5 = 24, 4

// Types of fields whose parameters are checked (Schema.fbs, Type).
const unionType, fixedSizeBinaryType, fixedSizeListType, binaryViewType, utf8ViewType = 14, 15, 16, 23, 24

// maxFields bounds the number of columns, including nested ones, and maxDepth their nesting.
const maxFields, maxDepth = 131072, 64

// metadata validates the metadata of messages before arrow-go builds anything from it, since the
// library allocates whatever a message claims.
type metadata struct {
	limit          int64
	fields         int           // of the schema
	nodes, buffers int           // minimum of a record batch
	views          int           // columns of views
	viewsOf        map[int64]int // the same for the values of each dictionary
}

// about is what a message says about its body.
type about struct {
	kind       byte
	body       int64
	compressed bool
	codec      int8
	buffers    []span
	size       int64 // decompressed size of the buffers

	dictionary int64 // id of the dictionary
	isDelta    bool  // it extends the dictionary
}

type span struct{ start, length int64 }

var errMetadata = errors.New("its metadata are damaged")

// damaged turns a panic into errDamaged.
func damaged(err *error) {
	if recover() != nil {
		*err = errMetadata
	}
}

// A table is a flatbuffers table. Its methods panic if it is damaged.
type table struct{ flatbuffers.Table }

func rootOf(buf []byte) table {
	return table{flatbuffers.Table{Bytes: buf, Pos: flatbuffers.GetUOffsetT(buf)}}
}

func (t table) slot(at flatbuffers.VOffsetT) flatbuffers.UOffsetT {
	return flatbuffers.UOffsetT(t.Offset(at))
}

func (t table) int8(at flatbuffers.VOffsetT) int8   { return t.GetInt8Slot(at, 0) }
func (t table) int64(at flatbuffers.VOffsetT) int64 { return t.GetInt64Slot(at, 0) }

// table returns the table in a slot; false if the slot is empty.
func (t table) table(at flatbuffers.VOffsetT) (table, bool) {
	o := t.slot(at)
	if o == 0 {
		return table{}, false
	}
	return table{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(o + t.Pos)}}, true
}

// vector returns the start and the number of the elements of a vector. All of them are inside the
// buffer.
func (t table) vector(at flatbuffers.VOffsetT, size int) (start flatbuffers.UOffsetT, n int) {
	o := t.slot(at)
	if o == 0 {
		return 0, 0
	}
	start, n = t.Vector(o), t.VectorLen(o)
	if n < 0 || int64(start)+int64(n)*int64(size) > int64(len(t.Bytes)) {
		panic(errMetadata)
	}
	return start, n
}

// element returns element i of a vector of tables.
func (t table) element(start flatbuffers.UOffsetT, i int) table {
	return table{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(start + flatbuffers.UOffsetT(4*i))}}
}

// check validates the metadata of a message.
func (m *metadata) check(buf []byte) (a about, err error) {
	defer damaged(&err)
	if len(buf) < 8 {
		return a, errMetadata
	}
	message := rootOf(buf)
	a.kind, a.body = byte(message.int8(messageHeaderType)), message.int64(messageBodyLength)
	message.vector(messageCustom, 4)
	header, isThere := message.table(messageHeader)
	if !isThere {
		return a, errMetadata
	}
	switch a.kind {
	case schemaMessage:
		return a, m.checkSchema(header)
	case recordBatch:
		err := m.checkBatch(header, &a)
		if err == nil && (m.nodes > a.nodes(header) || m.buffers > len(a.buffers)) {
			err = errors.New("it has fewer columns than the schema says")
		}
		return a, err
	case dictionaryBatch:
		data, isThere := header.table(dictionaryData)
		if !isThere {
			return a, errMetadata
		}
		a.dictionary, a.isDelta = header.int64(dictionaryID), header.GetBoolSlot(dictionaryDelta, false)
		return a, m.checkBatch(data, &a)
	}
	return a, fmt.Errorf("it is of a kind that is not known (%d)", a.kind)
}

func (a about) nodes(batch table) int {
	_, n := batch.vector(batchNodes, 16)
	return n
}

func (m *metadata) checkSchema(schema table) error {
	if schema.GetInt16Slot(schemaEndianness, 0) != 0 {
		return errors.New("its numbers are big-endian: have it written on another machine")
	}
	schema.vector(schemaCustom, 4)
	schema.vector(schemaFeatures, 8)
	return m.checkFields(schema, schemaFields, 0)
}

func (m *metadata) checkFields(t table, slot flatbuffers.VOffsetT, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("its columns are nested more than %d deep", maxDepth)
	}
	start, n := t.vector(slot, 4)
	if m.fields += n; m.fields > maxFields {
		return fmt.Errorf("it has more than %d columns", maxFields)
	}
	for i := range n {
		if err := m.checkField(t.element(start, i), depth); err != nil {
			return err
		}
	}
	return nil
}

func (m *metadata) checkField(field table, depth int) error {
	field.vector(fieldCustom, 4)
	kind := field.GetByteSlot(fieldType, 0)
	params, isThere := field.table(fieldTypeTable)
	switch {
	case !isThere:
		return errMetadata
	case kind == unionType:
		params.vector(unionTypeIDs, 4)
	case kind == fixedSizeBinaryType || kind == fixedSizeListType:
		if width := params.GetInt32Slot(byteWidth, 0); width < 0 {
			return fmt.Errorf("a column has values of %d bytes or elements", width)
		}
	}
	dictionary, isDictionary := field.table(fieldDictionary)
	views := m.views
	if kind == binaryViewType || kind == utf8ViewType {
		m.views++
	}
	if m.nodes++; kind != 1 && kind != 22 { // null and run-end encoded columns have no buffers
		m.buffers++
	}
	before := *m
	err := m.checkFields(field, fieldChildren, depth+1)
	if isDictionary { // the children are in another message
		m.nodes, m.buffers = before.nodes, before.buffers
		if m.viewsOf == nil {
			m.viewsOf = map[int64]int{}
		}
		id := dictionary.int64(encodingID)
		m.viewsOf[id] = max(m.viewsOf[id], m.views-views)
		m.views = views
	}
	return err
}

// checkBatch validates the metadata of a record batch, or of the values of a dictionary.
func (m *metadata) checkBatch(batch table, a *about) error {
	rows := batch.int64(batchLength)
	if rows < 0 || rows > maxRows {
		return fmt.Errorf("it would have %d rows", rows)
	}
	start, n := batch.vector(batchNodes, 16)
	for i := range n {
		at := start + flatbuffers.UOffsetT(16*i)
		length, nulls := batch.GetInt64(at), batch.GetInt64(at+8)
		if length < 0 || length > m.limit*8 || nulls < 0 || nulls > length {
			return fmt.Errorf("a column would have %d values, %d of them null", length, nulls)
		}
	}
	start, n = batch.vector(batchBuffers, 16)
	a.buffers = make([]span, n)
	for i := range n {
		at := start + flatbuffers.UOffsetT(16*i)
		a.buffers[i] = span{batch.GetInt64(at), batch.GetInt64(at + 8)}
	}
	if compression, isThere := batch.table(batchCompression); isThere {
		a.compressed, a.codec = true, compression.int8(compressionCodec)
		if a.codec != codecLZ4 && a.codec != codecZstd {
			return fmt.Errorf("it is compressed in a way that is not known (%d)", a.codec)
		}
	}
	return m.checkVariadic(batch, a)
}

// checkVariadic validates the numbers of buffers of view columns.
func (m *metadata) checkVariadic(batch table, a *about) error {
	start, n := batch.vector(batchVariadic, 8)
	wanted := m.views
	if a.kind == dictionaryBatch {
		wanted = m.viewsOf[a.dictionary]
	}
	if n < wanted && (n > 0 || a.kind == recordBatch) { // those of a dictionary may all be short
		return errors.New("it does not say how many buffers its columns of views have")
	}
	for i := range n {
		if count := batch.GetInt64(start + flatbuffers.UOffsetT(8*i)); count < 0 || count > int64(len(a.buffers)) {
			return fmt.Errorf("a column would have %d buffers", count)
		}
	}
	return nil
}

// checkBody makes sure that the buffers are inside the body, and adds up their sizes.
func (a *about) checkBody(body []byte, limit int64) error {
	for i, b := range a.buffers {
		if b.start < 0 || b.length < 0 || b.start > int64(len(body)) || b.length > int64(len(body))-b.start {
			return fmt.Errorf("buffer %d would be beyond its end", i)
		}
		a.size += b.length
		if a.compressed && b.length > 0 {
			size, err := a.checkCompressed(body[b.start:b.start+b.length], limit)
			if err != nil {
				return fmt.Errorf("buffer %d: %w", i, err)
			}
			a.size += max(0, size)
		}
	}
	return nil
}
