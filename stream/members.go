package stream

import (
	"bytes"
	"fmt"
	"slices"
)

// memberNames are the names of the members that Outputs.Annotate adds.
var memberNames = []string{"mithril_duplicate", "mithril_votes", "mithril_similarity", "mithril_duplicate_of"}

// Members are JSON members that are added to records which are JSON objects, or become some.
type Members struct {
	// Names are what they are called: a record that has one already is Annotated.
	Names []string
	// Append appends them to dst, separated by commas, for a record by its number in the run, from
	// 1. One goroutine calls it, in the order of the records.
	Append func(dst []byte, record uint64) []byte
}

// added are the names of the members that are added to records.
func (o *Outputs) added() []string {
	switch {
	case o.Annotate:
		return memberNames
	case o.Members != nil:
		return o.Members.Names
	}
	return nil
}

// memberStart is what each of them begins with.
var memberStart = []byte(`"mithril_`)

// Annotated is the problem of a record that has one of the members already which Outputs.Annotate
// or Members would add: readers would differ in which of the two counts.
var Annotated = Problem{kind: annotated}

// memberFinder looks for members that an annotation would repeat. It owns scratch memory: one for
// each worker.
type memberFinder struct{ jsonScanner }

// newMemberFinder returns nil if no members are added.
func newMemberFinder(names []string) *memberFinder {
	if len(names) == 0 {
		return nil
	}
	fields := make([]Field, len(names))
	for i, name := range names {
		fields[i], _ = ParseField(name) // they are plain names
	}
	return &memberFinder{newJSONScanner(fields, false)}
}

// in reports whether a record that is a JSON object has such a member.
func (f *memberFinder) in(record []byte) bool {
	if f == nil || !bytes.Contains(record, memberStart) {
		return false
	}
	defer f.release()
	if p := f.scan(record); p.kind != readable {
		return false
	}
	return slices.ContainsFunc(f.wants, func(w want) bool { return w.start >= 0 })
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

// take adds nothing to a record that is no object, or that nobody has judged.
func (a *adding) take(r *passing) error {
	d := &r.decision
	if d.Fate != Unseen || d.Problem.kind != readable && !d.Problem.isOfText() {
		return nil
	}
	a.members = a.Append(a.members[:0], r.number)
	r.members = a.members
	return nil
}

// checkColumns refuses a table whose rows would get a member twice: readers take one of the two.
func (t *table) checkColumns(o *Options) error {
	seen := make(map[string]bool, len(t.names))
	for _, name := range t.names {
		switch {
		case slices.Contains(o.added(), name):
			return fatalError{fmt.Errorf("it has a column %s already: rename it, or leave --annotate out", name)}
		case o.Convert && seen[name]:
			return fatalError{fmt.Errorf("it has two columns %q, which an object cannot have: rename one, or "+
				"leave --to out", name)}
		}
		seen[name] = true
	}
	return nil
}
