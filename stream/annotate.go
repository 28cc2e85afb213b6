package stream

import (
	"bytes"
	"math"
	"strconv"
)

// The member that Outputs.Annotate adds to a record: true for a duplicate, false for an unseen
// record, null for one without text.
var (
	memberDuplicate = []byte(`"mithril_duplicate":true`)
	memberUnseen    = []byte(`"mithril_duplicate":false`)
	memberUnjudged  = []byte(`"mithril_duplicate":null`)
)

// annotation returns the members for a record, or nil for one that is not a JSON object and cannot
// carry any. They are good until it is called again.
func (c *committer) annotation(d Decision) []byte {
	switch d.Fate {
	case Duplicate:
		if d.Verdict.Original == 0 {
			return memberDuplicate
		}
		return c.membersOf(d.Verdict)
	case Unseen:
		return memberUnseen
	}
	if d.Problem.isOfText() {
		return memberUnjudged
	}
	return nil
}

// membersOf are the members for a duplicate whose original is known.
func (c *committer) membersOf(v Verdict) []byte {
	m := append(c.members[:0], memberDuplicate...)
	m = append(m, `,"mithril_duplicate_of":`...)
	if name := c.opts.Name; name != nil {
		m = name(m, v.Original)
	} else {
		m = strconv.AppendUint(m, v.Original, 10)
	}
	m = append(m, `,"mithril_similarity":`...)
	m = AppendSimilarity(m, v.Similarity)
	c.members = m
	return m
}

// AppendSimilarity writes a similarity with as many of four decimals as are not zero.
func AppendSimilarity(dst []byte, similarity float32) []byte {
	return strconv.AppendFloat(dst, math.Round(float64(similarity)*1e4)/1e4, 'f', -1, 64)
}

// writeAnnotated writes line, with members added before its closing brace; every other byte stays
// as it is. A nil member adds nothing.
func (o *output) writeAnnotated(line, member []byte) error {
	if member == nil {
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
