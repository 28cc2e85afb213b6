package groups

import (
	"encoding/json"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/internal/shown"
)

// collect makes the page show what is kept beside what is removed.
func collect(p *run.Page) { p.Originals = true }

// name returns the name of a record.
func (g *grouping) name(record uint64) []byte { return g.records.names.Append(nil, record) }

// shownName returns the name of a record, escaped for terminals and pages.
func (g *grouping) shownName(record uint64) string {
	name := g.name(record)
	var text string
	if json.Unmarshal(name, &text) != nil {
		text = string(name) // a number
	}
	return shown.Text(text)
}

// parameters adds the parameters of groups. There are none of an index.
func (g *grouping) parameters(add func(name, format string, values ...any)) (ofRecords, ofMemory bool) {
	add("linkage", "%s", g.c.Linkage)
	add("keep", "%s", g.c.Keep)
	return false, true
}

// describe makes a page say what groups are, and what the run that found them has counted.
func (g *grouping) describe(run *report.Run, _ *run.Page, filled bool) {
	if filled {
		return
	}
	run.Seconds = time.Since(g.started).Seconds()
	rejects := g.first.stats.Rejects
	run.Empty, run.Unreadable, run.CutOff = g.first.stats.Empty, rejects.Total()-rejects.CutOff(), rejects.CutOff()
	run.CurveNote = "Records are joined if their similarity is at least the threshold" +
		map[string]string{"leader": ".", "single": "; a group is a chain of such records."}[g.c.Linkage]
	run.Verdict = g.verdict(run.Records)
	run.Words = report.Words{Right: "Kept", To: "the record that is kept"}
	if g.c.Keep.IsNone() {
		run.Words = report.Words{Right: "Of the same group", To: "the record that stands for the group"}
	}
}
