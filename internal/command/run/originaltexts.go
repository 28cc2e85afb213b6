package run

import (
	"context"
	"errors"
	"os"

	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/stream"
)

// readOriginals reads the inputs again, for the texts of originals that the page lacks, where they
// are files. What cannot be read then is shown by its name.
func (f *Run) readOriginals(ctx context.Context) error {
	wanted := f.page.Wanted(f.page.first)
	if len(wanted) == 0 || f.Opts.From.Records > 0 || !areRegular(f.Paths...) {
		return nil
	}
	again := &rereader{page: &f.page.Collector, number: f.page.first, wanted: wanted}
	run, err := stream.New(stream.Options{
		Source: f.sourceAgain(), Method: stream.Method{Judge: stream.KeepAll{}},
		Outputs: stream.Outputs{Sinks: []stream.Sink{stream.SinkFunc(again.Take)}},
		OnError: f.Opts.OnError, Empty: f.Opts.Empty, Threads: f.Opts.Threads,
	})
	if err != nil {
		return err
	}
	if _, err = run.Do(ctx); ctx.Err() == nil {
		return nil // the records were judged and are written: a page with fewer texts is no failure
	}
	return err
}

// sourceAgain is the source of the run, to be read once more.
func (f *Run) sourceAgain() stream.Source {
	source := f.Opts.Source
	source.Unreadable, source.Fields, source.ID, source.Rank = 0, nil, "", ""
	source.Lost = func(stream.Place) {} // it was reported when the records were judged
	return source
}

// areRegular reports whether all paths are files that can be read again.
func areRegular(paths ...string) bool {
	for _, path := range paths {
		info, err := os.Stat(path)
		if path == "-" || err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

// A rereader is a sink that hands the texts of some records to a page.
type rereader struct {
	page   *report.Collector
	number uint64 // of the last record
	wanted map[uint64]bool
}

var errAllRead = errors.New("all texts are read")

// Take hands over the text of a record that is wanted.
func (r *rereader) Take(d *stream.Decided) error {
	r.number++
	if !r.wanted[r.number] {
		return nil
	}
	r.page.SetText(r.number, d.Excerpt)
	if delete(r.wanted, r.number); len(r.wanted) == 0 {
		return errAllRead
	}
	return nil
}
