package columnar

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// findFirst finds the column of a path that names rows. If the path has alternatives, it finds
// their columns: the input needs at least one of them.
func findFirst[R any](of Input[R], path record.Field) (Field[R], error) {
	if !path.HasAlternatives() {
		return of.Find(path, AsName)
	}
	var found firstOf[R]
	var missing *NoColumnError
	for _, one := range path.Alternatives() {
		switch f, err := of.Find(one, AsName); {
		case err == nil:
			found = append(found, f)
		case !errors.As(err, &missing):
			return nil, err
		}
	}
	if len(found) == 0 {
		return nil, &NoColumnError{Path: path.String(), Columns: missing.Columns}
	}
	return found, nil
}

// firstOf is the value of the first of several fields that has one.
type firstOf[R any] []Field[R]

// AppendText implements Field.
func (f firstOf[R]) AppendText(dst []byte, rows R, i, limit int) (text []byte, isThere bool) {
	for _, one := range f {
		if text, isThere = one.AppendText(dst, rows, i, limit); isThere {
			return text, true
		}
	}
	return dst, false
}

// AppendValue implements Field.
func (f firstOf[R]) AppendValue(dst []byte, rows R, i, limit int) []byte {
	before := len(dst)
	for _, one := range f {
		if dst = one.AppendValue(dst, rows, i, limit); len(dst) > before {
			break
		}
	}
	return dst
}

// InLists implements Field.
func (f firstOf[R]) InLists() bool { return f[0].InLists() }
