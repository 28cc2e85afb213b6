package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
)

// How rows of a file become rows of the union of its schema with others.

// A unionWriter converts rows to those of a union before writing them.
type unionWriter struct {
	columnar.Writer[*Rows]
	to       *Schema
	adapters map[*Schema]*adapter
	last     *Rows // the last rows that were adapted, with their serial number
	serial   uint64
	adapted  *Rows
}

// AsUnion returns a writer for the rows of all files in the union like. w must accept rows of like.
func AsUnion(w columnar.Writer[*Rows], like *File) columnar.Writer[*Rows] {
	return &unionWriter{Writer: w, to: like.Schema(), adapters: map[*Schema]*adapter{}}
}

// Write writes rows from to to-1.
func (u *unionWriter) Write(rows *Rows, from, to int) error {
	if rows.schema == u.to {
		return u.Writer.Write(rows, from, to)
	}
	if u.last != rows || u.serial != rows.serial {
		a := u.adapters[rows.schema]
		if a == nil {
			clear(u.adapters) // files come one after the other
			a = newAdapter(rows.schema, u.to)
			u.adapters[rows.schema] = a
		}
		var err error
		if u.adapted, err = a.adapt(rows); err != nil {
			return err
		}
		u.last, u.serial = rows, rows.serial
	}
	return u.Writer.Write(u.adapted, from, to)
}

// An adapter converts rows of a schema to rows of a union that includes it.
type adapter struct {
	to     *Schema
	isSame bool       // the schemas are equal, so rows need no conversion
	leaves []leafPlan // one for each leaf of to
}

// A leafPlan says where the values of a column come from. If from is nil, its levels are derived
// from those of a neighbour for the group that both are in.
type leafPlan struct {
	from      *column
	isThere   bool
	maxDef    int // of that group
	maxRep    int
	defs      []uint8 // the new level for each level of from
	isIgnored bool    // from contains only nulls
}

func newAdapter(from, to *Schema) *adapter {
	a := &adapter{to: to, isSame: from.difference(to) == "", leaves: make([]leafPlan, len(to.columns))}
	if a.isSame {
		return a
	}
	a.plan(to.root, from.root, []uint8{0})
	return a
}

// plan pairs the children of a group in both schemas. defs maps the levels of the group.
func (a *adapter) plan(to, from *node, defs []uint8) {
	for _, pair := range pairsOf(to, from) {
		u, s := pair[0], pair[1]
		if s == nil || s.isNull() && !u.isNull() {
			a.missing(u, from, s, defs)
			continue
		}
		below := slices.Clone(defs)
		whole := defs[len(defs)-1]
		switch {
		case s.repetition != required:
			below = append(below, whole+1)
		case u.repetition != required:
			below[len(below)-1] = whole + 1
		}
		if u.leaf != nil {
			a.leaves[u.leaf.index] = leafPlan{from: s.leaf, isThere: true, defs: below}
			continue
		}
		a.plan(u, s, below)
	}
}

// missing plans all columns of a node that from, the group it would be in, lacks, or has as a
// column of nulls.
func (a *adapter) missing(u, from, nulls *node, defs []uint8) {
	if u.leaf == nil {
		for _, child := range u.children {
			a.missing(child, from, nulls, defs)
		}
		return
	}
	neighbour := nulls
	if neighbour == nil {
		for neighbour = from; neighbour.leaf == nil; {
			neighbour = neighbour.children[0]
		}
	}
	a.leaves[u.leaf.index] = leafPlan{
		from: neighbour.leaf, maxDef: from.maxDef, maxRep: from.maxRep, defs: defs, isIgnored: nulls != nil,
	}
}

// adapt returns the rows in the form of the union. They share memory.
func (a *adapter) adapt(rows *Rows) (*Rows, error) {
	if a.isSame {
		return rows, nil
	}
	out := &Rows{schema: a.to, columns: make([]vector, len(a.leaves)), n: rows.n, bytes: rows.bytes}
	for i := range a.leaves {
		p, v := &a.leaves[i], &rows.columns[a.leaves[i].from.index]
		switch {
		case p.isThere:
			p.copyValues(v, &out.columns[i], a.to.columns[i], rows.n)
		case p.isIgnored && len(v.data) > 0:
			return nil, fmt.Errorf("column %s has values, but its type says that all of it is null", p.from.name())
		default:
			p.nulls(v, &out.columns[i], a.to.columns[i], rows.n)
		}
	}
	return out, nil
}

// copyValues copies the values of a column.
func (p *leafPlan) copyValues(v, to *vector, c *column, n int) {
	to.reps, to.data, to.ends, to.rows = v.reps, v.data, v.ends, v.rows
	switch {
	case c.maxDef == 0:
	case v.defs == nil:
		to.defs = bytes.Repeat(p.defs[:1], n)
		to.rows = slices.Clone(v.rows)
		for i := range to.rows {
			to.rows[i].levels = i + 1
		}
	default:
		to.defs = make([]uint8, len(v.defs))
		for i, d := range v.defs {
			to.defs[i] = p.defs[d]
		}
	}
	if c.physical != p.from.physical {
		to.data = p.widen(v.data, c.physical == double)
	}
}

// widen converts numbers of 32 bits to 64 bits.
func (p *leafPlan) widen(data []byte, isFloat bool) []byte {
	wide := make([]byte, 0, 2*len(data))
	isUnsigned := p.from.meaning() == unsignedInt
	for ; len(data) >= 4; data = data[4:] {
		n := binary.LittleEndian.Uint32(data)
		switch {
		case isFloat:
			wide = binary.LittleEndian.AppendUint64(wide, math.Float64bits(float64(math.Float32frombits(n))))
		case isUnsigned:
			wide = binary.LittleEndian.AppendUint64(wide, uint64(n))
		default:
			wide = binary.LittleEndian.AppendUint64(wide, uint64(int64(int32(n))))
		}
	}
	return wide
}

// nulls adds a null wherever the group is defined.
func (p *leafPlan) nulls(v, to *vector, c *column, n int) {
	to.rows = make([]mark, n)
	for i := range n {
		from, end := v.start(i).levels, v.start(i+1).levels
		if v.defs == nil {
			from, end = i, i+1
		}
		for at := from; at < end; at++ {
			d, r := 0, 0
			if v.defs != nil {
				d = int(v.defs[at])
			}
			if v.reps != nil {
				r = int(v.reps[at])
			}
			if r > p.maxRep {
				continue
			}
			to.defs = append(to.defs, p.defs[min(d, p.maxDef)])
			if c.maxRep > 0 {
				to.reps = append(to.reps, uint8(r))
			}
		}
		to.rows[i].levels = len(to.defs)
	}
}
