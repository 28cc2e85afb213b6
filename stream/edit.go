package stream

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// Editing replaces records of Output.
type Editing struct {
	// Edit returns what to write to Output instead of an unseen record, which it gets in the form
	// in which it would be written. It appends that to dst, including the record's terminator.
	// changed is false if the record stays as it is. A record that becomes empty is left out. Edit
	// may be nil, and cannot be combined with Annotate.
	Edit func(dst []byte, r Editable) (edited []byte, changed bool, err error)
	// EditedOnly leaves out of Output all records that Edit is not called for. What Edit returns
	// need not be a record then.
	EditedOnly bool
}

// Editable is a record that Edit can replace.
type Editable struct {
	Body, Terminator []byte
	Number           int           // of the record in the batch that was judged last
	Table            *record.Table // that the record is a row of; nil if it is none
}

// An editing is the link that replaces records.
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
