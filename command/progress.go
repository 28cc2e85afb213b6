package command

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/mithril-stream/mithril-stream/files"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/memory"
	"github.com/mithril-stream/mithril-stream/overlap"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A progressLine tells the user how the run goes: on a terminal twice a second, on SIGUSR1 once,
// and in a line at the end.
type progressLine struct {
	run     *stream.Run
	memory  *seen        // nil if nothing is judged, or by exact
	exact   *exactMemory // nil unless it judges
	out     *os.File
	quiet   bool
	live    bool // out is a terminal
	started time.Time
	done    chan struct{}
	stopped chan struct{}

	groups   memory.Groups  // that records are put into, or nil
	set      *overlap.Set   // of parts that are remembered exactly, or nil
	items    *contamination // what was looked for, or nil
	shards   *shards        // that kept records are divided into, or nil
	rows     *columned      // the tables that records become, or nil
	sketched bool           // records were not judged
	runs     *runJournal    // that an index has taken in, or nil
	elapsed  time.Duration
}

// startProgress shows progress on a terminal, unless the input is typed there: it would stand in
// the line that the user writes.
func startProgress(run *stream.Run, memory *seen, out *os.File, quiet, typed bool) *progressLine {
	p := &progressLine{
		run: run, memory: memory, out: out, quiet: quiet,
		live:    !quiet && !typed && term.IsTerminal(int(out.Fd())),
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

// stop ends the progress line and waits until it is gone.
func (p *progressLine) stop() {
	close(p.done)
	<-p.stopped
	p.elapsed = time.Since(p.started)
}

// lost reports an input that could not be read to its end while the run goes on.
func (p *progressLine) lost(at stream.Place) {
	if p.quiet {
		return
	}
	if p.live {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
	shown.Notice(p.out, "%s; going on with the next input", at)
}

// parts says how far the run has come. The counts of records matter most, the rate of bytes least.
func (p *progressLine) parts() []files.Part {
	s := p.run.Stats()
	seconds := time.Since(p.started).Seconds()
	parts := []files.Part{
		{Text: units.Count(s.Records) + " records", Rank: 0},
		{Text: units.Count(uint64(float64(s.Records)/seconds)) + "/s", Rank: 2},
		{Text: units.Bytes(uint64(float64(s.BytesIn)/seconds)) + "/s", Rank: 5},
	}
	if p.memory != nil || p.exact != nil {
		parts = append(parts, files.Part{Text: fmt.Sprintf("%.1f %% duplicates", units.Percent(s.Duplicates,
			s.Records)), Rank: 1})
	}
	if g := p.memory; g != nil && (p.exact == nil || g.inserted.Load() > 0) {
		parts = append(parts, files.Part{Text: fmt.Sprintf("index %s of %s records, %s",
			units.Count(g.inserted.Load()), units.Count(g.capacity.Load()), units.Bytes(g.bytes.Load())), Rank: 4})
	}
	if e := p.exact; e != nil && e.bytes.Load() > 0 {
		parts = append(parts, files.Part{Text: fmt.Sprintf("index %s signatures, %s", units.Count(e.entries.Load()),
			units.Bytes(e.bytes.Load())), Rank: 4})
	}
	if p.groups != nil {
		if band, bands := p.groups.Joining(); band > 0 {
			parts = append(parts, files.Part{Text: fmt.Sprintf("joining, band %d of %d", band, bands), Rank: 1})
		}
	}
	if r := p.rows; r != nil && r.written.Load() > 0 {
		parts = append(parts, files.Part{Text: fmt.Sprintf("writing row %s of %s", units.Count(r.written.Load()),
			units.Count(r.waited.Load())), Rank: 1})
	}
	return append(parts, files.Part{Text: "memory " + units.Bytes(files.MemoryNow()), Rank: 3})
}

// sumUp writes the line at the end.
func (p *progressLine) sumUp(s stream.Stats) {
	if !p.quiet {
		shown.Notice(p.out, "%s", p.summary(s, p.elapsed))
	}
}

// writeStats writes the stats file, if there is one, and puts it in its place.
func (p *progressLine) writeStats(s stream.Stats, file *files.Output) error {
	if file == nil {
		return nil
	}
	of := runStats{
		Version: files.Version(), Seconds: p.elapsed.Seconds(),
		fieldCounts: fieldCountsOf(s, p.elapsed), runCounts: countsOf(s),
		Shards: p.shards.stats(s), Others: p.shards.others(len(s.Shards) + 1),
		PeakMemory: files.PeakMemory(), Indexes: p.memory.stats(), Exact: p.exact.stats(),
	}
	of.Repeats, of.Extends = p.runs.repeats(), p.runs.extends()
	encoder := json.NewEncoder(file)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(of); err != nil {
		return fmt.Errorf("write stats: %w", err)
	}
	return file.Finish(true, false)
}

func (p *progressLine) summary(s stream.Stats, elapsed time.Duration) string {
	line := fmt.Sprintf("%s records in %s", units.Count(s.Records), elapsed.Round(10*time.Millisecond))
	switch {
	case p.sketched:
		line += fmt.Sprintf(": %s sketched", units.Count(s.Unseen))
	case p.items != nil:
		line += fmt.Sprintf(": %s of %s items found", units.Count(uint64(p.items.found)),
			units.Count(uint64(p.items.items.Len())))
		if s.Duplicates > 0 {
			line += fmt.Sprintf(", %s records removed (%.1f %%)", units.Count(s.Duplicates), units.Percent(s.Duplicates,
				s.Records))
		}
	case p.memory == nil && p.exact == nil && p.set == nil:
		line += fmt.Sprintf(": %s kept, %s left out (%.1f %%)", units.Count(s.Unseen), units.Count(s.Duplicates),
			units.Percent(s.Duplicates, s.Records))
	default:
		line += fmt.Sprintf(": %s kept, %s duplicates (%.1f %%)", units.Count(s.Kept()), units.Count(s.Duplicates),
			units.Percent(s.Duplicates, s.Records))
	}
	if s.Empty > 0 {
		line += fmt.Sprintf("; %s without text", units.Count(s.Empty))
	}
	if e := p.exact; p.runs.replayed() == nil && e.hasTurned() {
		line += fmt.Sprintf("; from record %s on by Bloom filters, which do not know originals",
			units.Count(e.turnedAt()))
	}
	line += p.runs.summary()
	if n := s.Rejects.Total(); n > 0 {
		line += fmt.Sprintf("; %s could not be read, the first: %s", units.Count(n), s.FirstReject)
	}
	return line
}
