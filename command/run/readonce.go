package run

import (
	"context"
	"errors"

	"github.com/mithril-stream/mithril-stream/command/files"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/method"
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
	run, err := stream.New(f.Opts)
	if err != nil {
		return stats, err
	}
	shown := StartProgress(run, &method.Judging{}, std.Err, c.Output.Quiet, f.Typed)
	stats, err = run.Do(ctx)
	shown.Stop()
	if errors.Is(err, ErrEnough) {
		return stats, nil
	}
	return stats, f.ExplainUnreadable(err)
}
