package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/command/files"
	"github.com/mithril-stream/mithril-stream/command/formats"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/sa/substr"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/compress"
)

// runSubstr reads the records twice: first to collect their texts, then to edit them.
func runSubstr(ctx context.Context, c *config.Substr, std files.Streams) (err error) {
	fields, err := formats.ParseFields(c.Field)
	if err != nil {
		return usage.Error(err)
	}
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
	sources, err := openSources(ctx, c, std)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sources.close()) }()
	var out *files.Output
	to := io.Writer(std.Out)
	if c.Output != "-" && c.Store == "" {
		const advice = "name it .jsonl, and convert that with mithril-stream --to"
		if err := formats.HoldsOnly(c.Output, "jsonl", advice); err != nil {
			return usage.Error(err)
		}
		method, err := compress.ByName(c.Output)
		if err != nil {
			return usage.Error(err)
		}
		if out, err = std.Create(c.Output, method, std.Cores.Count(), false); err != nil {
			return err
		}
		to = out.Writer()
	}
	page, err := newPassagePage(c, std)
	if err != nil {
		return files.NameLeft(errors.Join(err, out.Finish(false, false)), out)
	}

	e := &editor{
		ctx: ctx, literals: stream.NewLiterals(fields), fields: c.Field, finder: finder, action: action,
		foreign: corpus != nil, out: bufio.NewWriterSize(to, 256<<10), page: page, maxRecord: int(c.MaxRecord),
	}
	if action == substr.ActionMask {
		e.mask = []byte(c.Mask)
	}
	err = e.run(sources, c.Store)
	meter.Clear()
	if err == nil {
		err = e.writePage(c, std)
	}
	err = files.NameLeft(errors.Join(err, out.Finish(err == nil, false), page.finish(err == nil)), out)
	if err == nil && !c.Quiet {
		shown.Notice(std.Err, "%s", e.summary())
	}
	return err
}

// substrOptions takes length and unit from the corpus where the user left them alone.
func substrOptions(c *config.Substr) (substr.Options, *substr.Corpus, error) {
	o := substr.Options{
		MinLength: c.MinLength, WordBoundaries: c.WordBoundaries, Memory: int64(c.Memory), TempDir: c.TempDir,
		Threads: c.Threads,
	}
	if c.Against != "" {
		corpus, err := substr.OpenCorpus(c.Against)
		if err != nil {
			return o, nil, err
		}
		o.Against = corpus
		if o.MinLength == 0 {
			o.MinLength = corpus.MinLength()
		}
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

// An editor applies an action to all records.
type editor struct {
	ctx      context.Context
	literals *stream.Literals
	fields   []string
	finder   *substr.Finder
	action   substr.Action
	mask     []byte
	foreign  bool // compared with a corpus, whose records are not ours
	out      *bufio.Writer
	page     *passagePage // nil unless it was asked for

	maxRecord int // bytes; a longer record passes as it is

	texts    []textPlace // of each text, for reports
	text     int         // number of the next text
	records  uint64
	touched  uint64 // records with a span
	spans    uint64
	bytes    uint64 // in spans
	all      uint64 // bytes of text
	check    lineCheck
	rejects  uint64
	reject   error // the first
	found    []stream.Literal
	scratch  []byte
	spanList []substr.Span
}

type textPlace struct {
	record uint64
	field  int
}

func (e *editor) run(sources *sources, store string) error {
	first := files.LineTaker{Most: e.maxRecord, Whole: e.collect, Part: e.collectLong}
	if err := sources.each(e.ctx, first); err != nil {
		return err
	}
	if err := e.check.end(); err != nil {
		return err
	}
	if e.check.records > 0 && e.finder.Texts() == 0 {
		return e.check.noText(e.fields)
	}
	if err := e.finder.Find(e.ctx); err != nil {
		return err
	}
	if store != "" {
		return e.finder.Store(e.ctx, store)
	}
	e.records, e.rejects = 0, 0
	if err := sources.each(e.ctx, files.LineTaker{Most: e.maxRecord, Whole: e.edit, Part: e.editLong}); err != nil {
		return err
	}
	if err := e.out.Flush(); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// collect adds the texts of a record.
func (e *editor) collect(line []byte, name string, number uint64) error {
	e.records++
	var err error
	if e.found, err = e.literals.Append(e.found[:0], line); err != nil {
		return e.check.see(name, line, e.rejected(fmt.Errorf("%s:%d: %w", name, number, err)))
	}
	if err := e.check.see(name, line, nil); err != nil {
		return err
	}
	for _, l := range e.found {
		if e.scratch, err = substr.Unquote(e.scratch[:0], line[l.Start:l.End]); err != nil {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
		e.all += uint64(len(e.scratch))
		if e.action == substr.ActionReport {
			e.texts = append(e.texts, textPlace{e.records, l.Field})
		}
		if err := e.finder.Add(e.scratch); err != nil {
			return err
		}
	}
	return nil
}

// rejected counts a record that could not be read.
func (e *editor) rejected(err error) error {
	if e.rejects++; e.rejects == 1 {
		e.reject = err
	}
	return err
}

// collectLong passes over a record that is too long.
func (e *editor) collectLong(_ []byte, name string, number uint64, isFirst bool) error {
	if isFirst {
		e.records++
		e.rejected(fmt.Errorf("%s:%d: the record is longer than max-record, %d bytes", name, number, e.maxRecord))
	}
	return nil
}

// editLong writes a part of a record that is too long, as it is.
func (e *editor) editLong(part []byte, name string, number uint64, isFirst bool) error {
	if isFirst {
		e.records++
		e.rejects++
		e.page.begin(nil, name, number)
		e.page.end()
	}
	if e.action == substr.ActionReport {
		return nil
	}
	return e.write(part)
}

// edit writes what the action makes of a record. A line that is no record stays as it is.
func (e *editor) edit(line []byte, name string, number uint64) error {
	e.records++
	e.page.begin(line, name, number)
	defer e.page.end()
	var err error
	if e.found, err = e.literals.Append(e.found[:0], line); err != nil {
		e.rejects++
		if e.action == substr.ActionReport {
			return nil
		}
		return e.write(line)
	}
	edited, written, touched := e.scratch[:0], 0, false
	for _, l := range e.found {
		if e.text == e.finder.Texts() {
			return fmt.Errorf("%s:%d: the input has grown since it was first read: run again when nothing writes to it",
				name, number)
		}
		if e.spanList, err = e.finder.AppendSpans(e.spanList[:0], e.text); err != nil {
			return err
		}
		e.text++
		if len(e.spanList) == 0 {
			continue
		}
		touched = true
		e.count()
		if err := e.page.show(line[l.Start:l.End], e.spanList); err != nil {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
		switch e.action {
		case substr.ActionReport:
			if err := e.report(l); err != nil {
				return err
			}
		case substr.ActionCut, substr.ActionMask:
			edited = append(edited, line[written:l.Start]...)
			if edited, err = substr.EditLiteral(edited, line[l.Start:l.End], e.spanList, e.mask); err != nil {
				return fmt.Errorf("%s:%d: %w", name, number, err)
			}
			written = l.End
		}
	}
	if touched {
		e.touched++
	}
	e.scratch = edited
	switch {
	case e.action == substr.ActionReport, touched && e.action == substr.ActionDrop:
		return nil
	case written == 0:
		return e.write(line)
	}
	e.scratch = append(edited, line[written:]...)
	return e.write(e.scratch)
}

func (e *editor) count() {
	for _, s := range e.spanList {
		e.spans++
		e.bytes += uint64(s.End - s.Start)
	}
}

func (e *editor) write(line []byte) error {
	if _, err := e.out.Write(line); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// report writes a line for each span of the text before e.text.
func (e *editor) report(l stream.Literal) error {
	for _, s := range e.spanList {
		r := substr.Report{
			Record: int(e.records), Field: e.fields[l.Field], Offset: s.Start, Length: s.End - s.Start,
			First: substr.Location{Record: s.First.Text + 1, Offset: s.First.Offset},
		}
		if !e.foreign {
			first := e.texts[s.First.Text]
			r.First.Record, r.First.Field = int(first.record), e.fields[first.field]
		}
		if err := e.write(r.AppendJSON(nil)); err != nil {
			return err
		}
	}
	return nil
}

func (e *editor) summary() string {
	s := fmt.Sprintf("%s records, %s of text", units.Count(e.records), units.Bytes(e.all))
	if e.finder.Texts() > 0 && e.text > 0 {
		s += fmt.Sprintf(": %s repeated passages in %s records, %s (%.1f %%)",
			units.Count(e.spans), units.Count(e.touched), units.Bytes(e.bytes), units.Percent(e.bytes, e.all))
	}
	if e.rejects > 0 {
		s += fmt.Sprintf("; %s could not be read, the first: %v", units.Count(e.rejects), e.reject)
	}
	return s
}
