package run

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A progressLine shows the progress of a run: on a terminal twice a second, on SIGUSR1 once.
type progressLine struct {
	progressOf
	run     *stream.Run
	share   *inputShare
	left    forecast
	out     *os.File
	live    bool // out is a terminal
	started time.Time
	elapsed time.Duration // at the end of the run
	done    chan struct{}
	stopped chan struct{}
}

// progressOf says what makes progress besides the number of records.
type progressOf struct {
	detector *method.Detector // nil if records are not judged by a memory
	hasIndex bool             // the memory is kept in an index
	groups   memory.Groups    // of the records; may be nil
	tables   *formats.Tables  // the outputs that are tables; may be nil
}

// startProgress shows the progress of a run that reads a source.
func startProgress(run *stream.Run, from *Source, of progressOf) *progressLine {
	if of.detector == nil {
		of.detector = &method.Detector{}
	}
	out := from.Std.Err
	p := &progressLine{
		progressOf: of, run: run, share: from.share, out: out, live: isLive(out, from.Quiet, from.Typed),
		started: time.Now(), done: make(chan struct{}), stopped: make(chan struct{}),
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	go p.watch(asked)
	return p
}

func (p *progressLine) watch(asked chan os.Signal) {
	defer close(p.stopped)
	defer signal.Stop(asked)
	var tick <-chan time.Time
	if p.live {
		ticker := time.NewTicker(files.ProgressInterval)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-tick:
			fmt.Fprintf(p.out, "\r%s\x1b[K", shown.Text(files.Fit(p.parts(), files.TerminalWidth(p.out))))
		case <-asked:
			_ = shown.Line(p.out, "%s", files.JoinParts(p.parts()))
		case <-p.done:
			if p.live {
				fmt.Fprint(p.out, "\r\x1b[K")
			}
			return
		}
	}
}

// stop ends the progress line and waits for its goroutine.
func (p *progressLine) stop() {
	close(p.done)
	<-p.stopped
	p.elapsed = time.Since(p.started)
}

// parts describes the progress of the run. The counts of records matter most, the rate of bytes
// least.
func (p *progressLine) parts() []files.Part {
	s := p.run.Stats()
	seconds := time.Since(p.started).Seconds()
	parts := []files.Part{
		{Text: units.Of(s.Records, "record"), Rank: 0},
		{Text: units.Count(uint64(float64(s.Records)/seconds)) + "/s", Rank: 2},
		{Text: units.Bytes(uint64(float64(s.BytesIn)/seconds)) + "/s", Rank: 5},
	}
	parts = append(parts, p.left.parts(p.share)...)
	if p.detector.Filters != nil || p.detector.HasNames() {
		parts = append(parts, files.Part{Text: fmt.Sprintf("%.1f %% duplicates", units.Percent(s.Duplicates,
			s.Records)), Rank: 1})
	}
	if p.hasIndex {
		for _, text := range p.detector.Progress() {
			parts = append(parts, files.Part{Text: text, Rank: 4})
		}
	}
	if p.groups != nil {
		if band, bands := p.groups.Joining(); band > 0 {
			parts = append(parts, files.Part{Text: fmt.Sprintf("joining, band %d of %d", band, bands), Rank: 1})
		}
	}
	if p.tables != nil {
		if written, all := p.tables.Rows(); written > 0 {
			parts = append(parts, files.Part{Text: fmt.Sprintf("writing row %s of %s", units.Count(written),
				units.Count(all)), Rank: 1})
		}
	}
	return append(parts, files.Part{Text: "memory " + units.Bytes(files.MemoryNow()), Rank: 3})
}
