package run

import (
	"bufio"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/stream"
)

// nameOriginals has records named, for --originals, --counts, --report and --annotate, and for
// later runs where the memory is kept. Records whose verdicts are repeated have their names
// already.
func (f *Run) nameOriginals() {
	m := f.Judging.Exact
	if f.Out.Originals == nil && f.Out.report == nil && !f.Opts.Annotate && !m.IsKept() && m.Counts == nil {
		return
	}
	f.Opts.Name = m.Name
	switch {
	case f.runs != nil && f.runs.goesOn != nil:
		told := uint64(0)
		f.Opts.Sinks = append(f.Opts.Sinks, stream.SinkFunc(func(d *stream.Decided) error {
			if told < f.runs.goesOn.Again() {
				told++
				return nil
			}
			return m.Take(d)
		}))
	case f.runs.replayed() == nil:
		f.Opts.Sinks = append(f.Opts.Sinks, m)
	}
	if f.Out.Originals != nil {
		f.Opts.Sinks = append(f.Opts.Sinks, &originals{
			name: m.Name, out: bufio.NewWriterSize(f.Out.Originals, 64<<10),
			columns: strings.HasSuffix(compress.TrimSuffix(f.Config.Output.Originals), ".tsv"),
			ways: f.Config.Rule.Samples != nil && f.Config.Rule.Samples.Either ||
				f.Config.Rule.Verify == spec.VerifyContainment,
		})
	}
}

// originals writes which record each removed one resembles.
type originals struct {
	name    func(dst []byte, record uint64) []byte
	out     *bufio.Writer
	columns bool // as columns, not as JSON
	ways    bool // a record may contain its original

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

// Flush hands over what was written.
func (o *originals) Flush() error { return o.out.Flush() }

var columnEscapes = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// appendColumn appends what a JSON string or number stands for, and nothing for null. What would
// end a column or a row is written as \t, \n or \r, and a backslash as two.
func appendColumn(dst, value []byte) []byte {
	return append(dst, columnEscapes.Replace(shown.Plain(value))...)
}
