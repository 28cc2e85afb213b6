package parquet

// A Target takes the values of a node, one after the other.
type Target interface {
	Null()
	Value(stored []byte) // as Parquet stores it, see Kind
	Begin()              // of a struct, a list or a map
	End()
	Child(i int) Target // by its place in Type.Children
}

// A Walker gives the values of rows to targets, which are like the Types of a Schema. It serves one
// goroutine.
type Walker struct{ w jsonWriter }

// NewWalker is for rows of files of that schema.
func NewWalker(s *Schema) *Walker { return &Walker{jsonWriter{schema: s}} }

// Walk gives the values of row i to targets, one for each column at the top.
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

// element gives one value of a node.
func (w *Walker) element(n *node, t Target) {
	switch {
	case n.leaf != nil:
		if value, isThere := w.w.take(n.leaf); isThere {
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

// each gives what stands below the node that repeats: an element of a list each time, or a key and
// a value of a map.
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
