package memory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
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
	base    uint64 // the records up to this one have no names any more
	records uint64
	ids     []byte   // as JSON, one after the other, of the records after base
	ends    []uint64 // where the id of each of these ends; empty if none has one

	log   Noter // where they are noted, or nil
	noted noted
	turns []turn // the next one first
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
	if err := n.takeTurns(); err != nil {
		return err
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

// Grow has room for the names of so many records more, which saves steps on the way.
func (n *Names) Grow(records int) { n.ends = slices.Grow(n.ends, records) }

// Flush has nothing to do.
func (*Names) Flush() error { return nil }

// Forget forgets all names. Which record needs one as the last stays.
func (n *Names) Forget() { *n = Names{Until: n.Until, records: n.Until} }

// Has reports whether there is such a record.
func (n *Names) Has(record uint64) bool { return record > n.base && record <= n.records }

// place is the number in the input of a record.
func (i namedInput) place(record uint64) uint64 { return record - i.First + i.At }

// addID adds the id of the last record. Those before, of runs without ids, have none.
func (n *Names) addID(id []byte) {
	n.padIDs(n.records - 1)
	n.ids = append(n.ids, id...)
	n.ends = append(n.ends, uint64(len(n.ids)))
}

// padIDs says of the records up to one that the next of them have no id.
func (n *Names) padIDs(last uint64) {
	for uint64(len(n.ends)) < last-n.base {
		n.ends = append(n.ends, uint64(len(n.ids)))
	}
}

// id is what was added for a record, empty if that is nothing.
func (n *Names) id(record uint64) []byte {
	i := record - n.base
	if i > uint64(len(n.ends)) {
		return nil
	}
	start := uint64(0)
	if i > 1 {
		start = n.ends[i-2]
	}
	return n.ids[start:n.ends[i-1]]
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

// NoteTo has names noted in a log from now on.
func (n *Names) NoteTo(log Noter) { n.log = log }

// Note writes to the log what is not there yet.
func (n *Names) Note() error {
	text, err := json.Marshal(nameNote{Records: n.records, Inputs: n.inputs[n.noted.inputs:]})
	if err != nil {
		return err
	}
	if len(n.ends) > 0 && n.records > n.noted.records {
		text = append(bytes.TrimSuffix(text, []byte("}")), idsBegin...)
		for record := n.noted.records + 1; record <= n.records; record++ {
			if text, err = appendID(text, n.id(record)); err != nil {
				return err
			}
			text = append(text, ',')
		}
		text = append(text[:len(text)-1], "]}"...)
	}
	n.noted = noted{len(n.inputs), len(n.ids), n.records}
	return n.log.Note(text)
}

// IsNames reports whether a note of a log is about names. Others are of internal/memory/counts.
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

// Check refuses a log that has not the names of so many records.
func (n *Names) Check(records uint64) error {
	if records != n.records {
		return fmt.Errorf("%w: it has %d records and the names of %d", ErrCorrupt, records, n.records)
	}
	return nil
}
