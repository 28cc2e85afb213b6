package stream

import "github.com/mithril-stream/mithril-stream/internal/record"

// A passing is a record on its way through a chain. Links change the form in which it is written.
type passing struct {
	decision Decision
	number   uint64    // number of the record in the run
	judged   int       // its number among the records of the batch that are judged
	at       *Position // of the last record that was counted
	batch    *batch
	index    int  // of the record in the batch
	isKept   bool // it goes to the output
	times    int  // how often it is written there; 0 unless the run repeats records

	present
}

// A present is the current form of a record.
type present struct {
	line    []byte        // including the terminator; empty if it is left out
	own     bool          // line is in the memory of the batch
	body    int           // where in line its terminator begins
	table   *record.Table // what its input says about rows; nil if it is not a row
	members []byte        // that are added to it
}

// restore undoes all changes by links.
func (r *passing) restore() {
	of := &r.batch.records[r.index]
	r.line, r.own = r.batch.buf[of.start:of.end], true
	r.body = of.body - of.start
	r.table, r.members = r.batch.table, nil
}

// describe sets what sinks receive of the record, including the values of that many fields.
func (r *passing) describe(d *Decided, fields int) {
	b, i := r.batch, r.index
	*d = Decided{
		Decision: r.decision, Tag: b.framed.Tag, Number: i, Input: r.at.Name, Record: r.at.Records, ID: b.ids.at(i),
		Fields: d.Fields[:0], Excerpt: b.excerpts.at(i), Times: max(1, r.times),
	}
	for j := range fields {
		var value []byte
		if j < len(b.fields) {
			value = b.fields[j].at(i)
		}
		d.Fields = append(d.Fields, value)
	}
}

// isWhole reports whether the batch contains the whole record.
func (r *passing) isWhole() bool { return r.batch.piece == WholeRecords }

// isFirst reports whether this is the whole record or its first piece.
func (r *passing) isFirst() bool { return r.batch.piece <= FirstPiece }

// place returns the position of the record in its input.
func (r *passing) place() (input string, record uint64) { return r.batch.place(r.index, r.at) }

// place returns the position of record i in its input. It must be the last one counted.
func (b *batch) place(i int, counted *Position) (input string, record uint64) {
	if b.framed.Place != nil {
		return b.framed.Place(i)
	}
	return counted.Name, counted.Records
}
