package substr

import (
	"encoding/json"
	"fmt"
)

// Action is what happens to repeated passages.
type Action uint8

const (
	ActionCut    Action = iota // remove them from the record
	ActionReport               // leave the records out and write a line about each passage
	ActionDrop                 // remove the records that hold one
	ActionMask                 // replace each by a mask
)

var actionNames = [...]string{ActionCut: "cut", ActionReport: "report", ActionDrop: "drop-record", ActionMask: "mask"}

func (a Action) String() string { return actionNames[a] }

// ParseAction returns the action of a name: cut, report, drop-record or mask.
func ParseAction(name string) (Action, error) {
	for a, n := range actionNames {
		if n == name {
			return Action(a), nil
		}
	}
	return 0, fmt.Errorf("action %q is unknown; use cut, report, drop-record or mask", name)
}

// Report is a line about a span, in the words of records and fields.
type Report struct {
	Record int      `json:"record"` // the record's number, from 1, over all files
	Field  string   `json:"field"`
	Offset int      `json:"offset"` // in bytes of the field's text, from 0
	Length int      `json:"length"` // in bytes
	First  Location `json:"first"`  // where the passage begins to occur first
}

// Location is a place in a field's text.
type Location struct {
	Record int    `json:"record"`
	Field  string `json:"field"`
	Offset int    `json:"offset"`
}

// AppendJSON appends the report as one line of JSON, with the newline.
func (r Report) AppendJSON(dst []byte) []byte {
	line, err := json.Marshal(r)
	if err != nil {
		panic("substr: internal error: " + err.Error()) // numbers and strings always marshal
	}
	return append(append(dst, line...), '\n')
}

// Cut appends text without its spans to dst.
func Cut(dst, text []byte, spans []Span) []byte { return Mask(dst, text, spans, nil) }

// Mask appends text with each of its spans replaced by mask to dst.
func Mask(dst, text []byte, spans []Span, mask []byte) []byte {
	p := 0
	for _, s := range spans {
		dst = append(append(dst, text[p:s.Start]...), mask...)
		p = s.End
	}
	return append(dst, text[p:]...)
}
