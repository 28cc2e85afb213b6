package groups

import (
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/quality/doubts"
	"github.com/mithril-stream/mithril-stream/internal/quality/report"
)

// verdict returns what the top of the page says: whether the groups look right, and what to do.
func (g *grouping) verdict(records uint64) *report.Verdict {
	v := &report.Verdict{Doubts: run.DoubtsOfInputs(g.first.stats.Rejects,
		"run mithril-stream FILE --rejects bad.jsonl, and look at what is wrong with them")}
	for _, d := range doubts.OfCrowd(g.chosen.crowd, records) {
		v.Doubts = append(v.Doubts, report.Doubt{Says: d.Says, Try: d.Try})
	}
	if note := g.chosen.chains.note(g.shownName); note != "" {
		try := "give the same command with --linkage leader, which keeps such records"
		if g.days != nil {
			try = "look at them with --clusters FILE, and raise --threshold in a new index if they do not belong"
		}
		v.Doubts = append(v.Doubts, report.Doubt{Says: "Of the removed records " + note, Try: try})
	}
	if g.chosen.groups == 0 {
		v.Fine = "No record is similar enough to another one to form a group."
		return v
	}
	if v.Fine = "Every removed record resembles the kept record of its group."; g.c.Keep.IsNone() {
		v.Fine = "Every record of a group resembles the record that represents the group."
		v.Next = append(v.Next, "No record of a group was kept. To keep one of each group, leave out --keep none.")
	}
	v.Next = append(v.Next, "Read the pairs closest to the threshold first: a rule that is wrong shows there.")
	if g.c.Clusters == "" {
		v.Next = append(v.Next, "To see all records of each group, add --clusters groups.jsonl.")
	}
	return v
}

// noteCrowd counts the records of a group that resemble the kept one without being copies of it, if
// the group is large enough to have more of them than any group before.
func (c *choice) noteCrowd(records []uint64, kept uint64, similarity func(a, b uint64) float32) {
	if c.kept == nil || uint64(len(records)) <= c.crowd {
		return
	}
	crowd := uint64(1)
	for _, record := range records {
		if record != kept && similarity(kept, record) < 1 {
			crowd++
		}
	}
	c.crowd = max(c.crowd, crowd)
}
