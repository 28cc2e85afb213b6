package record

import (
	"bytes"
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// A rowConverter writes rows as JSON.
type rowConverter struct {
	spans []span // of the current row
	field []byte // the contents of one
}

// append writes a row as an object whose members are the columns, all of them strings.
func (c *rowConverter) append(dst, row []byte, t *Table) []byte {
	c.spans, _ = fieldSpans(c.spans[:0], row, t.dialect)
	for i, s := range c.spans {
		dst = append(dst, "{,"[min(i, 1)])
		dst = jsontext.AppendQuoted(dst, []byte(t.name(i)))
		dst = append(dst, ':')
		c.field = s.appendTo(c.field[:0], row)
		dst = jsontext.AppendQuoted(dst, c.field)
	}
	return append(dst, "}\n"...)
}

// name is the name of a column, or its number.
func (t *Table) name(i int) string {
	if t.Names == nil {
		return strconv.Itoa(i + 1)
	}
	return t.Names[i]
}

// appendOnOneLine writes a JSON value without the white space between its parts.
func appendOnOneLine(dst, value []byte, _ *Table) []byte {
	if bytes.IndexByte(value, '\n') < 0 {
		return append(append(dst, value...), '\n')
	}
	return append(jsontext.AppendCompact(dst, value), '\n')
}
