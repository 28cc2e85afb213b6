package stream

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// Editing has records of Output replaced.
type Editing struct {
	// Edit is asked what is to be written to Output in place of a record that is unseen, in the
	// form that it leaves in. It appends that to dst, with the terminator of the record; changed is
	// false if the record stays as it is, and what is changed to nothing is left out. It does not
	// go with Annotate. It may be nil.
	Edit func(dst []byte, r Editable) (edited []byte, changed bool, err error)
	// EditedOnly leaves the records out of Output that Edit is not asked about; what it returns
	// need be no records.
	EditedOnly bool
}

// Editable is a record that may be written otherwise.
type Editable struct {
	Body, Terminator []byte
	Number           int           // of the record in the batch that was judged last
	Table            *record.Table // that the record is a row of; nil if it is none
}

// An editing is the link that has records replaced.
type editing struct {
	passive
	Editing
	edited []byte
}

func newEditing(p plan) link {
	if p.lane != toOutput || p.Edit == nil && !p.EditedOnly {
		return nil
	}
	return &editing{Editing: p.Editing}
}

func (e *editing) process(r *passing) error {
	if r.decision.Fate != Unseen || !r.isWhole() || e.Edit == nil {
		if e.EditedOnly {
			r.line = nil
		}
		return nil
	}
	of := Editable{Body: record.TrimBOM(r.line[:r.body]), Terminator: r.line[r.body:], Number: r.judged, Table: r.table}
	var mark []byte // of the byte order, which is no part of the record
	if !e.EditedOnly {
		mark = r.line[:r.body-len(of.Body)]
	}
	edited, changed, err := e.Edit(append(e.edited[:0], mark...), of)
	if err != nil {
		input, record := r.place()
		return fmt.Errorf("%s:%d: %w", input, record, err)
	}
	e.edited = record.KeepScratch(edited)
	if !changed && !e.EditedOnly {
		return nil
	}
	r.line, r.own = edited, false
	if len(edited) == len(mark) {
		r.line = nil
	}
	r.body = len(r.line)
	return nil
}
