package run

import (
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/quality/doubts"
	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/internal/shown"
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

// found are the doubts about a run that is through.
type found struct {
	all   []doubts.Doubt
	stats []doubts.Doubt // those that the statistics have
	atEnd []doubts.Doubt // those that were not said yet
}

// doubted is what looks wrong in a run that is through. Lines of logs are meant to go.
func (w *work) doubted() (f found) {
	if w.to.texts == nil {
		return f
	}
	f.all = w.to.texts.All()
	if w.to.runs.replayed() != nil || w.Config.Rule.Text.Preset == "logs" {
		return f
	}
	needed, records, largest := w.by.memory().Filters.ByVotes()
	f.atEnd = doubts.Of(doubts.Votes{Needed: needed, Records: records, Largest: largest})
	f.all = append(f.all, f.atEnd...)
	f.stats = f.all
	return f
}

// verdictOf says at the top of a page whether anything looks wrong.
func verdictOf(all []doubts.Doubt) *report.Verdict {
	v := &report.Verdict{}
	for _, d := range all {
		v.Doubts = append(v.Doubts, report.Doubt{Says: d.Says, Try: d.Try})
	}
	return v
}
