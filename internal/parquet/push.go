package parquet

import "io"

// A TypedBuilder writes a file of columns of any Type, nested ones too, compressed by Snappy. It
// serves one goroutine.
type TypedBuilder struct {
	w       *Writer
	rows    Rows
	columns []*pusher
}

// NewTypedBuilder prepares a file of at least one column, with the keys and values as metadata.
func NewTypedBuilder(w io.Writer, types []Type, keys, values []string, form Form) (*TypedBuilder, error) {
	schema, err := parseSchema(typedSchema(types))
	if err != nil {
		return nil, err
	}
	f := &footer{version: 1, schema: schema, codec: snappyBlocks}
	if len(keys) > 0 {
		f.keyValues = keyValueList(keys, values)
	}
	b := &TypedBuilder{w: NewWriter(w, &File{footer: f}, form)}
	b.rows.reset(schema)
	for i, n := range schema.root.children {
		b.columns = append(b.columns, b.pusher(n, types[i]))
	}
	return b, nil
}

// Column takes the value of a column at the top for the row at hand: each of them takes one.
func (b *TypedBuilder) Column(i int) Target {
	b.columns[i].rep = 0
	return b.columns[i]
}

// EndRow ends a row of which every column has been given.
func (b *TypedBuilder) EndRow() error {
	for i := range b.rows.columns {
		v, c := &b.rows.columns[i], b.rows.schema.columns[i]
		m := mark{levels: len(v.defs), values: len(v.ends)}
		if c.width > 0 {
			m.values = len(v.data) / c.width
		}
		v.rows = append(v.rows, m)
	}
	if b.rows.n++; b.rows.n < batchRows && b.rows.bytes < batchBytes {
		return nil
	}
	return b.hand()
}

func (b *TypedBuilder) hand() error {
	err := b.w.Write(&b.rows, 0, b.rows.n)
	b.rows.reset(b.rows.schema)
	return err
}

// Close writes what is left, and the footer.
func (b *TypedBuilder) Close() error {
	if err := b.hand(); err != nil {
		return err
	}
	return b.w.Close()
}

// A pusher is the Target of a node. It makes levels of what it takes: the repetition level of a
// value is the level of the outermost list in which something begins with it, and its definition
// level says how far down something is there (Dremel, Melnik et al., VLDB 2010, §4.1).
type pusher struct {
	b        *TypedBuilder
	n        *node
	kind     Kind
	children []*pusher
	repeats  *node // of a list or a map: the node that repeats

	rep     int // of what comes next
	entries int // of the list or the map at hand
}

func (b *TypedBuilder) pusher(n *node, c Type) *pusher {
	p := &pusher{b: b, n: n, kind: c.Kind}
	below := n
	if c.Kind == ListKind || c.Kind == MapKind {
		p.repeats = n.children[0]
		below = p.repeats
	}
	for i, child := range c.Children {
		p.children = append(p.children, b.pusher(below.children[i], child))
	}
	return p
}

// Null says that nothing is there, which is not for keys of maps.
func (p *pusher) Null() { p.missing(p.n, p.n.maxDef-1) }

// missing notes for all columns below a node that nothing is there, from a level on.
func (p *pusher) missing(n *node, def int) {
	if n.leaf != nil {
		p.level(n, def)
	}
	for _, child := range n.children {
		p.missing(child, def)
	}
}

// level notes a value of a leaf, or that there is none.
func (p *pusher) level(n *node, def int) *vector {
	v := &p.b.rows.columns[n.leaf.index]
	v.defs = append(v.defs, uint8(def))
	if n.maxRep > 0 {
		v.reps = append(v.reps, uint8(p.rep))
	}
	return v
}

func (p *pusher) Value(stored []byte) {
	v := p.level(p.n, p.n.maxDef)
	p.b.rows.bytes += len(stored)
	if width := p.n.leaf.width; width > 0 {
		v.data = append(v.data, stored[:width]...)
	} else {
		v.appendBytes(stored)
	}
}

func (p *pusher) Begin() { p.entries = 0 }

func (p *pusher) End() {
	if p.repeats != nil && p.entries == 0 {
		p.missing(p.n, p.n.maxDef)
	}
}

func (p *pusher) Child(i int) Target {
	child := p.children[i]
	switch {
	case p.repeats == nil || p.entries == 0 && i == 0:
		child.rep = p.rep
		p.entries++
	case i == 0:
		child.rep = p.repeats.maxRep
		p.entries++
	default: // the value of an entry
		child.rep = p.children[0].rep
	}
	return child
}
