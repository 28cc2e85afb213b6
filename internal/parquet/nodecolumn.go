package parquet

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A nodeColumn is a node at the top of a schema, with all that is below it.
type nodeColumn struct {
	node *node
	json jsonWriter
}

// FindWhole finds a column at the top, as columnar.Input says.
func (r *reader) FindWhole(path stream.Field) (columnar.Field[*Rows], error) {
	s := r.file.Schema()
	n := s.root.child(path.Top())
	if n == nil {
		return nil, &columnar.NoColumnError{Path: path.String(), Columns: s.names()}
	}
	w := &nodeColumn{node: n, json: jsonWriter{schema: s}}
	isBelow := len(path.Steps()) > 1 // and so in the JSON that a column has
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

// has reports whether a column is n, or below it.
func (n *node) has(c *column) bool {
	return n.leaf == c || slices.ContainsFunc(n.children, func(child *node) bool { return child.has(c) })
}

// AppendValue appends the value in row i, whatever its length: that of its row is bounded.
func (w *nodeColumn) AppendValue(dst []byte, rows *Rows, i, _ int) []byte {
	w.json.begin(rows, i)
	return w.json.appendNode(dst, w.node)
}

// AppendText is not for whole columns.
func (w *nodeColumn) AppendText(dst []byte, rows *Rows, i, limit int) (text []byte, isThere bool) {
	return w.AppendValue(dst, rows, i, limit), true
}

// InLists reports that there is always a value, though it may be null.
func (*nodeColumn) InLists() bool { return false }
