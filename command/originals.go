package command

import (
	"bufio"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/lsh"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/compress"
)

// nameOriginals has records named, for --originals, --report and --annotate, and for later runs
// where the memory is kept. Records whose verdicts are repeated have their names already.
func (f *filterRun) nameOriginals() {
	if f.out.originals == nil && f.out.report == nil && !f.opts.Annotate && f.exact.file == nil {
		return
	}
	names := &f.exact.names
	f.opts.Name = f.exact.name
	switch {
	case f.runs != nil && f.runs.goesOn != nil:
		f.opts.Sinks = append(f.opts.Sinks, &judgedSink{Sink: names, of: f.runs.goesOn})
	case f.runs.replayed() == nil:
		f.opts.Sinks = append(f.opts.Sinks, names)
	}
	if f.out.originals != nil {
		f.opts.Sinks = append(f.opts.Sinks, &originals{
			name: f.exact.name, out: bufio.NewWriterSize(f.out.originals, 64<<10),
			columns: strings.HasSuffix(compress.TrimSuffix(f.c.Originals), ".tsv"),
		})
	}
}

// names remembers what records are called, by their numbers in the life of the memory. It is a
// sink.
type names struct {
	inputs  []namedInput
	records uint64
	until   uint64 // the last record that needs a name, or 0

	withIDs bool
	ids     []byte   // as JSON, one after the other
	ends    []uint64 // where the id of each record ends; empty if none has one

	log   noteLog // where they are noted, or nil
	noted noted
}

// A noteLog is the log of an exact memory.
type noteLog interface{ Note(note []byte) error }

// A namedInput says which records are those of an input.
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
func (n *names) Take(d *stream.Decided) error {
	if n.until > 0 && n.records >= n.until {
		return nil
	}
	n.records++
	last := len(n.inputs) - 1
	if last < 0 || n.inputs[last].Name != d.Input || n.inputs[last].place(n.records) != d.Record {
		n.inputs = append(n.inputs, namedInput{d.Input, n.records, d.Record})
	}
	if n.withIDs || len(n.ends) > 0 {
		n.addID(d.ID)
	}
	waits := len(n.ids)-n.noted.ids >= mostUnnotedIDs || len(n.inputs)-n.noted.inputs >= mostUnnotedInputs
	if n.log != nil && waits {
		return n.note()
	}
	return nil
}

// place is the number in the input of a record.
func (i namedInput) place(record uint64) uint64 { return record - i.First + i.At }

// addID adds the id of the last record. Those before, of runs without ids, have none.
func (n *names) addID(id []byte) {
	for uint64(len(n.ends)) < n.records-1 {
		n.ends = append(n.ends, uint64(len(n.ids)))
	}
	n.ids = append(n.ids, id...)
	n.ends = append(n.ends, uint64(len(n.ids)))
}

// id is what was added for a record, empty if that is nothing.
func (n *names) id(record uint64) []byte {
	if record > uint64(len(n.ends)) {
		return nil
	}
	start := uint64(0)
	if record > 1 {
		start = n.ends[record-2]
	}
	return n.ids[start:n.ends[record-1]]
}

// Flush has nothing to do.
func (*names) Flush() error { return nil }

// append appends the name of a record, which has been taken, as JSON.
func (n *names) append(dst []byte, record uint64) []byte {
	if id := n.id(record); len(id) > 0 {
		return append(dst, id...)
	}
	i := sort.Search(len(n.inputs), func(i int) bool { return n.inputs[i].First > record }) - 1
	return appendPlace(dst, n.inputs[i].Name, n.inputs[i].place(record))
}

// appendName appends what a record is called while it is at hand.
func appendName(dst []byte, d *stream.Decided) []byte {
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

// note writes to the log what is not there yet.
func (n *names) note() error {
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

// load takes back a note.
func (n *names) load(text []byte) error {
	var note nameNote
	if err := json.Unmarshal(text, &note); err != nil {
		return fmt.Errorf("%w: names that cannot be read: %w", lsh.ErrCorrupt, err)
	}
	before := n.records
	if note.Records < before || uint64(len(note.IDs)) > note.Records-before {
		return fmt.Errorf("%w: names of other records than those that follow", lsh.ErrCorrupt)
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

// originals writes which record each removed one resembles.
type originals struct {
	name    func(dst []byte, record uint64) []byte
	out     *bufio.Writer
	columns bool // as columns, not as JSON

	line, original, similarity []byte // scratch
}

// Take writes a line for a duplicate.
func (o *originals) Take(d *stream.Decided) error {
	if d.Fate != stream.Duplicate {
		return nil
	}
	if d.Verdict.Original > 0 {
		o.original = o.name(o.original[:0], d.Verdict.Original)
		o.similarity = stream.AppendSimilarity(o.similarity[:0], d.Verdict.Similarity)
	} else { // a Bloom filter has judged
		o.original, o.similarity = append(o.original[:0], "null"...), append(o.similarity[:0], "null"...)
	}
	if o.columns {
		o.line = appendColumn(o.line[:0], appendName(nil, d))
		o.line = append(o.line, '\t')
		o.line = appendColumn(o.line, o.original)
		o.line = append(o.line, '\t')
		o.line = appendColumn(o.line, o.similarity)
	} else {
		o.line = append(o.line[:0], `{"id":`...)
		o.line = appendName(o.line, d)
		o.line = append(o.line, `,"original":`...)
		o.line = append(o.line, o.original...)
		o.line = append(o.line, `,"similarity":`...)
		o.line = append(o.line, o.similarity...)
		o.line = append(o.line, '}')
	}
	_, err := o.out.Write(append(o.line, '\n'))
	return err
}

// Flush hands over what was written.
func (o *originals) Flush() error { return o.out.Flush() }

var columnEscapes = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// appendColumn appends what a JSON string or number stands for, and nothing for null. What would
// end a column or a row is written as \t, \n or \r, and a backslash as two.
func appendColumn(dst, value []byte) []byte {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return append(dst, value...) // a number
	}
	return append(dst, columnEscapes.Replace(text)...)
}
