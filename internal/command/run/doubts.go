package run

import (
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/quality/doubts"
	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/stream"
)

// textsOf returns what looks at the first texts of a run that removes similar records. It is nil
// for other runs.
func textsOf(j job, from *Source, keys identity.KeyKind) *doubts.Texts {
	c := j.Config
	if _, removes := j.Task.(Filtering); !removes || c.Rule.Parts.Method != "" || c.Input.Sketches {
		return nil
	}
	text := c.Rule.Text
	rule := doubts.Rule{Markup: text.Markup != "none", Preset: text.Preset, ByWords: text.Tokenize == "word"}
	if keys.Rule.Bands > 0 {
		rule.ShingleSize = text.ShingleSize
	}
	return doubts.NewTexts(rule, func(d doubts.Doubt) {
		if !c.Output.Quiet {
			shown.Notice(from.Std.Err, "%s", d)
		}
	})
}

// examine adds checks of the texts of a run, and of what is extracted from them.
func (o *Outputs) examine(j job, from *Source, by *Method) {
	if o.texts = textsOf(j, from, by.Keys); o.texts == nil {
		return
	}
	o.opts.Inspect = o.texts.Examine
	made, normalize := &o.opts.Method.NewSketcher, j.Config.Rule.Text.Normalize
	if *made == nil {
		return
	}
	if hasWords(j.Config) && by.Keys.Rule.Bands > 0 {
		o.equals = new(doubts.Equals)
		*made = sketchers.WatchTexts(*made, o.equals.Examine)
	}
	switch {
	case j.Config.Rule.Text.Markup != "none":
		o.watchPages(j.Config, made)
	case changesWords(normalize):
		o.extracts = doubts.NewNormalForms(normalize)
		*made = sketchers.WatchSketches(*made, o.extracts.Examine)
	}
}

// watchPages adds checks of what is extracted from pages.
func (o *Outputs) watchPages(c *config.Filter, made *func() stream.Sketcher) {
	o.hidden = doubts.NewHidden()
	if comparesContents(c) {
		o.extracts = doubts.NewExtracts()
	}
	*made = sketchers.WatchExtracts(*made, func(extract, page []byte) {
		o.hidden.ExamineSource(extract, page)
		if o.extracts != nil {
			o.extracts.Examine(extract, func() []byte { return sketchers.VisibleText(page) })
		}
	})
}

// found are the doubts about a run that has finished.
type found struct {
	all   []doubts.Doubt
	stats []doubts.Doubt // for the statistics
	atEnd []doubts.Doubt // not reported yet
}

// doubted returns what looks wrong in a run that has finished. Repeated lines of logs are expected.
func (w *work) doubted(duplicates uint64) (f found) {
	if w.to.texts == nil {
		return f
	}
	f.all = w.to.texts.All()
	if w.to.runs.replayed() != nil || w.Config.Rule.Text.Preset == "logs" {
		return f
	}
	needed, records, largest := w.by.memory().Filters.ByVotes()
	f.atEnd = doubts.Of(doubts.Votes{Needed: needed, Records: records, Largest: largest})
	var crowds doubts.Crowds
	for _, c := range w.by.memory().Filters.Crowds() {
		crowds.Add(c.First, c.Kept, c.Removed)
	}
	f.atEnd = append(f.atEnd, crowds.Doubts()...)
	if duplicates > 0 {
		f.atEnd = append(f.atEnd, w.to.equals.All()...)
		f.atEnd = append(f.atEnd, w.to.extracts.All()...)
		f.atEnd = append(f.atEnd, w.to.hidden.All()...)
	}
	f.all = append(f.all, f.atEnd...)
	f.stats = f.all
	return f
}

// addShape adds doubts about where in the run records were removed, and about how similar they are,
// to the verdict of a page.
func (w *work) addShape(run *report.Run) {
	if run.Verdict == nil || w.Config.Rule.Text.Preset == "logs" || w.to.runs.replayed() != nil {
		return
	}
	var parts []doubts.Part
	for _, b := range run.Stream {
		parts = append(parts, doubts.Part{Records: b.Records, Removed: b.Removed})
	}
	all := doubts.OfStream(parts)
	if w.by.memory().Exact != nil {
		near, unequal := run.Similar.Close(run.Threshold, doubts.CloseBy)
		all = append(all, doubts.OfSimilarities(near, unequal, run.Records)...)
	}
	for _, d := range all {
		run.Verdict.Doubts = append(run.Verdict.Doubts, report.Doubt{Says: d.Says, Try: d.Try})
	}
}

// DoubtsOfInputs returns doubts about records that could not be read. toSee says how the user can
// see them.
func DoubtsOfInputs(rejects stream.RejectCounts, toSee string) (all []report.Doubt) {
	if cut := rejects.CutOff(); cut > 0 {
		all = append(all, report.Doubt{
			Says: "Cut off in the middle of a record: " + units.Of(cut, "input"),
			Try:  "get the file again, and give the same command",
		})
	}
	if bad := rejects.Total() - rejects.CutOff(); bad > 0 {
		all = append(all, report.Doubt{Says: "Unreadable, and not compared: " + units.Of(bad, "record"), Try: toSee})
	}
	return all
}

// verdict says at the top of a page whether anything looks wrong, and what to do.
func (w *work) verdict(o outcome) *report.Verdict {
	v := &report.Verdict{
		Fine: "The texts are of the kind the rule is for, and few records lie near the line between kept and removed.",
	}
	for _, d := range o.doubts.all {
		v.Doubts = append(v.Doubts, report.Doubt{Says: d.Says, Try: d.Try})
	}
	v.Doubts = append(v.Doubts, DoubtsOfInputs(o.stats.Rejects,
		"add --rejects FILE, which writes such records to a file, and look at what is wrong there")...)
	page := method.For(w.Config.Method).Page(w.Config.Method, w.by.Keys)
	switch {
	case o.stats.Duplicates == 0:
		return v
	case w.by.memory().Exact == nil:
		v.Next = append(v.Next, "To see which record each removed one resembles, add --memory exact.")
	case page.Source != "":
		v.Next = append(v.Next, "Read the pairs closest to the threshold first: a rule that is wrong shows there.")
	}
	if page.Banded && w.to.page.audit == nil {
		v.Next = append(v.Next, "To measure how many removals are right, give the same files and flags to "+
			"mithril-stream audit.")
	}
	return v
}
