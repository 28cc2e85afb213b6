package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/sa/substr"
	"github.com/mithril-stream/mithril-stream/stream"
)

// runSubstr reads the records twice: first to collect their texts, then to edit them.
func runSubstr(ctx context.Context, c *config.Substr, std files.Streams) (err error) {
	action, err := substr.ParseAction(c.Action)
	if err != nil {
		return usage.Error(err)
	}
	options, corpus, err := substrOptions(c)
	if err != nil {
		return err
	}
	if corpus != nil {
		defer func() { err = errors.Join(err, corpus.Close()) }()
	}
	meter := files.NewMeter("searched", std.Err, c.Quiet)
	options.Progress, options.Locate = meter.Show, action == substr.ActionReport || c.Report != ""
	finder, err := substr.NewFinder(options)
	if err != nil {
		return usage.Error(err)
	}
	defer func() { err = errors.Join(err, finder.Close()) }()
	filter := c.Filter
	std, inputs, done, err := files.ReadTwice(ctx, std, filter.Inputs, []string{c.Output, c.Report}, c.TempDir, c.Quiet)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	filter.Inputs = inputs
	e := &editor{config: c, std: std, finder: finder, action: action, foreign: corpus != nil, meter: meter}
	if err := leaveEditable(&filter, std); err != nil {
		return err
	}
	if action == substr.ActionMask {
		e.mask = []byte(c.Mask)
	}
	err = run.Filter(ctx, &filter, e, std)
	if errors.Is(err, errStored) {
		err = nil
	}
	return files.NameLeft(errors.Join(err, e.pageFile.Finish(err == nil, false)), e.pageFile)
}

// tableMemory is what the tables may take: what the user says, or a gibibyte, or on a small machine
// a quarter of what is available, since the texts are read from files that want memory too.
func tableMemory(asked config.Size) int64 {
	if asked > 0 {
		return int64(asked)
	}
	_, available := bloomlsh.UsableMemory()
	return int64(min(1<<30, max(1<<20, available/4)))
}

// substrOptions takes length and unit from the corpus where the user left them alone.
func substrOptions(c *config.Substr) (substr.Options, *substr.Corpus, error) {
	o := substr.Options{
		MinLength: c.MinLength, Merge: c.Merge, Within: c.Within == "record",
		WordBoundaries: c.WordBoundaries, Memory: tableMemory(c.Memory),
		TempDir: c.TempDir, Threads: c.Threads,
	}
	if c.Against != "" {
		corpus, err := substr.OpenCorpus(c.Against)
		if err != nil {
			return o, nil, err
		}
		o.Against = corpus
		o.MinLength = cmp.Or(o.MinLength, corpus.MinLength())
		o.Unit = corpus.Unit()
	}
	if c.Unit != "" {
		unit, err := substr.ParseUnit(c.Unit)
		if err != nil {
			return o, nil, usage.Error(err)
		}
		o.Unit = unit
	}
	return o, o.Against, nil
}

// errStored ends a run that only stores the texts.
var errStored = errors.New("the texts are stored")

// An editor is the task of editing the texts of records, and what it finds out about them. It is a
// sink, which is told of each record before that is edited.
type editor struct {
	run.Reading

	config  *config.Substr
	std     files.Streams
	finder  *substr.Finder
	action  substr.Action
	mask    []byte
	foreign bool // compared with a corpus, whose records are not ours
	meter   *files.Meter

	fields   []string
	literals *stream.Literals
	page     *passagePage // nil unless it was asked for
	pageFile *files.Output

	input    string // of the record at hand
	number   uint64 // of it there
	tooLong  bool
	counts   passageCounts
	texts    []textPlace // of each text, for reports
	text     int         // number of the next text
	check    recordCheck
	refusal  error // of the inputs
	found    []stream.Literal
	scratch  []byte
	spanList []substr.Span
}

type textPlace struct {
	record uint64
	field  int
}

// Written are the files of the run.
func (e *editor) Written(c *config.Filter) []string { return append(c.Written(), e.config.Report) }

// Begin reads the records, and looks for what their texts repeat.
func (e *editor) Begin(ctx context.Context, f *run.Run) (err error) {
	if e.literals, err = f.Source.Literals(); err != nil {
		return usage.Error(err)
	}
	if f.Source.HasFields() {
		e.fields = f.Source.TextFields()
	} else {
		e.fields = []string{""}
	}
	if err := f.CheckFields("--report-by", e.config.ReportBy...); err != nil {
		return err
	}
	f.Opts.Method, f.Opts.Unreadable = stream.Method{Judge: stream.KeepAll{}, DecidesAll: true}, 0
	f.Opts.Lost = nil // what cannot be read cannot be compared either
	if err := e.collectAll(ctx, f); err != nil {
		return err
	}
	err = e.finder.Find(ctx)
	e.meter.Clear()
	if err != nil {
		return err
	}
	if e.config.Store != "" {
		if err := e.finder.Store(ctx, e.config.Store); err != nil {
			return err
		}
		e.announce()
		return errStored
	}
	e.counts.again()
	return e.beginPage()
}

// Ready has records edited as they are written.
func (e *editor) Ready(f *run.Run) error {
	f.Opts.Edit, f.Opts.EditedOnly = e.edit, e.action == substr.ActionReport
	f.Opts.Sinks, f.Ending = append(f.Opts.Sinks, stream.SinkFunc(e.Take)), e.end
	if e.page != nil {
		f.Opts.Fields = e.config.ReportBy
	}
	return nil
}

// end makes sure that all texts have come again, and writes the page, before it is said how the run
// has ended.
func (e *editor) end() error {
	if e.text < e.finder.Texts() {
		return errors.New("the input has shrunk since it was first read: run again when nothing writes to it")
	}
	return e.writePage()
}

// collectAll reads the records for the first time.
func (e *editor) collectAll(ctx context.Context, f *run.Run) error {
	err := f.ReadBefore(ctx, e.collect, e.Take)
	if e.refusal != nil {
		return e.refusal // which has a place of its own
	}
	if err != nil {
		return err
	}
	if err := e.check.end(); err != nil {
		return err
	}
	if e.check.records > 0 && e.finder.Texts() == 0 {
		return e.check.noText(e.fields)
	}
	return nil
}

// Take notes which record comes.
func (e *editor) Take(d *stream.Decided) error {
	e.counts.records++
	e.input, e.number = d.Input, d.Record
	if e.tooLong = d.Problem == stream.TooLong; e.tooLong {
		e.rejectLong()
	}
	e.page.begin(d)
	return nil
}

// isLong reports whether a record is not looked at, since it is too long, and counts it.
func (e *editor) isLong(r stream.Editable) bool {
	if !e.tooLong && len(r.Body) > int(e.config.MaxRecord) {
		e.rejectLong()
		return true
	}
	return e.tooLong
}

func (e *editor) rejectLong() {
	e.counts.reject(e.at(fmt.Errorf("the record is longer than max-record, %d bytes", e.config.MaxRecord)))
}

// at is an error with the place of the record at hand.
func (e *editor) at(err error) error { return fmt.Errorf("%s:%d: %w", e.input, e.number, err) }
