package groups

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// chains counts records that single linkage has joined but that resemble the kept record only
// through others. Removing such a record may lose something that no kept record resembles.
type chains struct {
	records uint64  // that do not resemble the kept one of their group
	groups  uint64  // with such records
	most    chain   // the group with the most of them, the first of several
	least   float32 // lowest similarity of one of them to the kept one
}

// A chain is a group with records that do not resemble the kept one.
type chain struct {
	kept    uint64
	unlike  uint64
	removed uint64 // records of the group
}

// compare compares records of a group with the kept one, which may be among them.
func (c *chains) compare(records []uint64, kept uint64, groups memory.Groups) {
	own, least := chain{kept: kept}, float32(1)
	for _, record := range records {
		if record == kept {
			continue
		}
		own.removed++
		if !groups.Resemble(kept, record) {
			own.unlike++
			least = min(least, groups.Similarity(kept, record))
		}
	}
	if own.unlike == 0 {
		return
	}
	if c.records == 0 || least < c.least {
		c.least = least
	}
	c.records += own.unlike
	c.groups++
	if own.unlike > c.most.unlike {
		c.most = own
	}
}

// note describes what was found, in a sentence without an end. It returns "" if nothing was found.
func (c *chains) note(name func(record uint64) string) string {
	if c.records == 0 {
		return ""
	}
	return fmt.Sprintf("%s, in %s, resemble the kept record only through others (similarity down to %.2f), "+
		"the most, %s of %s, in the group of %s", units.Count(c.records), units.Of(c.groups, "group"), c.least,
		units.Count(c.most.unlike), units.Count(c.most.removed), name(c.most.kept))
}
