package stream

// unites reports whether rows of a lane leave with the columns of a union.
func (o *Options) unites(l lane) bool {
	ownHeader := l == toOutput && o.Shards != nil && o.Shards.byInput()
	return o.Union != nil && !o.converts(l) && !ownHeader
}

// A uniting is the link that gives rows the columns of all inputs.
type uniting struct {
	passive
	rows    rowRewriter
	scratch []byte
	differs bool // the rows of the batch have other columns
}

func newUniting(p plan) link {
	if !p.unites(p.lane) {
		return nil
	}
	return &uniting{rows: rowRewriter{union: p.Union}}
}

func (u *uniting) begin(b *batch) error {
	u.differs = b.table != nil && b.table.to != nil && b.piece == WholeRecords
	return nil
}

func (u *uniting) take(r *passing) error {
	if !u.differs {
		return nil
	}
	body, end := r.line[:r.body], r.line[r.body:]
	u.scratch = u.rows.append(keep(u.scratch)[:0], withoutMark(body), r.table)
	r.body = len(u.scratch)
	u.scratch = append(u.scratch, u.rows.end(end, r.table)...)
	r.line, r.own, r.table = u.scratch, false, u.rows.union.own
	return nil
}
