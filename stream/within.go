package stream

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/record"
)

// A Confiner is a Sketcher for Source.Within. Its sketches resemble only sketches of records with
// the same value, whatever the texts are.
type Confiner interface {
	Sketcher
	// Within sets the value of the record whose text comes next: a string without its quotes, or a
	// number or boolean as written. isText says which of the two. For a record without the field,
	// value is empty and isText is false. The value is valid until Within returns.
	Within(value []byte, isText bool)
}

// within finds the values of Source.Within for a worker. The zero value finds none.
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

// find passes the value of a record to the sketcher. It reports whether the record has one.
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
