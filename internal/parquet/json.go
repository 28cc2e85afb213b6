package parquet

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/jsonvalue"
)

// A jsonWriter writes rows as JSON objects. docs/reference/parquet.md says how each type is
// written.
type jsonWriter struct {
	schema *Schema
	texts  []*column // columns to treat as text, whatever the schema says
	rows   *Rows
	at     []cursor // the position in each column
	key    []byte   // scratch for the key of a map
}

// variantID is the logical type of groups that hold the binary form of a VARIANT.
const variantID = 16

// CheckJSON refuses a VARIANT: its bytes would be no value to readers of JSON.
func (f *File) CheckJSON() error {
	if name := variantIn(f.footer.schema.root); name != "" {
		return fmt.Errorf("column %q is a VARIANT, which is not converted to JSON: leave the format as it is, or have "+
			"it as a string first", name)
	}
	return nil
}

// variantIn is the name of a VARIANT at or below a node; empty if no node is one.
func variantIn(n *node) string {
	if n.annotation.logicalID == variantID {
		return n.name
	}
	for _, child := range n.children {
		if name := variantIn(child); name != "" {
			return name
		}
	}
	return ""
}

// hasText marks a column as text if its type can be text.
func (w *jsonWriter) hasText(c *column) {
	if c.checkText() == nil {
		w.texts = append(w.texts, c)
	}
}

// A cursor is the position in a column of the current row.
type cursor struct {
	mark
	end int // end of the row's levels
}

// append writes row i on a line of its own.
func (w *jsonWriter) append(dst []byte, rows *Rows, i int) []byte {
	w.begin(rows, i)
	return append(w.appendGroup(dst, w.schema.root), '\n')
}

// begin moves to row i.
func (w *jsonWriter) begin(rows *Rows, i int) {
	w.rows = rows
	w.at = slices.Grow(w.at[:0], len(rows.columns))
	for c := range rows.columns {
		v := &rows.columns[c]
		if len(v.rows) == 0 { // nobody asked for the column
			w.at = append(w.at, cursor{})
			continue
		}
		w.at = append(w.at, cursor{v.start(i), v.rows[i].levels})
	}
}

// first returns the first column below a node, which tells how much of the path to it is defined,
// or nil if there is no column.
func (n *node) first() *column {
	if n.leaf != nil {
		return n.leaf
	}
	for _, child := range n.children {
		if c := child.first(); c != nil {
			return c
		}
	}
	return nil
}

// def returns the current definition level below n. Columns of one row that contradict each other
// end in nulls.
func (w *jsonWriter) def(n *node) int {
	c := n.first()
	if c == nil || w.at[c.index].levels >= w.at[c.index].end {
		return 0
	}
	if c.maxDef == 0 {
		return 0
	}
	return int(w.rows.columns[c.index].defs[w.at[c.index].levels])
}

// pass skips the current level in all columns below n.
func (w *jsonWriter) pass(n *node) {
	for _, child := range n.children {
		w.pass(child)
	}
	if n.leaf != nil {
		w.next(n.leaf)
	}
}

// next consumes the current level and returns its value, or false for null.
func (w *jsonWriter) next(c *column) ([]byte, bool) {
	at, v := &w.at[c.index], &w.rows.columns[c.index]
	if at.levels >= at.end {
		return nil, false
	}
	at.levels++
	if c.maxDef > 0 && int(v.defs[at.levels-1]) < c.maxDef {
		return nil, false
	}
	at.values++
	return v.value(c, at.values-1), true
}

// more reports whether another element of a repeated node follows.
func (w *jsonWriter) more(n *node) bool {
	c := n.first()
	if c == nil || w.at[c.index].levels >= w.at[c.index].end {
		return false
	}
	return int(w.rows.columns[c.index].reps[w.at[c.index].levels]) == n.maxRep
}

func (w *jsonWriter) appendNode(dst []byte, n *node) []byte {
	if n.repetition == repeated {
		return w.appendList(dst, n, n)
	}
	return w.appendElement(dst, n)
}

// appendElement writes one value of a node.
func (w *jsonWriter) appendElement(dst []byte, n *node) []byte {
	switch {
	case n.leaf != nil:
		value, isThere := w.next(n.leaf)
		if !isThere {
			return append(dst, "null"...)
		}
		return w.appendValue(dst, n.leaf, value)
	case n.repetition == optional && w.def(n) < n.maxDef:
		w.pass(n)
		return append(dst, "null"...)
	}
	switch n.meaning() {
	case list:
		return w.appendList(dst, n.children[0], n.element())
	case mapping:
		return w.appendMap(dst, n.children[0])
	}
	return w.appendGroup(dst, n)
}

func (w *jsonWriter) appendGroup(dst []byte, n *node) []byte {
	dst = append(dst, '{')
	for i, child := range n.children {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsontext.AppendQuotedBytes(dst, []byte(child.name)), ':')
		dst = w.appendNode(dst, child)
	}
	return append(dst, '}')
}

// appendList writes the elements below a repeated node.
func (w *jsonWriter) appendList(dst []byte, repeats, element *node) []byte {
	dst = append(dst, '[')
	if w.def(repeats) < repeats.maxDef {
		w.pass(repeats)
		return append(dst, ']')
	}
	for i := 0; i == 0 || w.more(repeats); i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		if element == repeats {
			dst = w.appendElement(dst, element)
		} else {
			dst = w.appendNode(dst, element)
		}
	}
	return append(dst, ']')
}

// appendMap writes an object. Keys that are not text are converted to text.
func (w *jsonWriter) appendMap(dst []byte, repeats *node) []byte {
	dst = append(dst, '{')
	if w.def(repeats) < repeats.maxDef {
		w.pass(repeats)
		return append(dst, '}')
	}
	for i := 0; i == 0 || w.more(repeats); i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		start := len(dst)
		dst = w.appendNode(dst, repeats.children[0])
		if dst[start] != '"' {
			w.key = append(w.key[:0], dst[start:]...)
			dst = jsontext.AppendQuotedBytes(dst[:start], w.key)
		}
		dst = append(dst, ':')
		if len(repeats.children) == 1 {
			dst = append(dst, "null"...)
		}
		for j, value := range repeats.children[1:] {
			if j > 0 { // no map has a third column
				w.pass(value)
				continue
			}
			dst = w.appendNode(dst, value)
		}
	}
	return append(dst, '}')
}

// appendValue writes a value of a column.
func (w *jsonWriter) appendValue(dst []byte, c *column, value []byte) []byte {
	a := &c.annotation
	isText := slices.Contains(w.texts, c)
	switch {
	case c.physical == byteArray && a.isJSON() && !isText:
		return jsontext.AppendEmbedded(dst, value)
	case c.physical == byteArray && (a.meaning == text || isText):
		return jsontext.AppendQuotedBytes(dst, value)
	case a.meaning == decimal && c.physical != float && c.physical != double && len(value) <= maxDecimal:
		return jsonvalue.AppendDecimal(dst, unscaled(c, value), int(a.scale))
	}
	switch c.physical {
	case boolean:
		return strconv.AppendBool(dst, value[0] != 0)
	case int32s:
		return a.appendInt(dst, int64(int32(binary.LittleEndian.Uint32(value))),
			uint64(binary.LittleEndian.Uint32(value)))
	case int64s:
		u := binary.LittleEndian.Uint64(value)
		return a.appendInt(dst, int64(u), u)
	case int96:
		return appendInt96(dst, value)
	case float:
		return jsonvalue.AppendFloat(dst, float64(math.Float32frombits(binary.LittleEndian.Uint32(value))), 32)
	case double:
		return jsonvalue.AppendFloat(dst, math.Float64frombits(binary.LittleEndian.Uint64(value)), 64)
	}
	switch {
	case a.meaning == float16 && len(value) == 2:
		return jsonvalue.AppendFloat(dst, jsonvalue.HalfFloat(binary.LittleEndian.Uint16(value)), 64)
	case a.meaning == uuid && len(value) == 16:
		return jsonvalue.AppendUUID(dst, value)
	case a.meaning == interval && len(value) == 12:
		return appendInterval(dst, value)
	}
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, value)
	return append(dst, '"')
}

// appendInt writes a number as its logical type requires.
func (a *annotation) appendInt(dst []byte, n int64, unsigned uint64) []byte {
	switch a.meaning {
	case unsignedInt:
		return strconv.AppendUint(dst, unsigned, 10)
	case date:
		return jsonvalue.AppendDay(dst, n)
	case timestamp, timeOfDay:
		if a.unit == 0 {
			break
		}
		layout := jsonvalue.Instant
		if a.local {
			layout = jsonvalue.Local
		}
		if a.meaning == timeOfDay {
			layout = jsonvalue.TimeOfDay
		}
		return jsonvalue.AppendTime(dst, n, a.unit, layout)
	}
	return strconv.AppendInt(dst, n, 10)
}

// appendInt96 writes a timestamp as Impala and Spark store it: nanoseconds of the day, and a Julian
// day.
func appendInt96(dst, value []byte) []byte {
	const julianEpoch = 2440588 // the Julian day of 1970-01-01
	days := int64(int32(binary.LittleEndian.Uint32(value[8:]))) - julianEpoch
	return time.Unix(days*86400, int64(binary.LittleEndian.Uint64(value))).UTC().
		AppendFormat(dst, jsonvalue.Local)
}

// maxDecimal bounds the bytes of a decimal that is written in digits, which takes quadratic time.
const maxDecimal = 64

// unscaled returns the integer that represents a decimal.
func unscaled(c *column, value []byte) *big.Int {
	n := new(big.Int)
	switch c.physical {
	case int32s:
		return n.SetInt64(int64(int32(binary.LittleEndian.Uint32(value))))
	case int64s:
		return n.SetInt64(int64(binary.LittleEndian.Uint64(value)))
	}
	n.SetBytes(value) // big-endian two's complement
	if len(value) > 0 && value[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(value))))
	}
	return n
}

func appendInterval(dst, value []byte) []byte {
	for i, name := range []string{`{"months":`, `,"days":`, `,"milliseconds":`} {
		dst = append(dst, name...)
		dst = strconv.AppendUint(dst, uint64(binary.LittleEndian.Uint32(value[4*i:])), 10)
	}
	return append(dst, '}')
}
