package run

import (
	"bufio"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/stream"
)

// nameOriginals stores the names of records, for --originals, --counts, --report and --annotate,
// and for later runs if the memory is kept. Records whose verdicts are repeated have names already.
func (o *Outputs) nameOriginals(c *config.Filter, m *exact.Memory) {
	if o.files.originals == nil && o.files.report == nil && !o.opts.Annotate && !m.IsKept() && m.Counts == nil {
		return
	}
	o.opts.Name = m.Name
	switch {
	case o.runs != nil && o.runs.continuation != nil:
		told, goesOn := uint64(0), o.runs.continuation
		o.notify(stream.SinkFunc(func(d *stream.Decided) error {
			if told < goesOn.Again() {
				told++
				return nil
			}
			return m.Observe(d)
		}))
	case o.runs.replayed() == nil:
		o.notify(m)
	}
	if o.files.originals != nil {
		o.notify(&originals{
			name: m.Name, out: bufio.NewWriterSize(o.files.originals, 64<<10),
			columns: strings.HasSuffix(compress.TrimSuffix(c.Output.Originals), ".tsv"),
			ways: c.Rule.Samples != nil && c.Rule.Samples.Either ||
				c.Rule.Verify == spec.VerifyContainment,
		})
	}
}

// originals writes for each removed record which one it resembles.
type originals struct {
	name    func(dst []byte, record uint64) []byte
	out     *bufio.Writer
	columns bool // as columns, not as JSON
	ways    bool // a record may contain its original

	line, original, similarity []byte // scratch
}

// Observe writes a line for a duplicate.
func (o *originals) Observe(d *stream.Decided) error {
	if d.Fate != stream.Duplicate {
		return nil
	}
	if d.Verdict.Original > 0 {
		o.original = o.name(o.original[:0], d.Verdict.Original)
		o.similarity = stream.AppendSimilarity(o.similarity[:0], d.Verdict.Similarity)
	} else { // judged by a Bloom filter
		o.original, o.similarity = append(o.original[:0], "null"...), append(o.similarity[:0], "null"...)
	}
	if o.columns {
		o.line = appendColumn(o.line[:0], memory.AppendName(nil, d))
		o.line = append(o.line, '\t')
		o.line = appendColumn(o.line, o.original)
		o.line = append(o.line, '\t')
		o.line = appendColumn(o.line, o.similarity)
		if o.ways {
			o.line = strconv.AppendBool(append(o.line, '\t'), d.Verdict.Contains)
		}
	} else {
		o.line = append(o.line[:0], `{"id":`...)
		o.line = memory.AppendName(o.line, d)
		o.line = append(o.line, `,"original":`...)
		o.line = append(o.line, o.original...)
		o.line = append(o.line, `,"similarity":`...)
		o.line = append(o.line, o.similarity...)
		if d.Verdict.Contains {
			o.line = append(o.line, `,"contains":true`...)
		}
		o.line = append(o.line, '}')
	}
	_, err := o.out.Write(append(o.line, '\n'))
	return err
}

// Flush writes buffered lines.
func (o *originals) Flush() error { return o.out.Flush() }

var columnEscapes = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// appendColumn appends the text of a JSON string or number, and nothing for null. It writes what
// would end a column or a row as \t, \n or \r, and doubles backslashes.
func appendColumn(dst, value []byte) []byte {
	return append(dst, columnEscapes.Replace(shown.Plain(value))...)
}
