package record

import (
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// A condition selects elements of a list, or members of an object, by what a member of theirs
// holds.
type condition struct {
	member string
	values []string
	not    bool // it holds none of them, or is not there
}

// cutSelector takes `[]` or a condition off the beginning of a path. ok is false if it begins with
// neither.
func cutSelector(path string) (selector step, ok bool, rest string) {
	if rest, ok = strings.CutPrefix(path, "[]"); ok {
		return everyStep, true, rest
	}
	if !strings.HasPrefix(path, "[") {
		return selector, false, path
	}
	var part strings.Builder
	where, isValue := condition{}, false
	for i := 1; i < len(path); i++ {
		switch c := path[i]; {
		case c == '\\' && i+1 < len(path):
			i++
			part.WriteByte(path[i])
		case !isValue && c == '=':
			where.member, isValue = part.String(), true
			where.member, where.not = strings.CutSuffix(where.member, "!")
			part.Reset()
		case isValue && (c == '|' || c == ']'):
			where.values = append(where.values, part.String())
			part.Reset()
			if c == ']' && where.member != "" {
				selector = everyStep
				selector.where = &where
				return selector, true, path[i+1:]
			}
		case c == ']' || c == '[':
			return selector, false, path
		default:
			part.WriteByte(c)
		}
	}
	return selector, false, path
}

// holds reports whether the condition is true of the value at src[i:]. What is wrong with the value
// is found out when it is scanned.
func (c *condition) holds(src []byte, i int) bool {
	start, end := findMember(src, i, c.member)
	if start < 0 {
		return c.not
	}
	value := src[start:end]
	if value[0] == '"' {
		var scratch []byte
		value, _ = jsontext.Unquote(&scratch, src, start)
	}
	return slices.Contains(c.values, string(value)) != c.not
}

// findMember finds the last member with a name in the object at src[i:]. start is -1 if the object
// has no such member.
func findMember(src []byte, i int, name string) (start, end int) {
	start = -1
	m, ok := membersAt(src, i)
	for ok {
		var found []byte
		var from, to int
		if found, from, to, ok = m.next(); ok && string(found) == name {
			start, end = from, to
		}
	}
	return start, end
}

// members goes over the members of an object.
type members struct {
	scanner jsonScanner
	at      int
}

// membersAt begins with the object at src[i:]. ok is false if no object begins there.
func membersAt(src []byte, i int) (m members, ok bool) {
	if i >= len(src) || src[i] != '{' {
		return m, false
	}
	m.scanner.src, m.at = src, jsontext.SkipSpace(src, i+1)
	return m, true
}

// next returns the name of the next member, and where its value is. ok is false if no valid member
// follows.
func (m *members) next() (name []byte, start, end int, ok bool) {
	src := m.scanner.src
	if m.at >= len(src) || src[m.at] != '"' {
		return nil, 0, 0, false
	}
	name, i := jsontext.Unquote(&m.scanner.name, src, m.at)
	if i < 0 {
		return nil, 0, 0, false
	}
	if i = jsontext.SkipSpace(src, i); i >= len(src) || src[i] != ':' {
		return nil, 0, 0, false
	}
	start = jsontext.SkipSpace(src, i+1)
	if end = m.scanner.value(start, 0, false); end < 0 {
		return nil, 0, 0, false
	}
	if m.at = jsontext.SkipSpace(src, end); m.at < len(src) && src[m.at] == ',' {
		m.at = jsontext.SkipSpace(src, m.at+1)
	}
	return name, start, end, true
}
