package arrow

import (
	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/record"
)

// A wholeColumn is a top-level column with everything below it.
type wholeColumn struct {
	column   int
	below    bool // the path goes below it, including into its JSON
	maxBytes int  // maximum bytes of a value
	json     jsonWriter
}

// FindWhole implements columnar.Input.
func (r *reader) FindWhole(path record.Field) (columnar.Field[*Batch], error) {
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

// AppendValue appends the value in row i. It panics if the value exceeds the limit of a row.
func (w *wholeColumn) AppendValue(dst []byte, b *Batch, i, _ int) []byte {
	w.json.maxBytes = len(dst) + w.maxBytes
	if w.below {
		return w.json.field(dst, w.json.schema.Field(w.column), b.columns[w.column], i)
	}
	return w.json.value(dst, b.columns[w.column], i)
}

// AppendText must not be called: whole columns have no text.
func (w *wholeColumn) AppendText(dst []byte, b *Batch, i, limit int) (text []byte, isThere bool) {
	return w.AppendValue(dst, b, i, limit), true
}

// InLists returns false: there is always a value, which may be null.
func (*wholeColumn) InLists() bool { return false }
