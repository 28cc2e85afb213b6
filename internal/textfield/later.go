package textfield

import (
	"cmp"
	"slices"
	"strings"
)

// maxLater is how many different paths of strings, and names of members, a Later takes in.
const maxLater = 10_000

// A Later looks at records that follow the samples, for text that is not compared since no record
// of the samples has it.
type Later struct {
	bases map[string]bool // what is at or below these paths is compared
	known map[string]bool
	of    *survey
}

// Later returns what looks at later records. It is nil if all strings that they may have are
// compared.
func (c Choice) Later() *Later {
	if len(c.bases) == 0 {
		return nil
	}
	l := &Later{bases: map[string]bool{}, known: c.known, of: newSurvey(false)}
	for _, base := range c.bases {
		l.bases[base] = true
	}
	return l
}

// Look looks at a record, and reports whether that is a JSON object.
func (l *Later) Look(record []byte) bool {
	if max(len(l.of.leaves), len(l.of.classes)) > maxLater {
		return false
	}
	value := objectIn(record)
	if value != nil {
		l.of.add(value, 0)
		l.of.all = l.of.all[:0]
	}
	return value != nil
}

// Records is how many records it has looked at.
func (l *Later) Records() int { return l.of.records }

// Found returns the fields with text that is not compared, those in most records first.
func (l *Later) Found() (fields []Field) {
	for path, of := range l.of.leaves {
		isSure := of.class == nameText || of.class == nameMedia || of.spaces >= of.values
		if !l.known[path] && !l.isCompared(path) && of.isCompared() && isSure {
			fields = append(fields, Field{path, of.records, of.bytes})
		}
	}
	slices.SortFunc(fields, func(a, b Field) int {
		return cmp.Or(b.Records-a.Records, strings.Compare(a.Path, b.Path))
	})
	return fields
}

// isCompared reports whether a path is one of those that are compared, or below one.
func (l *Later) isCompared(path string) bool {
	if l.bases[path] {
		return true
	}
	for i, c := range []byte(path) {
		if (c == '.' || c == '[') && l.bases[path[:i]] {
			return true
		}
	}
	return false
}
