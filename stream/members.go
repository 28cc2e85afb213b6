package stream

import (
	"bytes"
	"fmt"
	"slices"
)

// memberNames are the names of the members that Outputs.Annotate adds.
var memberNames = []string{"mithril_duplicate", "mithril_votes", "mithril_similarity", "mithril_duplicate_of"}

// memberStart is what each of them begins with.
var memberStart = []byte(`"mithril_`)

// Annotated is the problem of a record that has one of the members already which Outputs.Annotate
// would add: readers would differ in which of the two counts.
var Annotated = Problem{kind: annotated}

// memberFinder looks for members that an annotation would repeat. It owns scratch memory: one for
// each worker.
type memberFinder struct{ jsonScanner }

// newMemberFinder returns nil if nothing is annotated.
func newMemberFinder(annotate bool) *memberFinder {
	if !annotate {
		return nil
	}
	fields := make([]Field, len(memberNames))
	for i, name := range memberNames {
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

// checkColumns refuses a table whose rows would get a member twice: readers take one of the two.
func (t *table) checkColumns(o *Options) error {
	seen := make(map[string]bool, len(t.names))
	for _, name := range t.names {
		switch {
		case o.Annotate && slices.Contains(memberNames, name):
			return fatalError{fmt.Errorf("it has a column %s already: rename it, or leave --annotate out", name)}
		case o.Convert && seen[name]:
			return fatalError{fmt.Errorf("it has two columns %q, which an object cannot have: rename one, or "+
				"leave --to out", name)}
		}
		seen[name] = true
	}
	return nil
}
