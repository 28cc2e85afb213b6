package memory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Names maps record numbers, counted over the life of a memory, to names. It implements
// stream.Sink.
type Names struct {
	WithIDs bool   // records are named by their ids
	Until   uint64 // the last record that needs a name; 0 if all do

	inputs  []namedInput
	base    uint64 // records up to this one have lost their names
	records uint64
	ids     []byte   // concatenated JSON ids of the records after base
	ends    []uint64 // where each id ends in ids; empty if no record has an id

	log      Noter // where names are noted; may be nil
	noted    noted
	switches []logSwitch // pending, the next one first
}

// A Noter appends a note to the log of a memory.
type Noter func(note []byte) error

// A namedInput tells which records came from an input.
type namedInput struct {
	Name  string `json:"name"`
	First uint64 `json:"first"` // number of a record
	At    uint64 `json:"at"`    // its number within the input
}

// noted tells how much of the names the log holds already.
type noted struct {
	inputs, ids int
	records     uint64
}

// mostUnnotedIDs is the number of bytes of ids, and mostUnnotedInputs the number of inputs, that
// may wait to be noted.
const mostUnnotedIDs, mostUnnotedInputs = 4 << 20, 1 << 14

// Observe records the name of the next record.
func (n *Names) Observe(d *stream.Decided) error {
	if n.Until > 0 && n.records >= n.Until {
		return nil
	}
	if err := n.Switch(); err != nil {
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

// Grow reserves space for the names of that many more records.
func (n *Names) Grow(records int) { n.ends = slices.Grow(n.ends, records) }

// Flush does nothing; it implements stream.Sink.
func (*Names) Flush() error { return nil }

// Forget drops all names, and keeps Until.
func (n *Names) Forget() { *n = Names{Until: n.Until, records: n.Until} }

// Has reports whether a record exists and still has its name.
func (n *Names) Has(record uint64) bool { return record > n.base && record <= n.records }

// place returns the number of a record within its input.
func (i namedInput) place(record uint64) uint64 { return record - i.First + i.At }

// addID adds the id of the latest record. Earlier records, of runs without ids, get none.
func (n *Names) addID(id []byte) {
	n.padIDs(n.records - 1)
	n.ids = append(n.ids, id...)
	n.ends = append(n.ends, uint64(len(n.ids)))
}

// padIDs marks the records without an id up to last.
func (n *Names) padIDs(last uint64) {
	for uint64(len(n.ends)) < last-n.base {
		n.ends = append(n.ends, uint64(len(n.ids)))
	}
}

// id returns the id of a record, or nothing if it has none.
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

// Append appends the name of a record as JSON, or null if there is no such record.
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

// AppendName appends the name of a record that is being processed.
func AppendName(dst []byte, d *stream.Decided) []byte {
	if len(d.ID) > 0 {
		return append(dst, d.ID...)
	}
	return appendPlace(dst, d.Input, d.Record)
}

func appendPlace(dst []byte, input string, record uint64) []byte {
	return jsontext.AppendQuoted(dst, strconv.AppendUint([]byte(input+":"), record, 10))
}

// NoteTo sets the log that names are noted in from now on.
func (n *Names) NoteTo(log Noter) { n.log = log }

// Note writes the names that the log does not hold yet.
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
	return n.log(text)
}

// IsNames reports whether a note of a log holds names. The others belong to internal/memory/counts.
func IsNames(note []byte) bool { return len(note) > 0 && note[0] == '{' }

// loadIfNames is like Load, but ignores notes of other kinds.
func (n *Names) loadIfNames(note []byte) error {
	if !IsNames(note) {
		return nil
	}
	return n.Load(note)
}

// Load loads a note that Note wrote.
func (n *Names) Load(text []byte) error { return n.LoadAfter(text, 0) }

// Check returns an error unless the names cover exactly that many records.
func (n *Names) Check(records uint64) error {
	if records != n.records {
		return fmt.Errorf("%w: it has %d records and the names of %d", ErrCorrupt, records, n.records)
	}
	return nil
}

// CheckCommit returns an error unless a memory that is about to be committed has as many of
// something, such as names, as it has records. No program could open the index after such a commit.
func CheckCommit(records, have uint64, what string) error {
	if records != have {
		return fmt.Errorf("internal error: %d records are remembered, with the %s of %d: nothing is committed, since "+
			"the index could not be opened again; it stays as of its last commit: add what came after it again",
			records, what, have)
	}
	return nil
}
