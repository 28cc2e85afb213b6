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

// A Reading is what is done with records that are read and not written.
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

// JudgedBy is a reading of records that are judged, and then told to a sink with what they are
// called: by a field, if there is one.
func JudgedBy(from *Source, id string, judge stream.Judge, sink stream.Sink) (Reading, error) {
	return Reading{
		Method: stream.Method{Judge: judge}, Sinks: []stream.Sink{sink},
		Needs: Needs{SinkData: stream.SinkData{ID: id}},
	}, from.CheckFields("--id", id)
}

// Read reads all records of a filter, and writes nothing. Once it is known where they come from,
// what says what is done with them. A sink or a judge that returns ErrEnough ends the reading
// without an error. In the end the sketching is closed. Read returns the counts of the records.
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

// Do reads the records of the source. An input that cannot be read to its end is an error: what
// cannot be read cannot be compared either.
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

// ReadBefore reads the records of a source before a run does, for one that reads them twice: they
// are shown to edit, and told to the sink, and nothing is written.
func (s *Source) ReadBefore(ctx context.Context, n Needs, edit editFunc, take stream.SinkFunc) error {
	opts := s.Options(n)
	opts.Method = stream.Method{Judge: stream.KeepAll(), DecidesAll: true}
	opts.Output, opts.Edit, opts.EditedOnly, opts.Sinks = io.Discard, edit, true, []stream.Sink{take}
	_, err := s.read(ctx, opts, Reading{})
	return err
}

// read reads records beside the run, up to the last one that matters. It shows how far it has come.
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
