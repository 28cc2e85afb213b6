package command

import (
	"bufio"
	"encoding/json"
	"sort"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/compress"
)

// nameOriginals has records named, for --originals and for --annotate, where one of them is asked
// for.
func (f *filterRun) nameOriginals() {
	if f.out.originals == nil && !f.opts.Annotate {
		return
	}
	names := &names{withIDs: f.c.ID != ""}
	f.opts.Name = names.append
	f.opts.Sinks = append(f.opts.Sinks, names)
	if f.out.originals != nil {
		f.opts.Sinks = append(f.opts.Sinks, &originals{
			names: names, out: bufio.NewWriterSize(f.out.originals, 64<<10),
			columns: strings.HasSuffix(compress.TrimSuffix(f.c.Originals), ".tsv"),
		})
	}
}

// names remembers what records are called, by their numbers in the stream. It is a sink.
type names struct {
	inputs  []namedInput
	records uint64

	withIDs bool
	ids     []byte   // as JSON, one after the other
	ends    []uint64 // where the id of each record ends
}

// A namedInput says which records are those of an input.
type namedInput struct {
	name  string
	first uint64 // the number in the stream of its first record
}

// Take remembers the name of one more record.
func (n *names) Take(d *stream.Decided) error {
	n.records++
	if last := len(n.inputs) - 1; d.Record == 1 || last < 0 || n.inputs[last].name != d.Input {
		n.inputs = append(n.inputs, namedInput{d.Input, n.records - d.Record + 1})
	}
	if n.withIDs {
		n.ids = append(n.ids, d.ID...)
		n.ends = append(n.ends, uint64(len(n.ids)))
	}
	return nil
}

// Flush has nothing to do.
func (*names) Flush() error { return nil }

// append appends the name of a record, which has been taken, as JSON.
func (n *names) append(dst []byte, record uint64) []byte {
	if n.withIDs {
		start := uint64(0)
		if record > 1 {
			start = n.ends[record-2]
		}
		if id := n.ids[start:n.ends[record-1]]; len(id) > 0 {
			return append(dst, id...)
		}
	}
	i := sort.Search(len(n.inputs), func(i int) bool { return n.inputs[i].first > record }) - 1
	in := n.inputs[i]
	return stream.AppendQuoted(dst, strconv.AppendUint([]byte(in.name+":"), record-in.first+1, 10))
}

// originals writes which record each removed one resembles.
type originals struct {
	names   *names
	out     *bufio.Writer
	columns bool // as columns, not as JSON
	line    []byte
}

// Take writes a line for a duplicate.
func (o *originals) Take(d *stream.Decided) error {
	if d.Fate != stream.Duplicate {
		return nil
	}
	if o.columns {
		o.line = appendColumn(o.line[:0], o.names.append(nil, o.names.records))
		o.line = append(o.line, '\t')
		o.line = appendColumn(o.line, o.names.append(nil, d.Verdict.Original))
		o.line = append(o.line, '\t')
	} else {
		o.line = append(o.line[:0], `{"id":`...)
		o.line = o.names.append(o.line, o.names.records)
		o.line = append(o.line, `,"original":`...)
		o.line = o.names.append(o.line, d.Verdict.Original)
		o.line = append(o.line, `,"similarity":`...)
	}
	o.line = stream.AppendSimilarity(o.line, d.Verdict.Similarity)
	if !o.columns {
		o.line = append(o.line, '}')
	}
	_, err := o.out.Write(append(o.line, '\n'))
	return err
}

// Flush hands over what was written.
func (o *originals) Flush() error { return o.out.Flush() }

var columnEscapes = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// appendColumn appends what a JSON string or number stands for. What would end a column or a row is
// written as \t, \n or \r, and a backslash as two.
func appendColumn(dst, value []byte) []byte {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return append(dst, value...) // a number
	}
	return append(dst, columnEscapes.Replace(text)...)
}
