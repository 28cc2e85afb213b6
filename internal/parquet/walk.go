package parquet

// A Target receives the values of a node, one after the other.
type Target interface {
	Null()
	Value(stored []byte) // in the form that Kind describes
	Begin()              // begins a struct, a list or a map
	End()
	Child(i int) Target // by index in Type.Children
}

// A Walker passes the values of rows to targets, which mirror the Types of a Schema. Only one
// goroutine may use it.
type Walker struct{ w jsonWriter }

// NewWalker returns a Walker for rows of files with a schema.
func NewWalker(s *Schema) *Walker { return &Walker{jsonWriter{schema: s}} }

// Walk passes the values of row i to targets, one for each top-level column.
func (w *Walker) Walk(rows *Rows, i int, target func(column int) Target) {
	w.w.begin(rows, i)
	for i, n := range w.w.schema.root.children {
		w.node(n, target(i))
	}
}

func (w *Walker) node(n *node, t Target) {
	if n.repetition == repeated {
		w.each(n, t, n)
		return
	}
	w.element(n, t)
}

// element passes on one value of a node.
func (w *Walker) element(n *node, t Target) {
	switch {
	case n.leaf != nil:
		if value, isThere := w.w.next(n.leaf); isThere {
			t.Value(value)
		} else {
			t.Null()
		}
		return
	case n.repetition == optional && w.w.def(n) < n.maxDef:
		w.w.pass(n)
		t.Null()
		return
	}
	switch n.meaning() {
	case list:
		w.each(n.children[0], t, n.element())
	case mapping:
		entries := n.children[0]
		if len(entries.children) == 2 {
			w.each(entries, t, entries.children...)
		} else {
			w.each(entries, t, entries)
		}
	default:
		t.Begin()
		for i, child := range n.children {
			w.node(child, t.Child(i))
		}
		t.End()
	}
}

// each passes on what is below a repeated node: an element of a list each time, or a key and a
// value of a map.
func (w *Walker) each(repeats *node, t Target, elements ...*node) {
	t.Begin()
	defer t.End()
	if w.w.def(repeats) < repeats.maxDef {
		w.w.pass(repeats)
		return
	}
	for i := 0; i == 0 || w.w.more(repeats); i++ {
		for c, element := range elements {
			if element == repeats {
				w.element(element, t.Child(c))
			} else {
				w.node(element, t.Child(c))
			}
		}
	}
}
