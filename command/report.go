package command

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/lsh"
	"github.com/mithril-stream/mithril-stream/overlap"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A report tells the user how the run goes: on a terminal twice a second, on SIGUSR1 once, and in a
// line at the end.
type report struct {
	run     *stream.Run
	memory  *seen        // nil if nothing is judged, or by exact
	exact   *exactMemory // nil unless it judges
	out     *os.File
	quiet   bool
	live    bool // out is a terminal
	started time.Time
	done    chan struct{}
	stopped chan struct{}

	groups   *lsh.Groups    // that records are put into, or nil
	set      *overlap.Set   // of parts that are remembered exactly, or nil
	items    *contamination // what was looked for, or nil
	sketched bool           // records were not judged
	repeated *journal.Run   // whose verdicts were repeated, or nil
	elapsed  time.Duration
}

const progressInterval = 500 * time.Millisecond

// startReport shows progress on a terminal, unless the input is typed there: it would stand in the
// line that the user writes.
func startReport(run *stream.Run, memory *seen, out *os.File, quiet, typed bool) *report {
	r := &report{
		run: run, memory: memory, out: out, quiet: quiet,
		live:    !quiet && !typed && term.IsTerminal(int(out.Fd())),
		started: time.Now(), done: make(chan struct{}), stopped: make(chan struct{}),
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	go r.watch(asked)
	return r
}

func (r *report) watch(asked chan os.Signal) {
	defer close(r.stopped)
	defer signal.Stop(asked)
	var tick <-chan time.Time
	if r.live {
		ticker := time.NewTicker(progressInterval)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-tick:
			fmt.Fprintf(r.out, "\r%s\x1b[K", fit(r.progress(), terminalWidth(r.out)))
		case <-asked:
			fmt.Fprintln(r.out, joinParts(r.progress()))
		case <-r.done:
			if r.live {
				fmt.Fprint(r.out, "\r\x1b[K")
			}
			return
		}
	}
}

// stop ends the progress line and waits until it is gone.
func (r *report) stop() {
	close(r.done)
	<-r.stopped
	r.elapsed = time.Since(r.started)
}

// lost reports an input that could not be read to its end while the run goes on.
func (r *report) lost(p stream.Place) {
	if r.quiet {
		return
	}
	if r.live {
		fmt.Fprint(r.out, "\r\x1b[K")
	}
	fmt.Fprintf(r.out, "mithril-stream: %s; going on with the next input\n", p)
}

// progress is how far the run has come. The counts of records matter most, the rate of bytes least.
func (r *report) progress() []part {
	s := r.run.Stats()
	seconds := time.Since(r.started).Seconds()
	parts := []part{
		{count(s.Records) + " records", 0},
		{count(uint64(float64(s.Records)/seconds)) + "/s", 2},
		{bytesOf(uint64(float64(s.BytesIn)/seconds)) + "/s", 5},
	}
	if r.memory != nil || r.exact != nil {
		parts = append(parts, part{fmt.Sprintf("%.1f %% duplicates", percent(s.Duplicates, s.Records)), 1})
	}
	if g := r.memory; g != nil && (r.exact == nil || g.inserted.Load() > 0) {
		parts = append(parts, part{fmt.Sprintf("index %s of %s records, %s",
			count(g.inserted.Load()), count(g.capacity.Load()), bytesOf(g.bytes.Load())), 4})
	}
	if e := r.exact; e != nil && e.bytes.Load() > 0 {
		parts = append(parts, part{fmt.Sprintf("index %s signatures, %s", count(e.entries.Load()),
			bytesOf(e.bytes.Load())), 4})
	}
	if r.groups != nil {
		if band, bands := r.groups.Joining(); band > 0 {
			parts = append(parts, part{fmt.Sprintf("joining, band %d of %d", band, bands), 1})
		}
	}
	return append(parts, part{"memory " + bytesOf(memoryNow()), 3})
}

// sumUp writes the line at the end.
func (r *report) sumUp(s stream.Stats) {
	if !r.quiet {
		fmt.Fprintln(r.out, "mithril-stream: "+r.summary(s, r.elapsed))
	}
}

// writeStats writes the stats file, if there is one, and puts it in its place.
func (r *report) writeStats(s stream.Stats, file *outFile) error {
	if file == nil {
		return nil
	}
	of := runStats{
		Version: Version(), Seconds: r.elapsed.Seconds(),
		fieldCounts: fieldCountsOf(s, r.elapsed), runCounts: countsOf(s),
		PeakMemory: peakMemory(), Indexes: r.memory.stats(), Exact: r.exact.stats(),
	}
	if r.repeated != nil {
		of.Repeats = r.repeated.Number
	}
	encoder := json.NewEncoder(file)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(of); err != nil {
		return fmt.Errorf("write stats: %w", err)
	}
	return file.finish(true, false)
}

func (r *report) summary(s stream.Stats, elapsed time.Duration) string {
	line := fmt.Sprintf("%s records in %s", count(s.Records), elapsed.Round(10*time.Millisecond))
	switch {
	case r.sketched:
		line += fmt.Sprintf(": %s sketched", count(s.Unseen))
	case r.items != nil:
		line += fmt.Sprintf(": %s of %s items found", count(uint64(r.items.found)), count(uint64(r.items.items.Len())))
		if s.Duplicates > 0 {
			line += fmt.Sprintf(", %s records removed (%.1f %%)", count(s.Duplicates), percent(s.Duplicates, s.Records))
		}
	case r.memory == nil && r.exact == nil && r.set == nil:
		line += fmt.Sprintf(": %s kept, %s left out (%.1f %%)", count(s.Unseen), count(s.Duplicates),
			percent(s.Duplicates, s.Records))
	default:
		line += fmt.Sprintf(": %s kept, %s duplicates (%.1f %%)", count(s.Kept()), count(s.Duplicates),
			percent(s.Duplicates, s.Records))
	}
	if s.Empty > 0 {
		line += fmt.Sprintf("; %s without text", count(s.Empty))
	}
	if e := r.exact; r.repeated == nil && e.hasTurned() {
		line += fmt.Sprintf("; from record %s on by Bloom filters, which do not know originals", count(e.turnedAt()))
	}
	if r.repeated != nil {
		line += fmt.Sprintf("; the index knows this input from run %d of %s: the same verdicts again, and "+
			"the index is as it was",
			r.repeated.Number, r.repeated.Ended.Format(time.DateTime))
	}
	if n := s.Rejects.Total(); n > 0 {
		line += fmt.Sprintf("; %s could not be read, the first: %s", count(n), s.FirstReject)
	}
	return line
}
