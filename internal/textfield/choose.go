package textfield

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// maxPaths is how many paths are named. If there are more, the text is the whole record without the
// members that are not text.
const maxPaths = 100

// choose lists the members with text, those of tasks first and those of answers last.
func (s *survey) choose() Choice {
	c := s.paths()
	if found := s.findShared(); found != nil {
		isApart := s.leaveOutShared(found)
		if c = s.paths(); !isApart {
			c.Paths = nil
		}
		c.Shared = found
	}
	s.noteAside(&c)
	return c
}

// paths returns a choice with the paths to the text, and what is unclear.
func (s *survey) paths() (c Choice) {
	tops := s.tops()
	var members []member
	var data []string // members without text
	for _, key := range s.ranked(tops) {
		of := s.member(key, tops[key], &c)
		if members = append(members, of...); len(of) == 0 {
			data = append(data, key)
		}
	}
	if len(members) > maxPaths {
		c.Paths = []string{wholeRecord(data)}
		return c
	}
	for _, t := range contexts {
		at := slices.IndexFunc(members, func(m member) bool { return m.path == t.answer })
		isTask := slices.ContainsFunc(members, func(m member) bool { return m.path == t.task })
		if at >= 0 && isTask && !s.isThere(t.context) {
			members = slices.Insert(members, at, member{path: t.context, base: t.context})
			break
		}
	}
	c.Paths = s.marked(members)
	for _, m := range members {
		c.bases = append(c.bases, m.base)
	}
	return c
}

// tops returns the leaves in each member of the records that may have text.
func (s *survey) tops() map[string][]*leaf {
	tops := map[string][]*leaf{}
	for _, l := range s.leaves {
		tops[l.top] = append(tops[l.top], l)
	}
	for key := range s.nulls {
		if class := s.classOf(key); !s.filled[key] && (class == nameText || class == nameUnknown) {
			tops[key] = slices.Clip(tops[key])
		}
	}
	for key := range s.inputs {
		tops[key] = slices.Clip(tops[key])
	}
	return tops
}

// ranked returns the names of members in the order in which they are compared.
func (s *survey) ranked(tops map[string][]*leaf) []string {
	ranks := make(map[string]int, len(tops))
	for key := range tops {
		ranks[key] = rankOf(key)
	}
	return slices.SortedFunc(maps.Keys(tops), func(a, b string) int {
		return cmp.Or(ranks[a]-ranks[b], strings.Compare(a, b))
	})
}

// wholeRecord is the path to all of a record but its data.
func wholeRecord(data []string) string {
	var names nameList
	for _, name := range data {
		names.add(name)
	}
	return cmp.Or(braces(names.list(), nil), "{}")
}

// isThere reports whether a record has the member, or several of that kind, whatever they hold.
func (s *survey) isThere(key string) bool {
	return s.filled[key] || s.nulls[key] > 0 || s.filled[key+"s"]
}

// noteAside says what of conversations is not among the paths.
func (s *survey) noteAside(c *Choice) {
	for _, path := range slices.Sorted(maps.Keys(s.chats)) {
		if chat := s.chats[path]; chat.system && chat.isList {
			c.LeavesOut = path + "[" + chat.by + "=" + systemRoles + "]"
		}
	}
	if c.LeavesOut == "" && len(s.systems) > 0 {
		c.LeavesOut = slices.Min(slices.Collect(maps.Keys(s.systems)))
	}
	if len(s.tools) > 0 {
		c.Tools = slices.Min(slices.Collect(maps.Keys(s.tools)))
	}
}

// marked returns the paths of members, those that a record lacks marked as such: but not all of
// them, since a record that has none cannot be read, unless each sample lacks some.
func (s *survey) marked(members []member) (paths []string) {
	most, isCommon := 0, false
	for _, m := range members {
		most, isCommon = max(most, m.records), isCommon || m.samples == s.samples
	}
	for _, m := range members {
		if m.records < most || !isCommon {
			m.path = optional(m.path)
		}
		paths = append(paths, m.path)
	}
	return paths
}

// optional marks a path as one that may lead nowhere.
func optional(path string) string {
	at := strings.LastIndex(path, "{")
	if at <= 0 || path[at-1] == '\\' {
		return path + "?"
	}
	return path[:at] + "?" + path[at:]
}
