package run

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/mithril-stream/mithril-stream/internal/charset"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/command/formats/shards"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/quality/doubts"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A progressLine tells the user how the run goes: on a terminal twice a second, on SIGUSR1 once,
// and in a line at the end.
type progressLine struct {
	run     *stream.Run
	judging *method.Judging
	out     *os.File
	quiet   bool
	live    bool // out is a terminal
	started time.Time
	done    chan struct{}
	stopped chan struct{}

	Groups  memory.Groups   // that records are put into, or nil
	shards  *shards.Files   // that kept records are divided into, or nil
	tables  *formats.Tables // the outputs that are tables, or nil
	task    Task            // what the run is for
	runs    *runJournal     // that an index has taken in, or nil
	elapsed time.Duration

	selection *files.Selection  // of files in directories
	text      *charset.Decoding // of inputs, or nil
	doubts    []doubts.Doubt    // about the run, when it is through
	atEnd     []doubts.Doubt    // those of them that were not said yet
	toldLost  bool              // an input that could not be read to its end is named
	untold    *stream.Place     // in the first one that is not
}

// lostError says at the end how many inputs could not be read to their ends, and names one that is
// not named yet.
func (p *progressLine) lostError(s stream.Stats, inputs int) LostError {
	e := LostError{count: s.Lost, inputs: inputs, place: p.untold}
	if !p.toldLost && e.place == nil { // of a run that this one goes on with
		e.place = s.FirstLost
	}
	e.isFirst = e.place != nil && *e.place == *s.FirstLost
	return e
}

// StartProgress shows progress on a terminal, unless the input is typed there: it would stand in
// the line that the user writes.
func StartProgress(run *stream.Run, judging *method.Judging, out *os.File, quiet, typed bool) *progressLine {
	p := &progressLine{
		run: run, judging: judging, out: out, quiet: quiet,
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
			fmt.Fprintf(p.out, "\r%s\x1b[K", shown.Text(files.Fit(p.Parts(), files.TerminalWidth(p.out))))
		case <-asked:
			_ = shown.Line(p.out, "%s", files.JoinParts(p.Parts()))
		case <-p.done:
			if p.live {
				fmt.Fprint(p.out, "\r\x1b[K")
			}
			return
		}
	}
}

// Stop ends the progress line and waits until it is gone.
func (p *progressLine) Stop() {
	close(p.done)
	<-p.stopped
	p.elapsed = time.Since(p.started)
}

// lost reports an input that could not be read to its end while the run goes on. The error at the
// end says it of the last one.
func (p *progressLine) lost(at stream.Place, isLast bool) {
	if p.quiet || isLast {
		if p.untold == nil {
			p.untold = &at
		}
		return
	}
	p.toldLost = true
	if p.live {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
	shown.Notice(p.out, "%s%s; going on with the next input", at, mayBeWrong(at))
}

// Parts says how far the run has come. The counts of records matter most, the rate of bytes least.
func (p *progressLine) Parts() []files.Part {
	s := p.run.Stats()
	seconds := time.Since(p.started).Seconds()
	parts := []files.Part{
		{Text: units.Count(s.Records) + " records", Rank: 0},
		{Text: units.Count(uint64(float64(s.Records)/seconds)) + "/s", Rank: 2},
		{Text: units.Bytes(uint64(float64(s.BytesIn)/seconds)) + "/s", Rank: 5},
	}
	if p.judging.Filters != nil || p.judging.HasNames() {
		parts = append(parts, files.Part{Text: fmt.Sprintf("%.1f %% duplicates", units.Percent(s.Duplicates,
			s.Records)), Rank: 1})
	}
	for _, text := range p.judging.Progress() {
		parts = append(parts, files.Part{Text: text, Rank: 4})
	}
	if p.Groups != nil {
		if band, bands := p.Groups.Joining(); band > 0 {
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

// sumUp writes the line at the end.
func (p *progressLine) sumUp(s stream.Stats, early bool) {
	if p.quiet {
		return
	}
	line := p.summary(s, p.elapsed)
	if early {
		line = "ended early, after " + line
	}
	shown.Notice(p.out, "%s", line)
	for _, d := range p.atEnd {
		shown.Notice(p.out, "%s", d)
	}
}

// writeStats writes the stats file, if there is one, and puts it in its place.
func (p *progressLine) writeStats(s stream.Stats, file *files.Output) error {
	if file == nil {
		return nil
	}
	elapsed, groups := p.elapsed, (*uint64)(nil)
	if task, counts := p.task.(countingTask); counts {
		groups = new(uint64)
		s, *groups, elapsed = task.Counted(s)
	}
	of := runStats{
		Version: files.Version(), Seconds: elapsed.Seconds(),
		fieldCounts: fieldCountsOf(s, elapsed), RunCounts: CountsOf(s), Groups: groups,
		Shards: p.shards.Stats(s), Others: p.shards.Others(len(s.Shards) + 1),
		PeakMemory: files.PeakMemory(), Indexes: p.judging.Filters.Stats(), Exact: p.judging.Exact.Stats(),
		Kinds: p.judging.Digest.Stats(),
	}
	of.Doubts = p.doubts
	of.LeftOut, of.Replaced = p.selection.LeftOut(), p.text.Replaced()
	of.Repeats, of.Extends = p.runs.repeats(), p.runs.extends()
	if err := jsonout.WriteIndented(file, of); err != nil {
		return fmt.Errorf("write stats: %w", err)
	}
	return file.Finish(true, false)
}

func (p *progressLine) summary(s stream.Stats, elapsed time.Duration) string {
	line := fmt.Sprintf("%s in %s", units.Of(s.Records, "record"), elapsed.Round(10*time.Millisecond))
	switch own, sums := p.task.(summingTask); {
	case sums:
		line += ": " + own.Summary(s)
	case !p.judging.Judges():
		line += fmt.Sprintf(": %s kept, %s left out (%.1f %%)", units.Count(s.Unseen), units.Count(s.Duplicates),
			units.Percent(s.Duplicates, s.Records))
	default:
		line += fmt.Sprintf(": %s kept, %s (%.1f %%)", units.Count(s.Kept()), units.Of(s.Duplicates, "duplicate"),
			units.Percent(s.Duplicates, s.Records))
	}
	if s.Empty > 0 {
		line += fmt.Sprintf("; %s without text", units.Count(s.Empty))
	}
	if e := p.judging.Exact; p.runs.replayed() == nil && e.HasTurned() {
		line += fmt.Sprintf("; from record %s on by Bloom filters, which do not know originals",
			units.Count(e.TurnedAt()))
	}
	if d := p.judging.Digest; d != nil {
		s := d.Stats()
		line += "; kinds: " + units.Count(uint64(s.Known))
		if s.Forgotten > 0 {
			line += fmt.Sprintf(", and %s that were forgotten for --max-kinds", units.Count(s.Forgotten))
		}
	}
	if n := p.text.Replaced(); n > 0 {
		line += fmt.Sprintf("; %s in no character became U+FFFD", units.Of(n, "byte"))
	}
	line += p.runs.summary()
	return line + Unread(s)
}

// Unread says in the line at the end what could not be read, or was left out of texts; in most
// cases nothing.
func Unread(s stream.Stats) (line string) {
	if s.Blank > 0 {
		line += fmt.Sprintf("; %s", units.Of(s.Blank, "blank line"))
	}
	if left := s.LeftOut; left.Values > 0 {
		line += fmt.Sprintf("; the text of %s leaves out %s, the first: %s", units.Of(left.Records, "record"),
			units.Of(left.Values, "value"), left.First)
	}
	if s.NonFinite > 0 {
		line += fmt.Sprintf("; NaN or Infinity, which are no JSON, in %s", units.Of(s.NonFinite, "record"))
	}
	cut := s.Rejects.CutOff()
	if n := s.Rejects.Total() - cut; n > 0 {
		line += fmt.Sprintf("; %s could not be read, the first: %s", units.Count(n), s.FirstReject)
	}
	switch {
	case cut == 1:
		line += fmt.Sprintf("; 1 cut off: %s", s.FirstCut)
	case cut > 1:
		line += fmt.Sprintf("; %s cut off, the first: %s", units.Count(cut), s.FirstCut)
	}
	return line
}
