package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
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
	if err := checkStore(c.Store); err != nil {
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
	written := []string{c.Output, c.Report}
	std, inputs, done, err := files.ReadTwice(ctx, std, c.Filter.Input.Paths, written, c.TempDir, c.Quiet)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	filter, err := leaveEditable(c.Filter.WithPaths(inputs), std)
	if err != nil {
		return err
	}
	e := &substrTask{config: c, std: std, finder: finder, action: action, meter: meter}
	err = run.Filter(ctx, &filter, e, std)
	if errors.Is(err, errStored) {
		err = nil
	}
	return files.NameUnfinished(errors.Join(err, e.page.finish(err == nil)), e.page.out())
}

// checkStore refuses a directory for a new corpus if there is anything in it, except what an
// interrupted run has left there. An empty dir is no directory.
func checkStore(dir string) error {
	if dir == "" {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("--store: %w: give a new directory", err)
	}
	for _, entry := range entries {
		switch entry.Name() {
		case "corpus.new":
		case "corpus":
			return fmt.Errorf("%s: there is a corpus already: give a new directory", dir)
		default:
			return fmt.Errorf("%s: the directory is not empty, there is %s in it: give a new directory", dir,
				entry.Name())
		}
	}
	return nil
}

// tableMemory returns how much memory the tables may take: as much as the user says, or else a
// gibibyte. On a small machine it is a quarter of what is available, since the files with the texts
// use memory, too.
func tableMemory(asked values.Size) int64 {
	if asked > 0 {
		return int64(asked)
	}
	_, available := bloomlsh.UsableMemory()
	return int64(min(1<<30, max(1<<20, available/4)))
}

// substrOptions returns the options of the finder, and the corpus, if there is one. Length and unit
// come from the corpus unless the user gives others.
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

// A substrTask is the task of editing the texts of records. It collects them in a first reading,
// looks for what they repeat, and edits them in a second one.
type substrTask struct {
	run.Textless
	config *config.Substr
	std    files.Streams
	finder *substr.Finder
	action substr.Action
	meter  *files.Meter

	first *passageCollector
	edits *passageEditor
	page  *passagePage // nil without --report
}

// Written returns the files that the run writes.
func (t *substrTask) Written(c *config.Filter) []string { return append(c.Written(), t.config.Report) }

// Method reads the records, looks for what their texts repeat, and returns a method that edits them
// by that.
func (t *substrTask) Method(ctx context.Context, _ *config.Filter, from *run.Source) (*run.Method, error) {
	texts, err := t.textsOf(from)
	if err != nil {
		return nil, err
	}
	needs := run.Needs{
		Whole: true, // what cannot be read cannot be compared either
		Limits: func(l stream.Limits) stream.Limits {
			l.Unreadable = 0 // recordCheck looks at the beginnings of all inputs
			return l
		},
	}
	t.first = &passageCollector{recordTexts: texts, finder: t.finder, notesPlaces: t.action == substr.ActionReport}
	if err := t.first.ended(from.ReadBefore(ctx, needs, t.first.collect, t.first.Observe)); err != nil {
		return nil, err
	}
	err = t.finder.Find(ctx)
	t.meter.Clear()
	if err != nil {
		return nil, err
	}
	if t.config.Store != "" {
		if err := t.finder.Store(ctx, t.config.Store); err != nil {
			return nil, err
		}
		t.announce()
		return nil, errStored
	}
	if t.page, err = beginPage(t.config.ReportFlags, t.std); err != nil {
		return nil, err
	}
	t.edits = t.editorOf(texts)
	if t.page != nil {
		needs.SinkData.Fields = t.config.ReportBy
	}
	return &run.Method{
		Stream: stream.Method{Judge: stream.KeepAll(), DecidesAll: true}, Needs: needs,
		Sinks:   []stream.Sink{stream.SinkFunc(t.edits.Observe)},
		Editing: stream.Editing{Edit: t.edits.edit, EditedOnly: t.action == substr.ActionReport},
		Calls: run.Calls{
			End:     func(*run.Outputs) error { return t.end() },
			Summary: func(stream.Stats) string { return t.summary() },
		},
	}, nil
}

// editorOf returns an editor of texts by what was found in them.
func (t *substrTask) editorOf(texts recordTexts) *passageEditor {
	texts.counts = t.first.counts.secondPass()
	e := &passageEditor{recordTexts: texts, finder: t.finder, action: t.action, page: t.page}
	if t.action == substr.ActionMask {
		e.mask = []byte(t.config.Mask)
	}
	if t.config.Against == "" { // a corpus has records of its own
		e.places = t.first.places
	}
	return e
}

// textsOf returns what finds the texts of a source's records.
func (t *substrTask) textsOf(from *run.Source) (texts recordTexts, err error) {
	texts.fields, texts.maxRecord = []string{""}, int(t.config.MaxRecord)
	if texts.literals, err = from.Literals(); err != nil {
		return texts, usage.Error(err)
	}
	if from.HasFields() {
		texts.fields = from.TextFields()
	}
	return texts, from.CheckFields("--report-by", t.config.ReportBy...)
}

// end checks that all texts have come again, and writes the page before the last line of output
// reports how the run has gone.
func (t *substrTask) end() error {
	if t.edits.next < t.finder.Texts() {
		return errShrunk
	}
	return t.writePage()
}

// summary says what was found.
func (t *substrTask) summary() string {
	if t.edits == nil {
		return t.first.counts.summary(false)
	}
	return t.edits.counts.summary(t.edits.next > 0)
}

// announce says what was stored.
func (t *substrTask) announce() {
	if !t.config.Quiet {
		shown.Notice(t.std.Err, "%s stored: %s", units.Of(t.first.counts.records, "record"),
			t.summary())
	}
}
