// Package textfield finds the text fields of JSON records, for users who have not named them.
//
// All strings of a record are its text, but those of members that are declared to be something
// else: ids, times, scores, URLs and labels, by their names or by all of their values, and system
// prompts and descriptions of tools. So two records that differ in any other string have different
// texts. Where neither the name nor the values tell, the choice is unclear.
package textfield

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// Limits on what is examined.
const (
	maxRecords = 1000
	maxDepth   = 4
)

// A Field is a field that holds strings.
type Field struct {
	Path    string // in the syntax of stream.ParseField
	Records int    // records that have it
	Bytes   int    // total length of the strings
}

// A Choice is the set of fields that make up the text of records.
type Choice struct {
	Paths     []string // in the syntax of stream.ParseField; none if there is no text
	LeavesOut string   // the system prompt, if there is one that is not part of the text
	Tools     string   // descriptions of tools, if there are any that are not part of the text
	Unclear   []string // fields that may be text or not, and are not part of Paths
	// Shared is a field that is most of the text, and the same in many records that differ
	// elsewhere: these would be near-duplicates. It is not part of Paths, and empty if there is
	// none.
	Shared string
}

// Find returns the fields with the text of some records. cells says that all values are strings, as
// in CSV, so that numbers are no text. all lists the fields that hold strings, the longest first.
func Find(records [][]byte, cells bool) (chosen Choice, all []Field) {
	s := newSurvey(cells)
	for _, record := range records[:min(len(records), maxRecords)] {
		var value map[string]any
		if json.Unmarshal(jsontext.WithoutNonFinite(record), &value) == nil {
			s.add(value)
		}
	}
	hasText := len(s.chats) > 0
	for _, l := range s.leaves {
		all = append(all, Field{l.path, l.records, l.bytes})
		hasText = hasText || l.verdict() == isText && l.hasWords(s.records)
	}
	slices.SortFunc(all, byBytes)
	if !hasText {
		return Choice{}, all
	}
	return s.choose(), all
}

func byBytes(a, b Field) int {
	return cmp.Or(b.Bytes-a.Bytes, strings.Compare(a.Path, b.Path))
}

// choose lists the members with text, those of tasks first and those of answers last.
func (s *survey) choose() (c Choice) {
	tops := map[string][]*leaf{}
	for _, l := range s.leaves {
		tops[l.top] = append(tops[l.top], l)
	}
	for key := range s.nulls {
		if class := classOf(key); !s.filled[key] && (class == nameText || class == nameUnknown) {
			tops[key] = slices.Clip(tops[key])
		}
	}
	for key := range s.inputs {
		tops[key] = slices.Clip(tops[key])
	}
	var members []member
	for _, key := range slices.SortedFunc(maps.Keys(tops), byRank) {
		members = append(members, s.member(key, tops[key], &c)...)
	}
	for _, t := range contexts {
		at := slices.IndexFunc(members, func(m member) bool { return m.path == t.answer })
		isTask := slices.ContainsFunc(members, func(m member) bool { return m.path == t.task })
		if at >= 0 && isTask && !s.isThere(t.context) {
			members = slices.Insert(members, at, member{path: t.context})
			break
		}
	}
	c.Paths = s.marked(members)
	s.leaveOut(&c)
	if c.Shared = s.shared(); c.Shared != "" {
		c.Paths = without(c.Paths, c.Shared)
	}
	return c
}

// isThere reports whether a record has the member, or several of that kind, whatever they hold.
func (s *survey) isThere(key string) bool {
	return s.filled[key] || s.nulls[key] > 0 || s.filled[key+"s"]
}

func byRank(a, b string) int {
	return cmp.Or(rankOf(a)-rankOf(b), strings.Compare(a, b))
}

// leaveOut says what of conversations is not among the paths.
func (s *survey) leaveOut(c *Choice) {
	slices.Sort(s.systems)
	slices.Sort(s.tools)
	for _, path := range slices.Sorted(maps.Keys(s.chats)) {
		if chat := s.chats[path]; chat.system && chat.isList {
			c.LeavesOut = path + "[" + chat.by + "=" + systemRoles + "]"
		}
	}
	if c.LeavesOut == "" && len(s.systems) > 0 {
		c.LeavesOut = s.systems[0]
	}
	if len(s.tools) > 0 {
		c.Tools = s.tools[0]
	}
}

// A member is a path that is part of the text, and in how many records it leads somewhere.
type member struct {
	path    string
	records int
}

// marked returns the paths of members, those that a record lacks marked as such: but never all of
// them, since a record that has none cannot be read.
func (s *survey) marked(members []member) (paths []string) {
	most := 0
	for _, m := range members {
		most = max(most, m.records)
	}
	for _, m := range members {
		if m.records < most {
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
