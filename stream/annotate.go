package stream

import "bytes"

// The member that Outputs.Annotate adds to a record: true for a duplicate, false for an unseen
// record, null for one without text.
var (
	memberDuplicate = []byte(`"mithril_duplicate":true`)
	memberUnseen    = []byte(`"mithril_duplicate":false`)
	memberUnjudged  = []byte(`"mithril_duplicate":null`)
)

// annotation returns the member for a record, or nil for one that is not a JSON object and cannot
// carry a member.
func annotation(d Decision) []byte {
	switch d.Fate {
	case Duplicate:
		return memberDuplicate
	case Unseen:
		return memberUnseen
	}
	if d.Problem.isOfText() {
		return memberUnjudged
	}
	return nil
}

// writeAnnotated writes line, with member added before its closing brace; every other byte stays as
// it is. A nil member adds nothing.
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
