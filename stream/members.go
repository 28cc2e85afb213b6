package stream

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// memberNames are the names of the members that Outputs.Annotate adds.
var memberNames = []string{"mithril_duplicate", "mithril_votes", "mithril_similarity", "mithril_duplicate_of"}

// Members are JSON members that are added to records written as JSON objects.
type Members struct {
	// Names are the names of the members. A record that already has one of them is Annotated.
	Names []string
	// Append appends the members of a record to dst, separated by commas. record is its number in
	// the run, counted from 1. A single goroutine calls Append, in the order of the records.
	Append func(dst []byte, record uint64) []byte
}

// added returns the names of the members that are added to records.
func (o *Outputs) added() []string {
	switch {
	case o.Annotate:
		return memberNames
	case o.Members != nil:
		return o.Members.Names
	}
	return nil
}

// memberStart is how all members begin that this program adds.
var memberStart = []byte(`"mithril_`)

// newMemberFinder returns nil if no members are added.
func newMemberFinder(names []string) *record.MemberFinder {
	if len(names) == 0 {
		return nil
	}
	return record.NewMemberFinder(names)
}

// repeats reports whether a record already has a member that would be added to it.
func (w *worker) repeats(record []byte) bool {
	return w.members != nil && bytes.Contains(record, memberStart) && w.members.HasAny(record)
}

// An adding is the link that adds members to records.
type adding struct {
	passive
	*Members
	members []byte // of the record that passes
}

func newMembersLink(p plan) link {
	if p.lane != toOutput || p.Members == nil {
		return nil
	}
	return &adding{Members: p.Members}
}

// process adds nothing to records that are not objects or were not judged.
func (a *adding) process(r *passing) error {
	d := &r.decision
	if d.Fate != Unseen || !d.Problem.IsReadable() && !d.Problem.IsTextProblem() {
		return nil
	}
	a.members = a.Append(a.members[:0], r.number)
	r.members = a.members
	return nil
}

// checkColumns refuses a table whose rows would have a member twice, since readers use only one of
// the two.
func (o *Options) checkColumns(t *record.Table) error {
	seen := make(map[string]bool, len(t.Names))
	for _, name := range t.Names {
		switch {
		case slices.Contains(o.added(), name):
			return Fatal(fmt.Errorf("it has a column %s already: rename it, or leave --annotate out", name))
		case o.Convert && seen[name]:
			return Fatal(fmt.Errorf("it has two columns %q, which an object cannot have: rename one, or "+
				"leave --to out", name))
		}
		seen[name] = true
	}
	return nil
}
