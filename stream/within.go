package stream

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/record"
)

// A Confiner is a Sketcher for Source.Within: its sketches resemble those of records with the same
// value, and no others, whatever their texts are.
type Confiner interface {
	Sketcher
	// Within says which value the record has whose text comes next: a string without its quotes, or
	// a number or a boolean as it is written, which isText tells apart. A record without the field
	// has an empty value that is no text. The value is valid until Within returns.
	Within(value []byte, isText bool)
}

// within finds the value of Source.Within for a worker. The zero value finds none.
type within struct {
	field    int      // among the named ones
	confiner Confiner // nil without --within
	plain    []byte   // scratch
}

func newWithin(o *Options, s Sketcher, named []string) (w within) {
	if o.Within == "" {
		return w
	}
	if confiner, ok := Ability[Confiner](s); ok {
		w.field, w.confiner = slices.Index(named, o.Within), confiner
	}
	return w
}

// find passes the value of a record to the sketcher, and reports whether there is one.
func (w *within) find(r *reading) bool {
	if w.confiner == nil {
		return false
	}
	value := r.value(w.field)
	if len(value) > 0 && value[0] == '"' {
		text, _ := jsontext.Unquote(&w.plain, value, 0)
		w.confiner.Within(text, true)
		w.plain = record.KeepScratch(w.plain)
	} else {
		w.confiner.Within(value, false)
	}
	return len(value) > 0
}
