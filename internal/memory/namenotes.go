package memory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// A nameNote is the names of some records in a row, as they are kept.
type nameNote struct {
	Records uint64            `json:"records"` // up to this one
	Inputs  []namedInput      `json:"inputs"`
	IDs     []json.RawMessage `json:"ids,omitempty"` // of the last records of them; null where there is none
}

// idsBegin stands before the ids of a note. No string within it has such quotes.
var idsBegin = []byte(`,"ids":[`)

var errIDs = fmt.Errorf("%w: ids of records that cannot be read", ErrCorrupt)

// cutNote takes a note apart. Its ids, which are nearly all of it, are left as a list of JSON with
// all that follows; nil if no record has one.
func cutNote(text []byte) (note nameNote, ids []byte, err error) {
	head, ids, hasIDs := bytes.Cut(text, idsBegin)
	if hasIDs {
		head = append(bytes.Clone(head), '}')
	}
	if err = json.Unmarshal(head, &note); err != nil {
		return note, nil, fmt.Errorf("%w: names that cannot be read: %w", ErrCorrupt, err)
	}
	if len(note.IDs) > 0 { // elsewhere in it
		err = errIDs
	}
	return note, ids, err
}

// readNote is cutNote with the ids, which are parts of the text.
func readNote(text []byte) (nameNote, error) {
	note, ids, err := cutNote(text)
	if err == nil && ids != nil {
		err = eachID(ids, func(id []byte) { note.IDs = append(note.IDs, id) })
	}
	return note, err
}

// eachID hands over the values of a list of JSON up to the end of the object that it is the last
// member of.
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

// appendID adds an id to a list of JSON, null if there is none.
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

// endOfNumber is where the first value of a list ends if it is a number of digits alone, else 0.
func endOfNumber(list []byte) (end int) {
	for end < len(list) && list[end]-'0' < 10 {
		end++
	}
	if end < len(list) && list[end] != ',' || end > 1 && list[0] == '0' {
		return 0
	}
	return end
}

// endOfID is where the first value of a list ends: at a comma, or at its end.
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

// isPlainID reports whether a text is certainly JSON: a string of ASCII without escapes.
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

// LoadAfter takes back a note whose records are numbered anew after so many others.
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

// loadIDs takes back the ids of the last records up to one.
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
	if count < most { // those before them have none
		own := slices.Clone(n.ends[first:])
		n.ends = n.ends[:first]
		for range most - count {
			n.ends = append(n.ends, begin)
		}
		n.ends = append(n.ends, own...)
	}
	return nil
}

// Extend has the names of other records come after these.
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

// ShiftNames makes a note of names one of records whose numbers are larger.
func ShiftNames(text []byte, shift uint64) ([]byte, error) {
	note, err := readNote(text)
	if err != nil {
		return nil, err
	}
	note.shift(shift)
	return json.Marshal(note)
}

// shift makes a note one of records whose numbers are larger.
func (note *nameNote) shift(by uint64) {
	note.Records += by
	for i := range note.Inputs {
		note.Inputs[i].First += by
	}
}
