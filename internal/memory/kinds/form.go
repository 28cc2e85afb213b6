package kinds

import (
	"bytes"
	"strconv"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// A Form appends the report that a record came again, as a record of its own including its
// terminator. kept is the stored part of the record that passed.
type Form func(dst []byte, kept Kept, again Again) []byte

// Kept is the record that represents a kind: the last one that passed.
type Kept struct {
	Record []byte // without terminator; only the first MostKept bytes of a longer record
	IsCut  bool
}

// MostKept is the maximum number of bytes stored of a record.
const MostKept = 16 << 10

// Again is the report on a kind at the end of an interval: the number of records left out, and the
// times of the first and the last of them, in seconds since 1970.
type Again struct {
	Count       uint64
	First, Last int64
}

// Lines returns the Form for lines of text, which end with separator: the line, with the number of
// repetitions and their times, as in
//
//	disk sda1 is full (12 more, 2026-11-24T10:00:03Z to 2026-11-24T10:00:09Z)
func Lines(separator string) Form {
	return func(dst []byte, kept Kept, again Again) []byte {
		return append(appendLine(dst, kept, again), separator...)
	}
}

func appendLine(dst []byte, kept Kept, again Again) []byte {
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
	return append(dst, ')')
}

// Objects is the Form for JSON Lines: the object, with an additional member
//
//	"mithril_again":{"count":12,"first":"2026-11-24T10:00:03Z","last":"2026-11-24T10:00:09Z"}
//
// An object longer than MostKept is reduced to a member "begins", a string of its first characters.
func Objects(dst []byte, kept Kept, again Again) []byte {
	member := []byte(`"mithril_again":{"count":`)
	member = strconv.AppendUint(member, again.Count, 10)
	member = append(appendTime(append(member, `,"first":"`...), again.First), '"')
	member = append(appendTime(append(member, `,"last":"`...), again.Last), '"')
	if !kept.IsCut {
		member = append(member, '}')
		return append(jsontext.AppendWithMembers(dst, kept.Record, member), '\n')
	}
	begins, _ := jsonout.Marshal(string(kept.Record[:mostBegin])) // a string can always be encoded
	member = append(append(append(member, `,"begins":`...), begins...), '}')
	return append(append(append(dst, '{'), member...), "}\n"...)
}

// mostBegin is the number of bytes shown of a long object.
const mostBegin = 200

// appendTime appends a time in RFC 3339 format.
func appendTime(dst []byte, second int64) []byte {
	return time.Unix(second, 0).UTC().AppendFormat(dst, time.RFC3339)
}
