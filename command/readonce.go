package command

import (
	"context"
	"errors"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/files"
	"github.com/mithril-stream/mithril-stream/method"
	"github.com/mithril-stream/mithril-stream/stream"
)

// errEnough ends a reading after the last record that matters.
var errEnough = errors.New("the last record that matters has come")

// readOnce reads all records of a filter that writes nothing. change sets what is done with them.
func readOnce(ctx context.Context, c config.Filter, std files.Streams, change func(f *filterRun) error) (err error) {
	f := newRun(&c, filtering{}, std)
	defer func() { err = errors.Join(err, f.close()) }()
	if err := f.prepare(ctx); err != nil {
		return err
	}
	f.opts.Lost = nil // what cannot be read cannot be compared either
	if err := change(f); err != nil {
		return err
	}
	run, err := stream.New(f.opts)
	if err != nil {
		return err
	}
	shown := startProgress(run, &method.Judging{}, std.Err, c.Output.Quiet, f.typed)
	_, err = run.Do(ctx)
	shown.stop()
	if errors.Is(err, errEnough) {
		return nil
	}
	return f.explainUnreadable(err)
}
