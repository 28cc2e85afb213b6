package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/quality/eval"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/markup"
	"github.com/mithril-stream/mithril-stream/stream"
)

// runEval reads labelled records into memory, and tries methods on them.
func runEval(ctx context.Context, c *config.Eval, std files.Streams) (err error) {
	e := &evalRun{c: c, std: std}
	defer func() { err = files.NameUnfinished(errors.Join(err, e.finish(err == nil)), e.tsv, e.page) }()
	if err := e.createFiles(); err != nil {
		return err
	}
	corpus, err := e.read(ctx, c.Filter.Input.Paths)
	if err != nil {
		return err
	}
	var test eval.Corpus
	if len(c.Test) > 0 {
		if test, err = e.read(ctx, c.Test); err != nil {
			return err
		}
	}
	if err := e.checkLabels(); err != nil {
		return err
	}
	s := c.Filter.Rule
	evaluator := &eval.Evaluator{
		Text: sketch.Params{
			Normalize: s.Text.Normalize, Tokenize: s.Text.Tokenize, Sketch: s.Sketch, Seed: s.Seed.Number,
			BandKey: s.BandKey,
		},
		NewSketcher: sketchers.With, FPRate: c.Filter.Memory.Filters.FPRate,
	}
	keys, err := e.useModel(evaluator)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, keys.Close()) }()
	shown := files.NewMeter("tried", std.Err, c.Filter.Output.Quiet)
	findings, err := evaluator.Compare(ctx, corpus, test, c.Grid, std.Threads(c.Filter.Input.Threads),
		func(runs, of int) { shown.Show(float64(runs) / float64(of)) })
	shown.Clear()
	if err != nil {
		return err
	}
	return e.report(findings)
}

// useModel makes the evaluator use the vectors of the model, if there is one.
func (e *evalRun) useModel(evaluator *eval.Evaluator) (identity.KeyKind, error) {
	if e.c.Filter.Rule.Vectors.Model == "" {
		return identity.KeyKind{}, nil
	}
	made, keys, err := method.VectorSketcher(e.c.Filter.Method)
	if err != nil {
		return keys, usage.Error(err)
	}
	evaluator.Vectors = &eval.Vectors{Dims: keys.Model.Dims(), NewSketcher: made, Before: keys.Failures.Before}
	return keys, nil
}

// An evalRun is one comparison.
type evalRun struct {
	c         *config.Eval
	std       files.Streams
	tsv, page *files.Output
	labels    *labels // from a separate file, once they have been read
	notes     []string
}

func (e *evalRun) createFiles() error {
	read := slices.Concat(e.c.Filter.Input.Paths, e.c.Test)
	if e.c.Labels != "" {
		read = append(read, e.c.Labels)
	}
	inputs, err := e.std.Paths(read)
	if err != nil {
		return err
	}
	if err := files.RefuseTwice([]string{e.c.TSV, e.c.Report}, e.std); err != nil {
		return usage.Error(err)
	}
	if e.tsv, err = files.CreateResult(inputs, e.c.TSV, e.std); err == nil {
		e.page, err = files.CreateResult(inputs, e.c.Report, e.std)
	}
	return err
}

func (e *evalRun) finish(complete bool) error {
	return errors.Join(e.tsv.Finish(complete, false), e.page.Finish(complete, false))
}

// read reads labelled records.
func (e *evalRun) read(ctx context.Context, inputs []string) (corpus eval.Corpus, err error) {
	c := e.c.Filter.WithPaths(inputs)
	reader := &labelReader{labelled: e.c.Cluster != "", hasKinds: e.c.Kind != ""}
	if reader.extractor, err = markup.New(c.Rule.Text.Markup); err != nil {
		return corpus, usage.Error(err)
	}
	stats, err := run.Read(ctx, &c, run.Sketching{}, e.std, func(from *run.Source) (run.Reading, error) {
		fields, err := e.findFields(ctx, from, reader)
		r := reader.reading(c.Input.MaxRecord, fields)
		r.Needs.Limits = func(l stream.Limits) stream.Limits {
			l.NeedsFields = false // missing labels are an error of their own
			return l
		}
		return r, err
	})
	switch {
	case err != nil:
		return corpus, err
	case len(reader.texts) == 0:
		return corpus, fmt.Errorf("%s: there is no record with a text", inputs[0])
	case reader.unreadable > 0:
		e.notes = append(e.notes, fmt.Sprintf("Without text, and left out: %s%s.",
			units.Of(uint64(reader.unreadable), "record"), shown.Text(run.Unread(stats))))
	}
	switch {
	case !reader.labelled:
		corpus, err = e.byJaccard(reader.texts)
		corpus.Kinds = reader.kinds
		return corpus, err
	case e.labels != nil: // checkLabels considers those of all records
	case !slices.ContainsFunc(reader.labels, func(label string) bool { return label != "" }):
		return corpus, usage.Error(fmt.Errorf("%s: no record has a field %s that says its cluster: name it with "+
			"--cluster FIELD, or give --jaccard J", inputs[0], e.c.Cluster))
	}
	corpus = eval.ByCluster(reader.texts, reader.labels)
	corpus.Kinds = reader.kinds
	return corpus, nil
}

// findFields returns the fields that the reader takes: that of labels, or of the names to which
// labels in a separate file refer, and that of kinds.
func (e *evalRun) findFields(ctx context.Context, from *run.Source, reader *labelReader) (fields []string, err error) {
	if e.c.Kind != "" {
		if err := from.CheckFields("--kind", e.c.Kind); err != nil {
			return nil, err
		}
		fields = []string{e.c.Kind}
	}
	flag, field := "--cluster", e.c.Cluster
	switch {
	case !reader.labelled:
		return fields, nil
	case e.c.Labels != "":
		flag, field = "--id", e.c.ID
	}
	if err := from.CheckFields(flag, field); err != nil {
		return nil, err
	}
	if e.c.Labels != "" && e.labels == nil {
		e.labels, err = readLabels(ctx, e.c, from.Std)
	}
	reader.of = e.labels
	return append([]string{field}, fields...), err
}

// checkLabels compares the labels of a separate file with the records.
func (e *evalRun) checkLabels() error {
	if e.labels == nil {
		return nil
	}
	note, err := e.labels.check()
	if note != "" {
		e.notes = append(e.notes, note)
	}
	return err
}

// byJaccard compares all texts.
func (e *evalRun) byJaccard(texts [][]byte) (corpus eval.Corpus, err error) {
	sketcher, _, err := sketchers.New(e.c.Filter.Method)
	if err != nil {
		return corpus, usage.Error(err)
	}
	var set []uint64
	return eval.ByJaccard(texts, e.c.Jaccard, func(text []byte) []uint64 {
		set = sketcher.Shingles(set[:0], text)
		slices.Sort(set)
		return slices.Compact(set)
	}), nil
}

// noKind is the kind of a record without one.
const noKind = "none"

// A labelReader is a sink that keeps texts and labels.
type labelReader struct {
	extractor  markup.Extractor
	labelled   bool
	hasKinds   bool    // each record says its kind, in the last field
	of         *labels // from a separate file; nil if they are in the records
	texts      [][]byte
	labels     []string
	kinds      []string
	unreadable int
	most       int    // texts, after which Observe returns run.ErrEnough; 0 means all
	extracted  []byte // scratch
}

// reading returns a Reading that passes records to the reader, with some of their fields.
func (l *labelReader) reading(maxRecord int, fields []string) run.Reading {
	return run.Reading{
		Method: stream.Method{
			NewSketcher: func() stream.Sketcher { return overlap.Exact{} }, Judge: stream.KeepAll(),
		},
		Needs: run.Needs{SinkData: stream.SinkData{Fields: fields, Excerpt: maxRecord}},
		Sinks: []stream.Sink{stream.SinkFunc(l.Observe)},
	}
}

// Observe keeps a record.
func (l *labelReader) Observe(d *stream.Decided) error {
	if len(d.Excerpt) == 0 {
		l.unreadable++
		return nil
	}
	l.extracted = l.extractor(l.extracted[:0], d.Excerpt)
	l.texts = append(l.texts, bytes.Clone(l.extracted))
	switch {
	case l.of != nil:
		l.labels = append(l.labels, l.of.label(d.Fields[0]))
	case l.labelled:
		l.labels = append(l.labels, string(d.Fields[0]))
	}
	if l.hasKinds {
		l.kinds = append(l.kinds, cmp.Or(shown.Plain(d.Fields[len(d.Fields)-1]), noKind))
	}
	if len(l.texts) == l.most {
		return run.ErrEnough
	}
	return nil
}

// report prints the best settings and writes the files.
func (e *evalRun) report(f eval.Findings) error {
	if tied := f.Tied(); tied != "" {
		e.notes = append(e.notes, tied)
	}
	truth := "the field " + e.c.Cluster
	if e.c.Labels != "" {
		truth += " of " + e.c.Labels
	}
	if e.c.Cluster == "" {
		truth = fmt.Sprintf("an exact Jaccard similarity of %g with an earlier one, by shingles of %d", e.c.Jaccard,
			e.c.Filter.Rule.Text.ShingleSize)
	}
	if err := printEval(e.std.Out, f, truth, e.notes); err != nil {
		return err
	}
	var err error
	if e.tsv != nil {
		err = f.WriteTSV(io.Writer(e.tsv))
	}
	if err == nil && e.page != nil {
		err = eval.Page{
			Findings: f, Truth: truth, Origin: run.OriginOf(e.std.Args, 0), Notes: e.notes,
		}.Write(e.page)
	}
	return err
}
