package textfield

import (
	"slices"
	"strings"
)

// member returns the paths to the texts in a member of records. What is unclear goes to c.
func (s *survey) member(key string, leaves []*leaf, c *Choice) (members []member) {
	slices.SortFunc(leaves, func(a, b *leaf) int { return strings.Compare(a.path, b.path) })
	for _, path := range s.chatsIn(leaves) {
		chat := s.chats[path]
		mixed := slices.ContainsFunc(leaves, func(l *leaf) bool { return l.path == path })
		inside := slices.DeleteFunc(slices.Clone(leaves), func(l *leaf) bool { return l.chat != path })
		selector := *chat
		selector.isList = chat.isList && !mixed
		members = append(members, member{selector.selector(dataOfChat(inside)), chat.records})
		leaves = slices.DeleteFunc(leaves, func(l *leaf) bool { return l.chat == path || l.path == path })
	}
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
	switch isOwn := len(members) == 0; {
	case len(text) == 0 && isOwn && s.inputs[key]:
		return []member{{s.whole(key, nil, data), s.records}}
	case len(text) == 0 && isOwn && len(leaves) == 0:
		return []member{{path: join("", key)}} // it holds nothing so far
	case len(text) == 0:
		return members
	case isOwn && (len(leaves) > 1 || s.deep[key] || s.inputs[key] || isList(text[0], key)) && text[0].depth > 0:
		return []member{{s.whole(key, text, data), recordsOf(text)}}
	}
	for _, l := range text {
		members = append(members, member{l.path, l.records})
	}
	return members
}

// chatsIn are the paths of the conversations in a member, the first ones first.
func (s *survey) chatsIn(leaves []*leaf) (paths []string) {
	for _, l := range leaves {
		if l.chat != "" && !slices.Contains(paths, l.chat) {
			paths = append(paths, l.chat)
		}
	}
	return paths
}

// dataOfChat are the members of messages that are ids, times and scores, beside notText.
func dataOfChat(leaves []*leaf) (names []string) {
	for _, l := range leaves {
		isCall := slices.ContainsFunc(calls, func(name string) bool { return strings.Contains(l.path, "."+name+".") })
		if l.class == nameID && !isCall && canLeaveOut(l.name) && !slices.Contains(notText, l.name) &&
			!slices.Contains(names, l.name) {
			names = append(names, l.name)
		}
	}
	return names
}

// isList reports whether a leaf is the elements of the lists that a member holds.
func isList(l *leaf, key string) bool {
	return strings.Trim(strings.TrimPrefix(l.path, join("", key)), "[]") == ""
}

// whole is the path to all of a member but its data. What a tool is called with counts whatever it
// is.
func (s *survey) whole(key string, text []*leaf, data []string) string {
	var without []string
	isTextToo := func(name string) bool {
		return slices.ContainsFunc(text, func(l *leaf) bool { return l.name == name })
	}
	for _, name := range data {
		if canLeaveOut(name) && !isTextToo(name) && !slices.Contains(without, name) {
			without = append(without, name)
		}
	}
	var all []string
	if s.inputs[key] {
		if all = toolInputs; slices.Contains(toolInputs, key) {
			all = []string{"*"}
		}
	}
	return join("", key) + braces(without, all)
}

// canLeaveOut reports whether a path can leave out a member with that name.
func canLeaveOut(name string) bool { return name != "" && !strings.ContainsAny(name, ",{}") }

// recordsOf is in how many records at least one of the leaves is.
func recordsOf(leaves []*leaf) (most int) {
	for _, l := range leaves {
		most = max(most, l.records)
	}
	return most
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
