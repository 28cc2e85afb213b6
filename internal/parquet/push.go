package parquet

import "io"

// A TypedBuilder writes a file with columns of any Type, including nested ones, compressed by
// Snappy. Only one goroutine may use it.
type TypedBuilder struct {
	w       *Writer
	rows    Rows
	columns []*pusher
}

// NewTypedBuilder returns a TypedBuilder for at least one column. keys and values become metadata.
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

// Column returns the Target for the value of a top-level column in the current row. Every column
// needs one.
func (b *TypedBuilder) Column(i int) Target {
	b.columns[i].rep = 0
	return b.columns[i]
}

// EndRow ends a row. Each column must have received a value.
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

// Close writes the remaining rows and the footer.
func (b *TypedBuilder) Close() error {
	if err := b.hand(); err != nil {
		return err
	}
	return b.w.Close()
}

// A pusher is the Target of a node. It converts values to levels: the repetition level is the level
// of the outermost list in which the value begins something, and the definition level says how far
// down the path is defined (Dremel, Melnik et al., VLDB 2010, §4.1).
type pusher struct {
	b        *TypedBuilder
	n        *node
	kind     Kind
	children []*pusher
	repeats  *node // the repeated node of a list or a map

	rep     int // of the next value
	entries int // in the current list or map
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

// Null adds a null. Keys of maps cannot be null.
func (p *pusher) Null() { p.missing(p.n, p.n.maxDef-1) }

// missing adds nulls, defined down to a level, to all columns below a node.
func (p *pusher) missing(n *node, def int) {
	if n.leaf != nil {
		p.level(n, def)
	}
	for _, child := range n.children {
		p.missing(child, def)
	}
}

// level adds the level of a value, or of a null, to a leaf.
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
