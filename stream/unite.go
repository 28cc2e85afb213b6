package stream

import "github.com/mithril-stream/mithril-stream/internal/record"

// unites reports whether the rows of a lane are written with the union of all columns.
func (o *Options) unites(l lane) bool {
	ownHeader := l == toOutput && o.Shards != nil && o.Shards.byInput()
	return o.Union != nil && !o.converts(l) && !ownHeader
}

// A uniting is the link that gives rows the columns of all inputs.
type uniting struct {
	passive
	union   *RowUnion
	rows    *record.RowRewriter
	scratch []byte
	differs bool // the rows of the batch have other columns
}

func newUniting(p plan) link {
	if !p.unites(p.lane) {
		return nil
	}
	return &uniting{union: p.Union, rows: record.NewRowRewriter(p.Union)}
}

func (u *uniting) begin(b *batch) error {
	u.differs = b.table != nil && b.table.IsMapped() && b.piece == WholeRecords
	return nil
}

func (u *uniting) process(r *passing) error {
	if !u.differs {
		return nil
	}
	body, end := r.line[:r.body], r.line[r.body:]
	u.scratch = u.rows.Append(record.KeepScratch(u.scratch)[:0], record.TrimBOM(body), r.table)
	r.body = len(u.scratch)
	u.scratch = append(u.scratch, u.rows.Terminator(end, r.table)...)
	r.line, r.own, r.table = u.scratch, false, u.union.Table()
	return nil
}
