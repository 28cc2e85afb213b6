package command

import (
	"time"

	"github.com/mithril-stream/mithril-stream/quality/report"
)

// describe says in a page what groups are, and what the run that found them has counted.
func (g *grouping) describe(run *report.Run) {
	run.Seconds = time.Since(g.started).Seconds()
	run.Empty, run.Unreadable = g.found.Empty, g.found.Rejects.Total()
	run.CurveNote = "Records are joined if their similarity is at least the threshold" +
		map[string]string{"leader": ".", "single": "; a group is a chain of such records."}[g.c.Linkage]
	run.Words = report.Words{Right: "Kept", To: "the record that is kept"}
	if g.c.Keep.Rule == "none" {
		run.Words = report.Words{Right: "Of the same group", To: "the record that stands for the group"}
	}
}
