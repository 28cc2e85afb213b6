package doubts

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// Crowds sums up groups of records that resemble each other about as much as the threshold, so that
// chance decides which of them are removed. They may be a small part of a run.
type Crowds struct{ first, kept, removed uint64 }

const (
	// So many records of a group are kept although they resemble it, or nothing is wrong with it.
	leastKept = 50
	// The same as a share of those that resemble it. Of close copies fewer are kept.
	leastKeptShare = .15
)

// Add adds a group: how many records that resemble it were kept and removed, and the number of the
// first one that was kept in the run. Groups are added in the order of these.
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
