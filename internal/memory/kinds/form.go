package kinds

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"github.com/mithril-stream/mithril-stream/stream"
)

// A Form is how the record that came again is said to have come again: an own record, with what
// ends it. Kept is the record that has passed, as far as it is remembered.
type Form interface {
	Append(dst []byte, kept Kept, again Again) []byte
}

// Kept is the record that a kind is known by: the last one of it that has passed.
type Kept struct {
	Record []byte // without what ends it; of one that is longer the first MostKept bytes
	IsCut  bool
}

// MostKept is how many bytes of a record are remembered.
const MostKept = 16 << 10

// Again is what is said of a kind at the end of an interval: the records that were left out, and
// when the first and the last of them were made, in seconds from 1970.
type Again struct {
	Count       uint64
	First, Last int64
}

// Lines is the Form of lines of text: the line, how many more there were, and when, as in
//
//	disk sda1 is full (12 more, 2026-11-24T10:00:03Z to 2026-11-24T10:00:09Z)
type Lines struct{ Separator string } // what ends a line

// Append implements Form.
func (f Lines) Append(dst []byte, kept Kept, again Again) []byte {
	dst = append(dst, bytes.TrimRight(kept.Record, "\r")...)
	if kept.IsCut {
		dst = append(dst, " …"...)
	}
	dst = append(dst, " ("...)
	dst = strconv.AppendUint(dst, again.Count, 10)
	dst = append(dst, " more, "...)
	dst = appendTime(dst, again.First)
	dst = append(dst, " to "...)
	dst = appendTime(dst, again.Last)
	return append(append(dst, ')'), f.Separator...)
}

// Objects is the Form of JSON Lines: the object, with a member
//
//	"mithril_again":{"count":12,"first":"2026-11-24T10:00:03Z","last":"2026-11-24T10:00:09Z"}
//
// An object that is longer than MostKept has, in place of its members, a member "begins" beside
// these: a string of its first characters.
type Objects struct{}

// mostBegin is how many bytes of a long object are shown.
const mostBegin = 200

// Append implements Form.
func (Objects) Append(dst []byte, kept Kept, again Again) []byte {
	member := []byte(`"mithril_again":{"count":`)
	member = strconv.AppendUint(member, again.Count, 10)
	member = append(appendTime(append(member, `,"first":"`...), again.First), '"')
	member = append(appendTime(append(member, `,"last":"`...), again.Last), '"')
	if !kept.IsCut {
		member = append(member, '}')
		return append(stream.AppendWithMember(dst, kept.Record, member), '\n')
	}
	begins, _ := json.Marshal(string(kept.Record[:mostBegin])) // a string always has a form
	member = append(append(append(member, `,"begins":`...), begins...), '}')
	return append(append(append(dst, '{'), member...), "}\n"...)
}

// appendTime appends a time as RFC 3339 has it.
func appendTime(dst []byte, second int64) []byte {
	return time.Unix(second, 0).UTC().AppendFormat(dst, time.RFC3339)
}
