package run

import (
	"github.com/mithril-stream/mithril-stream/internal/quality/doubts"
	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/internal/shown"
)

// watchTexts has the first texts looked at, of a run that removes what is similar.
func (f *Run) watchTexts() {
	c := f.Config
	if _, removes := f.Task.(Filtering); !removes || c.Rule.Parts.Method != "" || c.Input.Sketches {
		return
	}
	text := c.Rule.Text
	rule := doubts.Rule{Markup: text.Markup != "none", Preset: text.Preset, ByWords: text.Tokenize == "word"}
	if f.Keys.Rule.Bands > 0 {
		rule.ShingleSize = c.Rule.Text.ShingleSize
	}
	f.texts = doubts.NewTexts(rule, func(d doubts.Doubt) {
		if !c.Output.Quiet {
			shown.Notice(f.Std.Err, "%s", d)
		}
	})
	f.Opts.Look = f.texts.Look
}

// findDoubts looks at the votes of a run that is through. Lines of logs are meant to go.
func (f *Run) findDoubts() {
	if f.texts == nil {
		return
	}
	f.doubts = f.texts.All()
	if f.runs.replayed() != nil || f.Config.Rule.Text.Preset == "logs" {
		return
	}
	needed, records, largest := f.Judging.Filters.ByVotes()
	atEnd := doubts.Of(doubts.Votes{Needed: needed, Records: records, Largest: largest})
	f.doubts = append(f.doubts, atEnd...)
	f.Progress.doubts = f.doubts
	f.Progress.atEnd = atEnd
}

// verdictOf says at the top of a page whether anything looks wrong.
func verdictOf(all []doubts.Doubt) *report.Verdict {
	v := &report.Verdict{}
	for _, d := range all {
		v.Doubts = append(v.Doubts, report.Doubt{Says: d.Says, Try: d.Try})
	}
	return v
}
