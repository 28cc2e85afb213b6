package stream

import (
	"bytes"
	"strconv"
)

// The member that Outputs.Annotate adds to a record: true for a duplicate, false for an unseen
// record, null for one without text.
var (
	memberDuplicate = []byte(`"mithril_duplicate":true`)
	memberUnseen    = []byte(`"mithril_duplicate":false`)
	memberUnjudged  = []byte(`"mithril_duplicate":null`)
)

// appendAnnotation appends the members for a record to dst: nothing for one that is not a JSON
// object and cannot carry any. similarity estimates it from votes, and is nil where votes are not
// counted.
func appendAnnotation(dst []byte, d Decision, similarity func(votes int) float64) []byte {
	switch {
	case d.Fate == Duplicate:
		dst = append(dst, memberDuplicate...)
	case d.Fate == Unseen:
		dst = append(dst, memberUnseen...)
	case d.Problem.isOfText():
		return append(dst, memberUnjudged...)
	default:
		return dst
	}
	if similarity != nil {
		dst = append(dst, `,"mithril_votes":`...)
		dst = strconv.AppendUint(dst, uint64(d.Verdict.Votes), 10)
		dst = append(dst, `,"mithril_similarity":`...)
		dst = strconv.AppendFloat(dst, similarity(int(d.Verdict.Votes)), 'f', 3, 64)
	}
	return dst
}

// writeAnnotated writes line, with member added before its closing brace; every other byte stays as
// it is. No member adds
// nothing.
func (o *output) writeAnnotated(line, member []byte) error {
	if len(member) == 0 {
		return o.write(line)
	}
	brace := bytes.LastIndexByte(line, '}')
	object, rest := line[:brace], line[brace:]
	comma := []byte(",")
	if before := bytes.TrimRight(object, " \t\r"); before[len(before)-1] == '{' {
		comma = nil // the object has no member yet
	}
	for _, part := range [][]byte{object, comma, member, rest} {
		if err := o.write(part); err != nil {
			return err
		}
	}
	return nil
}
