package run

import (
	"context"
	"errors"
	"os"

	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/stream"
)

// readOriginals reads inputs that are files again, for the texts of originals that the page lacks.
// An original that cannot be read is shown by its name.
func (w *work) readOriginals(ctx context.Context) error {
	page := w.to.page
	wanted := page.Wanted(page.first)
	if len(wanted) == 0 || w.to.opts.From.Records > 0 || !areRegular(w.from.Paths...) {
		return nil
	}
	again := &rereader{page: &page.Collector, number: page.first, wanted: wanted}
	opts := w.from.optionsAgain()
	opts.Method = stream.Method{Judge: stream.KeepAll()}
	opts.Excerpt, opts.Sinks = w.to.opts.Excerpt, []stream.Sink{stream.SinkFunc(again.Observe)}
	run, err := stream.New(opts)
	if err != nil {
		return err
	}
	if _, err = run.Do(ctx); ctx.Err() == nil {
		return nil // the records were judged and are written: a page with fewer texts is no failure
	}
	return err
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

// A rereader is a sink that adds the texts of some records to a page.
type rereader struct {
	page   *report.Collector
	number uint64 // of the last record
	wanted map[uint64]bool
}

var errAllRead = errors.New("all texts are read")

// Observe adds the text of a record if the page lacks it.
func (r *rereader) Observe(d *stream.Decided) error {
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
