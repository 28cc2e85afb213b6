package record

import (
	"slices"
	"strings"
)

// below says what counts of a value, at any depth. The zero below is for every string.
type below struct {
	without []string // members that do not count
	whole   []string // members with contents that all count, also numbers and any name; * stands for any member
	atTop   bool     // without is for the members of the value itself, and of none below it

	noted *excluding // is told what is left out; may be nil
	first int        // the number that it has for the first of without
}

func (b below) isZero() bool { return len(b.without) == 0 && len(b.whole) == 0 }

// of returns what counts of the member with that name. counts is false if nothing does.
func (b below) of(name []byte) (inside below, isWhole, counts bool) {
	if indexOf(b.whole, name) >= 0 {
		return below{}, true, true
	}
	i := indexOf(b.without, name)
	switch {
	case i >= 0:
		b.noted.note(b.first, i)
		return b, false, false
	case b.atTop:
		return below{whole: b.whole}, false, true
	}
	return b, false, true
}

// indexOf returns the index of a name in a list, or -1.
func indexOf(list []string, name []byte) int {
	for i, s := range list {
		if s == string(name) {
			return i
		}
	}
	return -1
}

// cutBelow takes `{-name,+name}` off the end of a path, or `{}`, which is all of it. Of a path that
// has nothing before it, -name is for the members of the record alone.
func cutBelow(path string) (rest string, b below, ok bool) {
	at := max(strings.LastIndex(path, "{-"), strings.LastIndex(path, "{+"))
	switch {
	case path == "{}":
		return "", b, true
	case at < 0 || !strings.HasSuffix(path, "}") || at > 0 && path[at-1] == '\\':
		return path, b, false
	}
	for name := range strings.SplitSeq(path[at+1:len(path)-1], ",") {
		name = strings.TrimSpace(name)
		switch {
		case len(name) < 2 || name[0] != '-' && name[0] != '+':
			return path, below{}, false
		case name[0] == '-':
			b.without = append(b.without, name[1:])
		default:
			b.whole = append(b.whole, name[1:])
		}
	}
	b.atTop = at == 0
	return path[:at], b, true
}

// WithoutBraces is a path as the user wrote it, without what it leaves out.
func WithoutBraces(path string) string {
	if rest, _, ok := cutBelow(path); ok && rest != "" {
		return rest
	}
	return path
}

// IsWholeRecord reports whether a path as the user wrote it is the whole record, and leaves out
// which members of it.
func IsWholeRecord(path string) (without []string, ok bool) {
	rest, b, ok := cutBelow(path)
	if path == "*" {
		return nil, true
	}
	return slices.Clip(b.without), ok && (rest == "" || rest == "*")
}
