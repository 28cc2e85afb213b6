package stream

import (
	"github.com/mithril-stream/mithril-stream/internal/jsontext"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// A Confiner is a Sketcher for Source.Within: its sketches resemble those of records with the same
// value, and no others, whatever their texts are.
type Confiner interface {
	Sketcher
	// Within says which value the record has whose text comes next: a string without its quotes, or
	// a number as it is written, which isText tells apart. A record without the field has an empty
	// value that is no text. The value is valid until Within returns.
	Within(value []byte, isText bool)
}

// within finds the value of Source.Within for a worker. The zero value finds none.
type within struct {
	field    record.Extractor // nil without --within
	confiner Confiner
	value    []byte // scratch: as it is written in the record
	plain    []byte // scratch
}

func newWithin(o *Options, s Sketcher, named []string) (w within) {
	if o.Within == "" {
		return w
	}
	if confiner, ok := Ability[Confiner](s); ok {
		w.field, w.confiner = record.NewExtractor(o.Format, o.Within, named), confiner
	}
	return w
}

// find tells the sketcher the value of a record, and reports whether there is one.
func (w *within) find(r record.View) bool {
	if w.field == nil {
		return false
	}
	w.value = w.field.Append(w.value[:0], r)
	if len(w.value) > 0 && w.value[0] == '"' {
		w.plain = jsontext.AppendUnquoted(w.plain[:0], w.value)
		w.confiner.Within(w.plain, true)
	} else {
		w.confiner.Within(w.value, false)
	}
	return len(w.value) > 0
}
