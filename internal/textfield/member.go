package textfield

import (
	"slices"
	"strings"
)

// A member is a path that is part of the text, and in how many records and samples it leads
// somewhere.
type member struct {
	path    string
	base    string // without conditions and braces: whatever is at or below it counts
	records int
	samples int
}

// maxLeftOut is how many names a path leaves out. If there are more, they are not names of members
// but keys of a dictionary, and all of them count.
const maxLeftOut = 100

// member returns the paths to the texts in a member of records. What is unclear goes to c.
func (s *survey) member(key string, leaves []*leaf, c *Choice) (members []member) {
	slices.SortFunc(leaves, func(a, b *leaf) int { return strings.Compare(a.path, b.path) })
	members, leaves = s.conversations(leaves)
	var text []*leaf
	var data []string
	for _, l := range leaves {
		switch l.verdict() {
		case isText:
			text = append(text, l)
		case isUnclear:
			c.Unclear = append(c.Unclear, l.path)
			fallthrough
		default:
			data = append(data, l.name)
		}
	}
	base := join("", key)
	switch isOwn := len(members) == 0; {
	case len(text) == 0 && isOwn && s.inputs[key]:
		return []member{{s.whole(key, nil, data), base, s.records, s.samples}}
	case len(text) == 0 && isOwn && len(leaves) == 0:
		return []member{{path: base, base: base}} // it holds nothing so far
	case len(text) == 0:
		return members
	case isOwn && (len(leaves) > 1 || s.deep[key] || s.inputs[key] || isList(text[0], key)) && text[0].depth > 0 &&
		!hasSharedName(leaves, text):
		return []member{memberOf(s.whole(key, text, data), base, text)}
	}
	for _, l := range text {
		members = append(members, member{l.path, l.path, l.records, l.samples})
	}
	return members
}

// conversations returns the paths to the conversations in a member, the first ones first, and the
// leaves that are in none of them.
func (s *survey) conversations(leaves []*leaf) (members []member, others []*leaf) {
	inside, mixed := map[string][]*leaf{}, map[string]bool{}
	var paths []string
	for _, l := range leaves {
		if l.chat != "" && inside[l.chat] == nil {
			paths = append(paths, l.chat)
		}
		if l.chat != "" {
			inside[l.chat] = append(inside[l.chat], l)
		}
	}
	for _, l := range leaves {
		switch {
		case l.chat != "":
		case inside[l.path] != nil:
			mixed[l.path] = true // other records have a string there
		default:
			others = append(others, l)
		}
	}
	for _, path := range paths {
		selector := *s.chats[path]
		selector.isList = selector.isList && !mixed[path]
		of := memberOf(selector.selector(dataOfChat(inside[path])), path, inside[path])
		of.records = selector.records
		members = append(members, of)
	}
	return members, others
}

// dataOfChat are the members of messages that are ids, times and scores, beside notText.
func dataOfChat(leaves []*leaf) []string {
	var names nameList
	for _, l := range leaves {
		if l.class == nameID && !l.isInCall() && !slices.Contains(notText, l.name) {
			names.add(l.name)
		}
	}
	return names.list()
}

// hasSharedName reports whether a leaf that is left out because many records share it has the name
// of one that is not: then only whole paths distinguish the two.
func hasSharedName(leaves, text []*leaf) bool {
	return slices.ContainsFunc(leaves, func(l *leaf) bool {
		return l.shared && slices.ContainsFunc(text, func(t *leaf) bool { return t.name == l.name })
	})
}

// isList reports whether a leaf is the elements of the lists that a member holds.
func isList(l *leaf, key string) bool {
	return strings.Trim(strings.TrimPrefix(l.path, join("", key)), "[]") == ""
}

// whole is the path to all of a member but its data. What a tool is called with counts whatever it
// is.
func (s *survey) whole(key string, text []*leaf, data []string) string {
	names := nameList{seen: map[string]bool{}}
	for _, l := range text {
		names.seen[l.name] = true
	}
	for _, name := range data {
		names.add(name)
	}
	var all []string
	if s.inputs[key] {
		if all = toolInputs; slices.Contains(toolInputs, key) {
			all = []string{"*"}
		}
	}
	return join("", key) + braces(names.list(), all)
}

// A nameList collects names that a path leaves out.
type nameList struct {
	names []string
	seen  map[string]bool // these are not added
}

func (n *nameList) add(name string) {
	if canLeaveOut(name) && !n.seen[name] {
		if n.seen == nil {
			n.seen = map[string]bool{}
		}
		n.seen[name] = true
		n.names = append(n.names, name)
	}
}

// list returns the names, or none if there are too many.
func (n *nameList) list() []string {
	if len(n.names) > maxLeftOut {
		return nil
	}
	return n.names
}

// canLeaveOut reports whether a path can leave out a member with that name.
func canLeaveOut(name string) bool { return name != "" && !strings.ContainsAny(name, ",{}") }

// memberOf is the path to some leaves.
func memberOf(path, base string, leaves []*leaf) member {
	m := member{path: path, base: base}
	for _, l := range leaves {
		m.records, m.samples = max(m.records, l.records), max(m.samples, l.samples)
	}
	return m
}

// join appends a key to a path, and escapes special characters.
func join(path, key string) string {
	var b strings.Builder
	b.WriteString(path)
	if path != "" {
		b.WriteByte('.')
	}
	if key == "" {
		return b.String() // no path can express it
	}
	for i, r := range key {
		if strings.ContainsRune(`.\*[?{|`, r) || i == 0 && path == "" && r == '/' {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
