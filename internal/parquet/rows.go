package parquet

// Rows are some rows of a file, stored by column.
type Rows struct {
	schema  *Schema
	columns []vector // one for each leaf
	n       int
	bytes   int    // approximate size of the values
	serial  uint64 // how often the memory was reused
}

// A vector is one column of some rows: levels, and the values that are not null, concatenated.
type vector struct {
	defs, reps []uint8 // one for each level; nil if it can only be 0
	data       []byte
	ends       []int // where each value ends in data, for values of variable length
	rows       []mark
}

// A mark is the number of levels and values of a vector up to the end of a row.
type mark struct{ levels, values int }

// size returns the approximate memory of a vector, in bytes.
func (v *vector) size() int64 { return int64(len(v.data) + len(v.defs) + len(v.reps) + 8*len(v.ends)) }

func (v *vector) appendBytes(value []byte) {
	v.data = append(v.data, value...)
	v.ends = append(v.ends, len(v.data))
}

// start returns the mark at the start of row i.
func (v *vector) start(i int) mark {
	if i == 0 {
		return mark{}
	}
	return v.rows[i-1]
}

// offset returns where value i begins in data, or where the last one ends.
func (v *vector) offset(c *column, i int) int {
	switch {
	case c.width > 0:
		return i * c.width
	case i == 0:
		return 0
	}
	return v.ends[i-1]
}

// value returns value i.
func (v *vector) value(c *column, i int) []byte {
	return v.data[v.offset(c, i):v.offset(c, i+1)]
}

// Len returns the number of rows.
func (r *Rows) Len() int { return r.n }

// reset empties the rows and prepares them for a schema.
func (r *Rows) reset(s *Schema) {
	if r.schema != s {
		*r = Rows{schema: s, columns: make([]vector, len(s.columns)), serial: r.serial}
	}
	for i := range r.columns {
		v := &r.columns[i]
		v.dropLarge()
		v.defs, v.reps, v.data, v.ends, v.rows = v.defs[:0], v.reps[:0], v.data[:0], v.ends[:0], v.rows[:0]
	}
	r.n, r.bytes, r.serial = 0, 0, r.serial+1
}

// dropLarge frees the memory that a long value left behind.
func (v *vector) dropLarge() {
	if cap(v.data) > 4*batchBytes {
		v.data = nil
	}
	if cap(v.defs)+cap(v.reps)+8*cap(v.ends) > 4*batchBytes {
		v.defs, v.reps, v.ends = nil, nil, nil
	}
}

// cut removes an incomplete row.
func (r *Rows) cut(columns []int) {
	for _, i := range columns {
		v := &r.columns[i]
		c := r.schema.columns[i]
		m := v.start(r.n)
		if v.defs != nil {
			v.defs = v.defs[:m.levels]
		}
		if v.reps != nil {
			v.reps = v.reps[:m.levels]
		}
		v.data = v.data[:v.offset(c, m.values)]
		if c.width == 0 {
			v.ends = v.ends[:m.values]
		}
		if len(v.rows) > r.n {
			v.rows = v.rows[:r.n]
		}
	}
}
