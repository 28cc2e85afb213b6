package arrow

import (
	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A wholeColumn is a column with all that is below it.
type wholeColumn struct {
	column int
	below  bool // the path leads below it, and so into JSON that it has
	most   int  // bytes of a value
	json   jsonWriter
}

// FindWhole finds a column, as columnar.Input says.
func (r *reader) FindWhole(path stream.Field) (columnar.Field[*Batch], error) {
	s := r.file.Schema()
	column := indexOf(s.Fields(), path.Top())
	if column < 0 {
		return nil, &columnar.NoColumnError{Path: path.String(), Columns: namesOf(s)}
	}
	isBelow := len(path.Steps()) > 1
	if !isBelow || !isJSON(s.Field(column)) {
		r.json.texts[column] = true
	}
	json := jsonWriter{schema: s, isText: true, embeds: isBelow}
	return &wholeColumn{column, isBelow, int(r.file.in.limits.row), json}, nil
}

// AppendValue appends the value in row i. It panics if that is longer than a row may be.
func (w *wholeColumn) AppendValue(dst []byte, b *Batch, i, _ int) []byte {
	w.json.most = len(dst) + w.most
	if w.below {
		return w.json.field(dst, w.json.schema.Field(w.column), b.columns[w.column], i)
	}
	return w.json.value(dst, b.columns[w.column], i)
}

// AppendText is not for whole columns.
func (w *wholeColumn) AppendText(dst []byte, b *Batch, i, limit int) (text []byte, isThere bool) {
	return w.AppendValue(dst, b, i, limit), true
}

// InLists reports that there is always a value, though it may be null.
func (*wholeColumn) InLists() bool { return false }
