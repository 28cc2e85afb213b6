package run

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// ErrEnough ends a reading after the last record that matters.
var ErrEnough = errors.New("the last record that matters has come")

// Once reads all records of a filter that writes nothing. change sets what is done with them.
func Once(ctx context.Context, c config.Filter, std files.Streams, change func(f *Run) error) error {
	_, err := Read(ctx, c, Filtering{}, std, change)
	return err
}

// Read is Once for another task. It returns the counts of the records.
func Read(
	ctx context.Context, c config.Filter, what Task, std files.Streams, change func(f *Run) error,
) (stats stream.Stats, err error) {
	f := New(&c, what, std)
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.Prepare(ctx); err != nil {
		return stats, err
	}
	f.Opts.Lost = nil // what cannot be read cannot be compared either
	if err := change(f); err != nil {
		return stats, err
	}
	stats, err = f.read(ctx, f.Opts)
	return stats, f.ExplainUnreadable(err)
}

// JudgeNamed has records judged, and then told to a sink with what they are called: by the field of
// --id, if there is one.
func (f *Run) JudgeNamed(id string, judge stream.Judge, sink stream.Sink) error {
	f.Opts.ID, f.Opts.Method.Judge, f.Opts.Sinks = id, judge, []stream.Sink{sink}
	return f.CheckFields("--id", id)
}

// CheckFields refuses fields, which a flag names, that records do not have.
func (f *Run) CheckFields(flag string, fields ...string) error {
	for _, field := range fields {
		if err := stream.CheckID(f.Opts.Format, field); err != nil {
			return usage.Error(fmt.Errorf("%s: %w", flag, err))
		}
	}
	return nil
}

// Each is a judge to which nothing is a duplicate: it looks at the records of a batch, one after
// the other. words are the sketch of record i.
type Each func(i int, words []uint64) error

// Judge looks at the records.
func (look Each) Judge(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	clear(out)
	for i := range out {
		if err := look(i, b.Sketch(i)); err != nil {
			return i, err
		}
	}
	return len(out), nil
}

// An editFunc is a stream.Options.Edit.
type editFunc = func(dst []byte, r stream.Editable) (edited []byte, changed bool, err error)

// ReadBefore reads the records of a run before it begins, for one that reads them twice: they are
// shown to edit, and told to the sink, and nothing is written.
func (f *Run) ReadBefore(ctx context.Context, edit editFunc, take stream.SinkFunc) error {
	first := f.Opts
	first.Output, first.Edit, first.EditedOnly, first.Sinks = io.Discard, edit, true, []stream.Sink{take}
	_, err := f.read(ctx, first)
	return err
}

// read reads records beside the run, up to the last one that matters. It shows how far it has come.
func (f *Run) read(ctx context.Context, opts stream.Options) (stats stream.Stats, err error) {
	reading, err := stream.New(opts)
	if err != nil {
		return stats, err
	}
	shown := StartProgress(reading, &method.Judging{}, f.Std.Err, f.Config.Output.Quiet, f.Typed)
	defer shown.Stop()
	if stats, err = reading.Do(ctx); errors.Is(err, ErrEnough) {
		err = nil
	}
	return stats, err
}
