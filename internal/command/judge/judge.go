// Package judge serves verdicts to another program, which sends texts in blocks over a pipe and
// waits for the answers (docs/reference/judge.md).
package judge

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Run answers another program, which sends texts in blocks and waits for verdicts, until it sends
// no more requests. With an address to listen on, it answers several programs until ctx is done.
func Run(ctx context.Context, c *config.Judge, std files.Streams) (err error) {
	at, err := parseAddress(c.Listen)
	if err != nil {
		return err
	}
	from, err := run.SourceOfTexts(&c.Filter, std)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	a, err := newResponder(ctx, c, from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	if at != (address{}) {
		return listen(ctx, a, at, std)
	}
	return converse(ctx, a, std)
}

// converse answers the program at the other ends of standard input and output. Whatever that
// program does not commit is lost.
func converse(ctx context.Context, a *responder, std files.Streams) error {
	in, err := files.InterruptWith(ctx, std.In)
	if err != nil {
		return err
	}
	defer in.Close()
	to, err := std.Out.Open()
	if err != nil {
		return err
	}
	out, err := files.InterruptWith(ctx, to)
	if err != nil {
		return err
	}
	defer out.Close()
	a.out = bufio.NewWriterSize(out, 64<<10)
	reader := newReader(a.c, in, 256<<10)
	_, _, reader.isRun = a.session.Run()
	src := &requests{
		requestReader: reader, sketcher: newSketching(a.from.New()),
		spare: a.spare, cores: std.Cores,
	}
	return errors.Join(a.run(ctx, src), a.out.Flush())
}

// newReader returns a reader of the requests of one program, with a buffer of size bytes.
func newReader(c *config.Filter, from io.Reader, size int) requestReader {
	return requestReader{
		src: bufio.NewReaderSize(from, size), maxRecord: c.Input.MaxRecord, hasValues: c.Rule.Within.Field != "",
	}
}

// run answers the requests that src reads, until its end.
func (a *responder) run(ctx context.Context, src stream.RecordReader) error {
	opts := a.from.Options(a.by.Needs)
	opts.Inputs = []stream.Input{{
		Name: inputOfTexts, OpenRecords: func() (stream.RecordReader, error) { return src, nil },
	}}
	opts.Method, opts.Ahead = a.by.Stream, a.by.Detector.Ahead
	opts.Method.Judge, opts.Sinks, opts.Mark = stream.Judge{Decide: a.judgeRequest}, []stream.Sink{a}, a.answer
	run, err := stream.New(opts)
	if err == nil {
		_, err = run.Do(ctx)
	}
	return err
}

// A responder judges texts and writes the replies. Only the committer of the run calls it.
type responder struct {
	c        *config.Filter
	from     *run.Source
	by       *run.Method // its judge remembers
	session  *method.Session
	out      *bufio.Writer // for the replies to the only program of converse
	hub      *hub          // of the clients of listen; nil with converse
	texts    texts
	added    uint64 // texts
	saved    uint64 // of these, in the last commit
	spare    spares // of the reader
	scratch  scratch
	compares *signatures.Comparison // for sets of other programs; made for the first request
}

// scratch is memory that is reused from one question to the next.
type scratch struct {
	verdicts [fewTexts]stream.Verdict
	decided  stream.Decided
	matches  []memory.Match
}

// texts makes the sketches for requests for signatures and keys.
type texts struct {
	symbols  *sketch.Symbols     // for texts whose normal form is empty
	sketcher *sketch.Sketcher    // makes only the shingles of samples; nil for methods that compare parts
	keys     *sketching          // makes the band keys of texts; nil if they have none
	textOf   func([]byte) []byte // extracts what is compared from the markup of a text
	size     func([]byte) int    // measures texts as groups --keep fullest does; made on first use
	words    []uint64            // scratch: a sketch
	sketches []byte              // scratch: a reply
}

// newTexts returns what sketches the texts of a run.
func newTexts(c *config.Filter) (t texts, err error) {
	if t.textOf, err = sketchers.TextOf(c.Method); err != nil {
		return t, err
	}
	switch {
	case c.Rule.Parts.Method != "":
	case c.Rule.Samples != nil:
		t.sketcher, err = sketchers.ShinglesFrom(c.Method)
	default:
		t.sketcher, _, err = sketchers.New(c.Method)
	}
	if err == nil && t.sketcher != nil {
		t.symbols, err = sketch.NewSymbols(c.Rule.Text.Normalize, c.Rule.Text.Tokenize)
	}
	if err == nil && t.sketcher != nil && c.Rule.Samples == nil {
		t.keys = newSketching(sketchers.ConfineKeys(c.Method, t.sketcher.Params().Bands, func() stream.Sketcher {
			return sketch.BySymbols{Of: t.sketcher, Symbols: t.symbols}
		})())
	}
	return t, err
}

// inputOfTexts is the name of the input that texts come from. A text without an ID is named by it
// and by the text's number.
const inputOfTexts = "python"

// newResponder returns a responder. It opens the memory that texts are compared with.
func newResponder(ctx context.Context, j *config.Judge, from *run.Source) (a *responder, err error) {
	c := &j.Filter
	a = &responder{c: c, from: from, spare: make(spares, 2)}
	if a.texts, err = newTexts(c); err != nil {
		return nil, usage.Error(err)
	}
	if err := refuseForgetting(c.Memory.Index); err != nil {
		return nil, err
	}
	if a.by, err = run.OpenMethod(ctx, c, from); err != nil {
		return nil, err
	}
	a.session, err = a.by.Detector.Session(c.Memory.Index, method.Naming{Name: j.Run, Reading: readingOf(c)})
	if err != nil {
		return nil, errors.Join(err, a.by.Close())
	}
	return a, nil
}

// refuseForgetting refuses an index that forgets by time, since texts do not say when they were
// made.
func refuseForgetting(dir string) error {
	flag := config.ForgetsBy(dir)
	if flag == "" {
		return nil
	}
	return fmt.Errorf("%s was made with %s, and judge does not know the times of texts: give another index, or give "+
		"this one with --against, to ask it without changing it", dir, flag)
}

// readingOf returns the options beyond those of the index that affect verdicts, if any is not the
// default.
func readingOf(c *config.Filter) string {
	var options []string
	if c.Input.MaxRecord != config.DefaultMaxRecord {
		options = append(options, "--max-record", strconv.Itoa(c.Input.MaxRecord))
	}
	for _, dir := range c.Memory.Against {
		options = append(options, "--against", dir)
	}
	return run.CommandLine(options)
}

// close closes the memory.
func (a *responder) close() error { return errors.Join(a.session.Close(), a.by.Close()) }

// judgeRequest judges texts of a request.
func (a *responder) judgeRequest(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	return a.judge(b, out, b.Tag.(textsOf).kind == judgeAsk)
}

// judge judges texts. If ask is set, they are not remembered and get no number.
func (a *responder) judge(b stream.Batch, out []stream.Verdict, ask bool) (judged int, err error) {
	if !ask {
		return a.session.Judge().Decide(b, out)
	}
	return stream.ByRecord(nil, a.query).Decide(b, out)
}

// query judges a text without remembering it.
func (a *responder) query(b stream.Batch, i int) (v stream.Verdict, err error) {
	if words := b.Sketch(i); len(words) > 0 {
		v, err = a.by.Detector.Query(words)
	}
	return v, err
}

// Observe writes the verdict on a text.
func (a *responder) Observe(d *stream.Decided) error {
	p := d.Tag.(textsOf)
	return a.writeVerdict(p.request, p.first+d.Number, d)
}

// writeVerdict writes the verdict on text i of a request. The first one follows the head of the
// reply.
func (a *responder) writeVerdict(q *request, i int, d *stream.Decided) error {
	if i == 0 {
		if err := a.head(q, 0); err != nil {
			return err
		}
	}
	if q.kind == judgeAdd {
		if err := a.name(q, i, d); err != nil {
			return err
		}
	}
	var reply [verdictSize]byte
	binary.LittleEndian.PutUint64(reply[:], d.Verdict.Original)
	binary.LittleEndian.PutUint32(reply[8:], math.Float32bits(d.Verdict.Similarity))
	binary.LittleEndian.PutUint16(reply[12:], d.Verdict.Votes)
	reply[14] = byte(boolToInt(d.Verdict.Duplicate) + boolToInt(d.Verdict.Contains))
	reply[15] = byte(boolToInt(d.Problem != (record.Problem{})) + boolToInt(d.Problem == record.TooLong))
	_, err := q.to(a.out).Write(reply[:])
	if i == len(q.lengths)-1 {
		q.answered(nil)
	}
	return err
}

// name remembers the name of a text, if it may be requested later.
func (a *responder) name(q *request, i int, d *stream.Decided) error {
	a.added++
	if a.by.Detector.Exact == nil || a.session.Repeats() {
		return nil
	}
	m := a.by.Detector.Exact
	if q.ids != nil {
		m.Names.WithIDs, d.ID = true, q.ids[i]
	}
	d.Input, d.Record = inputOfTexts, a.added
	return m.Observe(d)
}

const verdictSize = 16

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Flush sends what was written to the only program of converse. Clients' own goroutines send their
// replies.
func (a *responder) Flush() error {
	if a.out == nil {
		return nil
	}
	return a.out.Flush()
}
