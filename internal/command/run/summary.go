package run

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/stream"
)

// sumUp prints the line at the end of a run.
func (w *work) sumUp(o outcome, early bool) {
	if w.Config.Output.Quiet {
		if note := w.to.runs.noteOfRepeat(); note != "" && !early {
			shown.Notice(w.from.Std.Err, "%s", note)
		}
		return
	}
	line := w.summary(o)
	if early {
		line = "ended early, after " + line
	}
	out := w.from.Std.Err
	shown.Notice(out, "%s", line)
	if s := o.stats; layout.IsArchive(w.from.Name) && s.Records == 0 && s.BytesIn > 0 {
		shown.Notice(out, "no record of these archives is a document (a response, resource or conversion), so none "+
			"was compared: metadata, as of WAT files, is copied to the output")
	}
	for _, d := range o.doubts.atEnd {
		shown.Notice(out, "%s", d)
	}
}

// ResampledNote says how many records were written, repeats included, and how many were left out
// because of their groups.
func ResampledNote(written, leftOut uint64) string {
	return fmt.Sprintf("%s written, repeats included, and %s left out by the size or sources of their groups",
		units.Of(written, "readable record"), units.Count(leftOut))
}

// writeStats writes the stats file, if there is one, and puts it in place.
func (w *work) writeStats(o outcome) error {
	file := w.to.files.stats
	if file == nil {
		return nil
	}
	s, elapsed, groups := o.stats, o.elapsed, (*uint64)(nil)
	if counted := w.by.Calls.Counted; counted != nil {
		groups = new(uint64)
		s, *groups, elapsed = counted(s)
	}
	detector, std := w.by.memory(), w.from.Std
	of := runStats{
		Version: files.Version(), Seconds: elapsed.Seconds(),
		fieldCounts: fieldCountsOf(s, elapsed), RunCounts: CountsOf(s), Groups: groups,
		Shards: w.to.shards.Stats(s), Others: w.to.shards.StaleParts(len(s.Shards) + 1),
		PeakMemory: files.PeakMemory(), Indexes: detector.Filters.Stats(), Exact: detector.Exact.Stats(),
		Kinds: detector.Digest.Stats(),
	}
	of.Doubts = o.doubts.stats
	of.LeftOut, of.Replaced = std.Selection.Skipped(), std.Text.Replaced()
	of.Repeats, of.Extends = w.to.runs.repeats(), w.to.runs.extends()
	if err := jsonout.WriteIndented(file, of); err != nil {
		return fmt.Errorf("write stats: %w", err)
	}
	return file.Finish(true, false)
}

// summary returns the line at the end.
func (w *work) summary(o outcome) string {
	s, detector := o.stats, w.by.memory()
	line := fmt.Sprintf("%s in %s", units.Of(s.Records, "record"), o.elapsed.Round(10*time.Millisecond))
	switch summary := w.by.Calls.Summary; {
	case summary != nil:
		line += ": " + summary(s)
	case !detector.Judges():
		line += fmt.Sprintf(": %s kept, %s left out (%.1f %%)", units.Count(s.Unseen), units.Count(s.Duplicates),
			units.Percent(s.Duplicates, s.Records))
	default:
		line += fmt.Sprintf(": %s kept, %s (%.1f %%)", units.Count(s.Kept()), units.Of(s.Duplicates, "duplicate"),
			units.Percent(s.Duplicates, s.Records))
	}
	if s.Empty > 0 {
		line += fmt.Sprintf("; %s without text", units.Count(s.Empty))
	}
	if e := detector.Exact; w.to.runs.replayed() == nil && e.HasTurned() {
		line += fmt.Sprintf("; from record %s on by Bloom filters, which do not know originals",
			units.Count(e.TurnedAt()))
	}
	if e := detector.Exact.Stats(); e != nil && e.Cut > 0 { // counted for each memory that is searched
		line += fmt.Sprintf("; %s kept without looking at all candidates, as very many share the rarest words",
			units.Of(min(e.Cut, s.Kept()), "record"))
	}
	if d := detector.Digest; d != nil {
		s := d.Stats()
		line += "; kinds: " + units.Count(uint64(s.Known))
		if s.Forgotten > 0 {
			line += fmt.Sprintf(", and %s that were forgotten for --max-kinds", units.Count(s.Forgotten))
		}
	}
	if n := w.from.Std.Text.Replaced(); n > 0 {
		line += fmt.Sprintf("; %s of invalid text became U+FFFD", units.Of(n, "byte"))
	}
	line += w.to.runs.summary()
	return line + Unread(s)
}

// Unread says, for the line at the end, what could not be read or was left out of texts; it is
// usually empty.
func Unread(s stream.Stats) (line string) {
	if s.Blank > 0 {
		line += fmt.Sprintf("; %s", units.Of(s.Blank, "blank line"))
	}
	if left := s.LeftOut; left.Values > 0 {
		line += fmt.Sprintf("; the text of %s leaves out %s, the first: %s", units.Of(left.Records, "record"),
			units.Of(left.Values, "value"), left.First)
	}
	line += neverLeftOut(s.NeverLeftOut)
	if not := s.NotURLs; not.Values > 0 {
		line += fmt.Sprintf("; not URLs, and compared as they are: %s, the first: %s", units.Of(not.Values, "value"),
			not.First)
	}
	if n := s.Followers.Removed; n > 0 {
		line += fmt.Sprintf("; %s removed with their originals", units.Of(n, "revisit"))
	}
	if n := s.Followers.Unknown; n > 0 {
		line += fmt.Sprintf("; %s without an original in the input", units.Of(n, "revisit"))
	}
	if s.NonFinite > 0 {
		line += fmt.Sprintf("; NaN or Infinity, which are not JSON, in %s", units.Of(s.NonFinite, "record"))
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

// neverLeftOut names members that --field leaves out and no record has.
func neverLeftOut(never []stream.FieldMember) string {
	const most = 5
	if len(never) == 0 {
		return ""
	}
	var names []string
	for _, of := range never[:min(len(never), most)] {
		names = append(names, strconv.Quote(of.Member))
	}
	if more := len(never) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("; no record has what --field %s should leave out: %s", never[0].Field,
		strings.Join(names, ", "))
}
