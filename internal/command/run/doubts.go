package run

import (
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/quality/doubts"
	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/stream"
)

// textsOf looks at the first texts of a run that removes what is similar. It is nil for others.
func textsOf(j job, from *Source, keys method.KeyKind) *doubts.Texts {
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

// examine has the texts of a run examined, and what is extracted from them.
func (o *Outputs) examine(j job, from *Source, by *Method) {
	if o.texts = textsOf(j, from, by.Keys); o.texts == nil {
		return
	}
	o.opts.Inspect = o.texts.Examine
	made, normalize := &o.opts.Method.NewSketcher, j.Config.Rule.Text.Normalize
	switch {
	case *made == nil:
	case comparesContents(j.Config):
		o.extracts = doubts.NewExtracts()
		*made = method.WatchExtracts(*made, o.extracts.Examine)
	case changesWords(normalize):
		o.extracts = doubts.NewNormalForms(normalize)
		*made = method.WatchSketches(*made, o.extracts.Examine)
	}
}

// found are the doubts about a run that is through.
type found struct {
	all   []doubts.Doubt
	stats []doubts.Doubt // those that the statistics have
	atEnd []doubts.Doubt // those that were not said yet
}

// doubted is what looks wrong in a run that is through. Lines of logs are meant to go.
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
		f.atEnd = append(f.atEnd, w.to.extracts.All()...)
	}
	f.all = append(f.all, f.atEnd...)
	f.stats = f.all
	return f
}

// addShape adds to the verdict of a page what is wrong with where in the run records were removed,
// and with how similar these are.
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

// DoubtsOfInputs are about what could not be read. toSee is how the user gets to see the records.
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
