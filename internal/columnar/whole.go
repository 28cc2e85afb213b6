package columnar

import (
	"errors"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// wholeColumns are columns with everything below them. A row of them is written as a JSON object,
// in which fields are found as in a record of JSON Lines.
type wholeColumns[R any] struct {
	needs   RowNeeds
	names   []string
	columns []Field[R]
	text    *record.FieldText
	object  []byte // scratch buffer
}

func newWholeColumns[R any](needs RowNeeds) *wholeColumns[R] {
	text := record.NewFieldText(needs.Fields, needs.Exact)
	if needs.Key {
		text.NeedAll()
	}
	return &wholeColumns[R]{needs: needs, text: text}
}

// addAll adds the columns that a path leads into: of a whole row those that it does not leave out.
func (w *wholeColumns[R]) addAll(of Input[R], path record.Field, columns []string) error {
	switch {
	case path.HasAlternatives():
		return w.addAny(of, path)
	case !path.IsWhole():
		return w.add(of, path)
	}
	for _, name := range columns {
		if path.LeavesOut(name) {
			w.text.LeftOut(name)
			continue
		}
		if err := w.add(of, record.Member(name)); err != nil {
			return err
		}
	}
	return nil
}

// addAny adds the columns of alternatives. The input needs at least one of them.
func (w *wholeColumns[R]) addAny(of Input[R], path record.Field) error {
	var missing *NoColumnError
	isThere := path.IsOptional()
	for _, one := range path.Alternatives() {
		switch err := w.add(of, one); {
		case err != nil && !errors.As(err, &missing):
			return err
		case err == nil:
			isThere = true
		}
	}
	if isThere {
		return nil
	}
	return &NoColumnError{Path: path.String(), Columns: missing.Columns}
}

// add adds the column that a path begins with. An optional one may be missing.
func (w *wholeColumns[R]) add(of Input[R], path record.Field) error {
	if slices.Contains(w.names, path.Top()) {
		return nil
	}
	column, err := of.FindWhole(path)
	switch {
	case errors.As(err, new(*NoColumnError)) && path.IsOptional():
		return nil
	case err != nil:
		return err
	}
	w.names, w.columns = append(w.names, path.Top()), append(w.columns, column)
	return nil
}

// read appends the text of row i.
func (w *wholeColumns[R]) read(to *stream.Records, rec *stream.Record, rows R, i int) {
	w.object = append(w.object[:0], '{')
	for c, column := range w.columns {
		if c > 0 {
			w.object = append(w.object, ',')
		}
		w.object = append(jsontext.AppendQuoted(w.object, []byte(w.names[c])), ':')
		before := len(w.object)
		if w.object = column.AppendValue(w.object, rows, i, w.needs.MaxRecord); len(w.object) == before {
			rec.Problem = record.TooLong
			return
		}
	}
	w.object = append(w.object, '}')
	var text []byte
	text, rec.Omitted, rec.Problem = w.text.Text(w.object)
	if len(text) > w.needs.MaxRecord {
		text, rec.Problem = nil, record.TooLong
	}
	to.Buf = append(to.Buf, text...)
	if cap(w.object) > maxScratch {
		w.object = nil
	}
}

// maxScratch bounds the memory kept from one row to the next.
const maxScratch = 4 << 20
