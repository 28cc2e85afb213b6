package run

import (
	"context"
	"errors"
	"io"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/stream"
)

// ErrEnough ends a reading after the last record that matters.
var ErrEnough = errors.New("the last record that matters has come")

// A Reading says what to do with records that are read and not written.
type Reading struct {
	Method stream.Method // without a sketcher that of the source is used
	Needs  Needs
	Sinks  []stream.Sink
	Groups memory.Groups // that records are put into, to show how they grow; may be nil
	// Unconfined says that --within does not matter: records are compared with those of all values.
	Unconfined bool
	// Ended is called after the last record, if all could be read, while progress is shown. It may
	// be nil.
	Ended func(context.Context) error
}

// JudgedBy returns a Reading that judges records and then passes them to a sink, named by a field
// if there is one.
func JudgedBy(from *Source, id string, judge stream.Judge, sink stream.Sink) (Reading, error) {
	return Reading{
		Method: stream.Method{Judge: judge}, Sinks: []stream.Sink{sink},
		Needs: Needs{SinkData: stream.SinkData{ID: id}},
	}, from.CheckFields("--id", id)
}

// Read reads all records of a filter, and writes nothing. Once the source is open, what returns the
// Reading. A sink or a judge that returns ErrEnough ends it without an error. At the end the
// sketching is closed. Read returns the counts of the records.
func Read(
	ctx context.Context, c *config.Filter, by Sketching, std files.Streams,
	what func(from *Source) (Reading, error),
) (stats stream.Stats, err error) {
	from, err := openSource(ctx, c, by, nil, []string{c.Memory.Index}, std)
	if err != nil {
		return stats, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	r, err := what(from)
	if err != nil {
		return stats, err
	}
	return from.Do(ctx, r)
}

// Do reads the records of the source. An input that cannot be read to its end is an error, since
// the rest could not be compared.
func (s *Source) Do(ctx context.Context, r Reading) (stats stream.Stats, err error) {
	r.Needs.Whole = true
	opts := s.Options(r.Needs)
	if opts.Sinks = r.Sinks; r.Method.NewSketcher == nil {
		r.Method.NewSketcher = s.New
	}
	opts.Method = r.Method
	stats, err = s.read(ctx, opts, r)
	return stats, s.ExplainUnreadable(err)
}

// Each returns a judge to which nothing is a duplicate, and which looks at each sketch.
func Each(look func(words []uint64) error) stream.Judge {
	return stream.ByRecord(nil, func(b stream.Batch, i int) (v stream.Verdict, err error) {
		return v, look(b.Sketch(i))
	})
}

// An editFunc is a stream.Options.Edit.
type editFunc = func(dst []byte, r stream.Editable) (edited []byte, changed bool, err error)

// ReadBefore is the first pass over a source for a run that reads it twice: records are passed to
// edit and to the sink, and nothing is written.
func (s *Source) ReadBefore(ctx context.Context, n Needs, edit editFunc, take stream.SinkFunc) error {
	opts := s.Options(n)
	opts.Method = stream.Method{Judge: stream.KeepAll(), DecidesAll: true}
	opts.Output, opts.Edit, opts.EditedOnly, opts.Sinks = io.Discard, edit, true, []stream.Sink{take}
	_, err := s.read(ctx, opts, Reading{})
	return err
}

// read reads records in addition to the run, up to the last one that matters, and shows its
// progress.
func (s *Source) read(
	ctx context.Context, opts stream.Options, r Reading,
) (stats stream.Stats, err error) {
	if r.Unconfined {
		opts.Within = ""
	}
	reading, err := stream.New(opts)
	if err != nil {
		return stats, err
	}
	shown := startProgress(reading, s, progressOf{groups: r.Groups})
	defer shown.stop()
	if stats, err = reading.Do(ctx); errors.Is(err, ErrEnough) {
		err = nil
	}
	if err == nil && r.Ended != nil {
		err = r.Ended(ctx)
	}
	return stats, err
}
