package parquet

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/record"
)

// A nodeColumn is a top-level node of a schema with everything below it.
type nodeColumn struct {
	node *node
	json jsonWriter
}

// FindWhole implements columnar.Input: it returns a top-level column.
func (r *reader) FindWhole(path record.Field) (columnar.Field[*Rows], error) {
	s := r.file.Schema()
	n := s.root.child(path.Top())
	if n == nil {
		return nil, &columnar.NoColumnError{Path: path.String(), Columns: s.names()}
	}
	w := &nodeColumn{node: n, json: jsonWriter{schema: s}}
	isBelow := len(path.Steps()) > 1 // below it, which includes JSON inside a column
	if n.leaf != nil && !isBelow {
		r.json.hasText(n.leaf)
	}
	for _, c := range s.columns {
		if n.has(c) {
			r.reads(c)
			if !isBelow || !c.annotation.isJSON() {
				w.json.hasText(c)
			}
		}
	}
	return w, nil
}

// has reports whether a column is n or below it.
func (n *node) has(c *column) bool {
	return n.leaf == c || slices.ContainsFunc(n.children, func(child *node) bool { return child.has(c) })
}

// AppendValue appends the value in row i, of any length: rows are bounded already.
func (w *nodeColumn) AppendValue(dst []byte, rows *Rows, i, _ int) []byte {
	w.json.begin(rows, i)
	return w.json.appendNode(dst, w.node)
}

// AppendText must not be called: whole columns have no text.
func (w *nodeColumn) AppendText(dst []byte, rows *Rows, i, limit int) (text []byte, isThere bool) {
	return w.AppendValue(dst, rows, i, limit), true
}

// InLists returns false: there is always a value, which may be null.
func (*nodeColumn) InLists() bool { return false }
