package memory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"

	"github.com/mithril-stream/mithril-stream/stream"
)

// Names remembers what records are called, by their numbers in the life of a memory. It is a
// stream.Sink.
type Names struct {
	WithIDs bool   // records have ids, by which they are called
	Until   uint64 // the last record that needs a name; 0 if all do

	inputs  []namedInput
	records uint64
	ids     []byte   // as JSON, one after the other
	ends    []uint64 // where the id of each record ends; empty if none has one

	log   Noter // where they are noted, or nil
	noted noted
}

// A Noter is a memory whose log takes notes.
type Noter interface{ Note(note []byte) error }

// A namedInput says which records an input has.
type namedInput struct {
	Name  string `json:"name"`
	First uint64 `json:"first"` // the number of a record
	At    uint64 `json:"at"`    // the number of that record in the input
}

// noted is how much of the names is in the log.
type noted struct {
	inputs, ids int
	records     uint64
}

// What may wait for its note: bytes of ids, and inputs.
const mostUnnotedIDs, mostUnnotedInputs = 4 << 20, 1 << 14

// Take remembers the name of one more record.
func (n *Names) Take(d *stream.Decided) error {
	if n.Until > 0 && n.records >= n.Until {
		return nil
	}
	n.records++
	last := len(n.inputs) - 1
	if last < 0 || n.inputs[last].Name != d.Input || n.inputs[last].place(n.records) != d.Record {
		n.inputs = append(n.inputs, namedInput{d.Input, n.records, d.Record})
	}
	if n.WithIDs || len(n.ends) > 0 {
		n.addID(d.ID)
	}
	waits := len(n.ids)-n.noted.ids >= mostUnnotedIDs || len(n.inputs)-n.noted.inputs >= mostUnnotedInputs
	if n.log != nil && waits {
		return n.Note()
	}
	return nil
}

// Flush has nothing to do.
func (*Names) Flush() error { return nil }

// Forget forgets all names. Which record needs one as the last stays.
func (n *Names) Forget() { *n = Names{Until: n.Until, records: n.Until} }

// Has reports whether there is such a record.
func (n *Names) Has(record uint64) bool { return record > 0 && record <= n.records }

// place is the number in the input of a record.
func (i namedInput) place(record uint64) uint64 { return record - i.First + i.At }

// addID adds the id of the last record. Those before, of runs without ids, have none.
func (n *Names) addID(id []byte) {
	for uint64(len(n.ends)) < n.records-1 {
		n.ends = append(n.ends, uint64(len(n.ids)))
	}
	n.ids = append(n.ids, id...)
	n.ends = append(n.ends, uint64(len(n.ids)))
}

// id is what was added for a record, empty if that is nothing.
func (n *Names) id(record uint64) []byte {
	if record > uint64(len(n.ends)) {
		return nil
	}
	start := uint64(0)
	if record > 1 {
		start = n.ends[record-2]
	}
	return n.ids[start:n.ends[record-1]]
}

// Append appends the name of a record as JSON, null if there is no such record.
func (n *Names) Append(dst []byte, record uint64) []byte {
	if !n.Has(record) {
		return append(dst, "null"...)
	}
	if id := n.id(record); len(id) > 0 {
		return append(dst, id...)
	}
	i := sort.Search(len(n.inputs), func(i int) bool { return n.inputs[i].First > record }) - 1
	if i < 0 {
		return append(dst, "null"...)
	}
	return appendPlace(dst, n.inputs[i].Name, n.inputs[i].place(record))
}

// AppendName appends what a record is called while it is at hand.
func AppendName(dst []byte, d *stream.Decided) []byte {
	if len(d.ID) > 0 {
		return append(dst, d.ID...)
	}
	return appendPlace(dst, d.Input, d.Record)
}

func appendPlace(dst []byte, input string, record uint64) []byte {
	return stream.AppendQuoted(dst, strconv.AppendUint([]byte(input+":"), record, 10))
}

// A nameNote is the names of some records in a row, as they are kept.
type nameNote struct {
	Records uint64            `json:"records"` // up to this one
	Inputs  []namedInput      `json:"inputs"`
	IDs     []json.RawMessage `json:"ids,omitempty"` // of the last records of them; null where there is none
}

// NoteTo has names noted in a log from now on.
func (n *Names) NoteTo(log Noter) { n.log = log }

// Note writes to the log what is not there yet.
func (n *Names) Note() error {
	note := nameNote{Records: n.records, Inputs: n.inputs[n.noted.inputs:]}
	if len(n.ends) > 0 {
		for record := n.noted.records + 1; record <= n.records; record++ {
			id := json.RawMessage(n.id(record))
			if len(id) == 0 {
				id = json.RawMessage("null")
			}
			note.IDs = append(note.IDs, id)
		}
	}
	text, err := json.Marshal(note)
	if err != nil {
		return err
	}
	n.noted = noted{len(n.inputs), len(n.ids), n.records}
	return n.log.Note(text)
}

// idsBegin stands before the ids of a note. No string within it has such quotes.
var idsBegin = []byte(`,"ids":[`)

// readNote takes a note apart. Its ids, which are nearly all of it, are found in one walk, and are
// parts of the text.
func readNote(text []byte) (note nameNote, err error) {
	head, list, hasIDs := bytes.Cut(text, idsBegin)
	if hasIDs {
		var ok bool
		if note.IDs, ok = splitIDs(list); !ok {
			return note, fmt.Errorf("%w: ids of records that cannot be read", ErrCorrupt)
		}
		head = append(bytes.Clone(head), '}')
	}
	if err = json.Unmarshal(head, &note); err != nil {
		err = fmt.Errorf("%w: names that cannot be read: %w", ErrCorrupt, err)
	}
	return note, err
}

// splitIDs are the values of a list of JSON up to the end of the object that it is the last member
// of.
func splitIDs(list []byte) (ids []json.RawMessage, ok bool) {
	list, ok = bytes.CutSuffix(list, []byte("]}"))
	ids = make([]json.RawMessage, 0, min(bytes.Count(list, []byte(","))+1, 1<<16))
	for ok {
		end := endOfID(list)
		id := list[:end]
		if ok = isPlainID(id) || json.Valid(id); !ok {
			break
		}
		if ids = append(ids, id); end == len(list) {
			return ids, true
		}
		list = list[end+1:]
	}
	return nil, false
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

// isPlainID reports whether a text is certainly JSON: digits, or a string of ASCII without escapes.
func isPlainID(text []byte) bool {
	last := len(text) - 1
	if last < 0 || text[0] == '0' && last > 0 {
		return false
	}
	if text[0] != '"' {
		for _, c := range text {
			if c < '0' || c > '9' {
				return false
			}
		}
		return true
	}
	for _, c := range text[1:max(1, last)] {
		if c < ' ' || c > '~' || c == '\\' || c == '"' {
			return false
		}
	}
	return last > 0 && text[last] == '"'
}

// IsNames reports whether a note of a log is about names. Others are of memory/counts.
func IsNames(note []byte) bool { return len(note) > 0 && note[0] == '{' }

// loadIfNames is Load that passes over notes of other kinds.
func (n *Names) loadIfNames(note []byte) error {
	if !IsNames(note) {
		return nil
	}
	return n.Load(note)
}

// Load takes back a note.
func (n *Names) Load(text []byte) error { return n.LoadAfter(text, 0) }

// LoadAfter takes back a note whose records are numbered anew after so many others.
func (n *Names) LoadAfter(text []byte, others uint64) error {
	note, err := readNote(text)
	if err != nil {
		return err
	}
	note.shift(others)
	before := n.records
	if note.Records < before || uint64(len(note.IDs)) > note.Records-before {
		return fmt.Errorf("%w: names of other records than those that follow", ErrCorrupt)
	}
	n.inputs = append(n.inputs, note.Inputs...)
	for i, id := range note.IDs {
		n.records = note.Records - uint64(len(note.IDs)-i-1)
		if string(id) == "null" {
			id = nil
		}
		n.addID(id)
	}
	n.records = note.Records
	n.noted = noted{len(n.inputs), len(n.ids), n.records}
	return nil
}

// Check refuses a log that has not the names of so many records.
func (n *Names) Check(records uint64) error {
	if records != n.records {
		return fmt.Errorf("%w: it has %d records and the names of %d", ErrCorrupt, records, n.records)
	}
	return nil
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
