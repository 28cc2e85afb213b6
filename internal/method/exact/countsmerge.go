package exact

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/counts"
)

// unionCounts holds the groups of the union of logs. Either all logs count their groups, in the
// same way, or none does.
type unionCounts struct {
	to     memory.Index
	counts *counts.Counts // nil if groups are not counted
	logs   int            // absorbed so far
}

// absorb appends the notes of a log to those of earlier logs, and joins groups whose records an
// earlier log has.
func (u *unionCounts) absorb(l committedLog) (err error) {
	var own *counts.Counts
	defer func() { err = errors.Join(err, own.Close()) }()
	var known []counts.Known
	err = u.to.Absorb(l.file, l.bytes, func(note []byte, shift uint64) (err error) {
		if counts.IsNote(note) {
			own, err = counts.Load(own, note)
			return err
		}
		if note, err = memory.ShiftNames(note, shift); err != nil {
			return err
		}
		return u.to.Note(note)
	}, func(record, first uint64) {
		if own != nil || len(known) < counts.NotedWithin { // otherwise the log counts nothing
			known = append(known, counts.Known{Record: record, First: first})
		}
	})
	if err != nil || own == nil && u.counts == nil {
		u.logs++
		return err
	}
	if u.logs == 0 {
		u.counts = counts.New(own.Selection())
		u.counts.NoteTo(u.to.Note)
	}
	u.logs++
	switch {
	case own == nil || u.counts == nil:
		return errors.New("one index counts its groups, and another one does not: merge such as count alike")
	case !own.Selection().Is(u.counts.Selection()):
		return fmt.Errorf("it counts its groups with %s, and the one before with %s: merge such as count alike",
			own.Selection(), u.counts.Selection())
	}
	return u.counts.Absorb(own, known)
}
