package memory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// A nameNote is the stored form of the names of consecutive records.
type nameNote struct {
	Records uint64       `json:"records"` // the last record covered
	Inputs  []namedInput `json:"inputs"`
	// ids of the last of these records; null for a record without an id
	IDs []json.RawMessage `json:"ids,omitempty"`
}

// idsBegin precedes the ids in a note. It cannot occur inside a JSON string, where quotes are
// escaped.
var idsBegin = []byte(`,"ids":[`)

var errIDs = fmt.Errorf("%w: ids of records that cannot be read", ErrCorrupt)

// cutNote splits a note into its small members and its ids, which make up nearly all of it. The ids
// are returned as an unparsed JSON list with the rest of the text, or nil if no record has an id.
func cutNote(text []byte) (note nameNote, ids []byte, err error) {
	head, ids, hasIDs := bytes.Cut(text, idsBegin)
	if hasIDs {
		head = append(bytes.Clone(head), '}')
	}
	if err = json.Unmarshal(head, &note); err != nil {
		return note, nil, fmt.Errorf("%w: names that cannot be read: %w", ErrCorrupt, err)
	}
	if len(note.IDs) > 0 { // the ids are not where our notes have them
		err = errIDs
	}
	return note, ids, err
}

// readNote parses a note, ids included. The ids alias text.
func readNote(text []byte) (nameNote, error) {
	note, ids, err := cutNote(text)
	if err == nil && ids != nil {
		err = eachID(ids, func(id []byte) { note.IDs = append(note.IDs, id) })
	}
	return note, err
}

// eachID calls do with each value of a JSON list that is the last member of an object, up to the
// end of that object.
func eachID(list []byte, do func(id []byte)) error {
	list, ok := bytes.CutSuffix(list, []byte("]}"))
	for ok {
		end := endOfNumber(list)
		if end == 0 {
			end = endOfID(list)
			if id := list[:end]; !isPlainID(id) && !json.Valid(id) {
				break
			}
		}
		if do(list[:end]); end == len(list) {
			return nil
		}
		list = list[end+1:]
	}
	return errIDs
}

// appendID appends an id to a JSON list, or null if the id is empty.
func appendID(list, id []byte) ([]byte, error) {
	if len(id) == 0 {
		return append(list, "null"...), nil
	}
	if endOfNumber(id) == len(id) || isPlainID(id) {
		return append(list, id...), nil
	}
	text, err := json.Marshal(json.RawMessage(id))
	return append(list, text...), err
}

// endOfNumber returns the end of the first value of list if it consists of digits only, else 0.
func endOfNumber(list []byte) (end int) {
	for end < len(list) && list[end]-'0' < 10 {
		end++
	}
	if end < len(list) && list[end] != ',' || end > 1 && list[0] == '0' {
		return 0
	}
	return end
}

// endOfID returns the end of the first value of list: the next comma, or the end of the list.
func endOfID(list []byte) int {
	depth, inString := 0, false
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == '"':
			inString = !inString
		case inString && c == '\\':
			i++
		case inString:
		case c == ',' && depth == 0:
			return i
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
	}
	return len(list)
}

// isPlainID reports whether text is known to be valid JSON without parsing it: an ASCII string
// without escapes.
func isPlainID(text []byte) bool {
	last := len(text) - 1
	if last < 0 || text[0] != '"' {
		return false
	}
	for _, c := range text[1:max(1, last)] {
		if c < ' ' || c > '~' || c == '\\' || c == '"' {
			return false
		}
	}
	return last > 0 && text[last] == '"'
}

// LoadAfter loads a note whose record numbers are shifted by others.
func (n *Names) LoadAfter(text []byte, others uint64) error {
	note, ids, err := cutNote(text)
	if err != nil {
		return err
	}
	note.shift(others)
	before := n.records
	if note.Records < before {
		return errOtherRecords
	}
	if n.inputs = append(n.inputs, note.Inputs...); ids != nil {
		if err := n.loadIDs(ids, note.Records); err != nil {
			return err
		}
	}
	n.records = note.Records
	n.noted = noted{len(n.inputs), len(n.ids), n.records}
	return nil
}

var errOtherRecords = fmt.Errorf("%w: names of other records than those that follow", ErrCorrupt)

// loadIDs loads the ids of the records that end with last.
func (n *Names) loadIDs(list []byte, last uint64) error {
	n.padIDs(n.records)
	n.ids = slices.Grow(n.ids, len(list))
	begin, first := uint64(len(n.ids)), len(n.ends)
	most := last - n.records
	err := eachID(list, func(id []byte) {
		if string(id) != "null" {
			n.ids = append(n.ids, id...)
		}
		if uint64(len(n.ends)-first) <= most {
			n.ends = append(n.ends, uint64(len(n.ids)))
		}
	})
	if err != nil {
		return err
	}
	count := uint64(len(n.ends) - first)
	if count > most {
		return errOtherRecords
	}
	if count < most { // earlier records have no ids
		own := slices.Clone(n.ends[first:])
		n.ends = n.ends[:first]
		for range most - count {
			n.ends = append(n.ends, begin)
		}
		n.ends = append(n.ends, own...)
	}
	return nil
}

// Extend appends the names in more to these.
func (n *Names) Extend(more *Names) {
	for _, input := range more.inputs {
		input.First += n.records
		n.inputs = append(n.inputs, input)
	}
	if len(more.ends) > 0 {
		n.padIDs(n.records)
		before := uint64(len(n.ids))
		n.ids = append(n.ids, more.ids...)
		for _, end := range more.ends {
			n.ends = append(n.ends, before+end)
		}
	}
	n.records += more.records
}

// ShiftNames returns a note of names with shift added to its record numbers.
func ShiftNames(text []byte, shift uint64) ([]byte, error) {
	note, err := readNote(text)
	if err != nil {
		return nil, err
	}
	note.shift(shift)
	return json.Marshal(note)
}

// shift adds by to the record numbers of a note.
func (note *nameNote) shift(by uint64) {
	note.Records += by
	for i := range note.Inputs {
		note.Inputs[i].First += by
	}
}
