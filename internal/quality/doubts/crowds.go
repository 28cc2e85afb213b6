package doubts

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// Crowds sums up groups of records that resemble each other about as much as the threshold, so that
// chance decides which of them are removed. They may be a small part of a run.
type Crowds struct{ first, kept, removed uint64 }

const (
	// leastKept is the minimum number of records of a group that are kept although they resemble
	// it. With fewer, nothing is wrong.
	leastKept = 50
	// leastKeptShare is the same, as a share of the records that resemble the group. Of close
	// copies, fewer are kept.
	leastKeptShare = .15
)

// Add adds a group: the number of its first record that was kept in the run, and how many records
// that resemble it were kept and removed. Groups must be added in the order of first.
func (c *Crowds) Add(first, kept, removed uint64) {
	if kept < leastKept || float64(kept) < leastKeptShare*float64(kept+removed) {
		return
	}
	if c.kept == 0 {
		c.first = first
	}
	c.kept += kept
	c.removed += removed
}

// Doubts returns the doubt about all groups that were added.
func (c *Crowds) Doubts() []Doubt {
	if c.kept == 0 {
		return nil
	}
	return []Doubt{{"alike", fmt.Sprintf("about %s, such as record %s, resemble each other as much as the threshold, "+
		"and chance has removed %s of them", units.Of(c.kept+c.removed, "record"), units.Count(c.first),
		units.Count(c.removed)),
		"compare them exactly by --memory exact, or their content alone by --markup html"}}
}
