package textfield

import (
	"slices"
	"strings"
)

// A survey is what the members of some records hold.
type survey struct {
	cells   bool // all values are strings, and one that is a number is none
	records int
	samples int       // that they are from
	all     []sampled // the records
	leaves  map[string]*leaf
	chats   map[string]*chat
	nulls   map[string]int  // the members of records that hold nothing
	filled  map[string]bool // those that hold something
	deep    map[string]bool // the members of records that hold strings deeper than maxDepth
	inputs  map[string]bool // the members of records below which a tool is called with numbers
	systems map[string]bool // the paths of system prompts beside messages
	tools   map[string]bool // the same of descriptions of tools
	classes map[string]nameClass
}

// A sampled is a record, and the strings in it that may be part of its text.
type sampled struct {
	value  map[string]any
	sample int // the number of the sample that it is in
	says   []said
}

// A said is a string of a record.
type said struct {
	leaf *leaf
	role string // of the message that it is in, if it is in one
	text string
	hash uint64 // of the text, once a sharing has seen it
}

// maxSaid bounds how many strings of a record are kept.
const maxSaid = 1000

func newSurvey(cells bool) *survey {
	return &survey{cells: cells, leaves: map[string]*leaf{}, chats: map[string]*chat{}, nulls: map[string]int{},
		filled: map[string]bool{}, deep: map[string]bool{}, inputs: map[string]bool{}, systems: map[string]bool{},
		tools: map[string]bool{}, classes: map[string]nameClass{}}
}

// add counts what is in a record of a sample.
func (s *survey) add(record map[string]any, sample int) {
	s.records++
	s.all = append(s.all, sampled{value: record, sample: sample})
	for key, member := range record {
		if key == "" {
			continue // no path can express it
		}
		if isEmpty(member) {
			s.nulls[key]++
		} else {
			s.filled[key] = true
		}
		s.value(place{path: join("", key), top: key, name: key}, member)
	}
}

func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// A place is where a value stands.
type place struct {
	path, top, name string
	chat            string
	role            string // of the message that it is in
	depth           int    // in objects and lists
	isMedia         bool
	isText          bool
	isInput         bool      // in what a tool is called with
	aside           nameClass // of a system prompt, or descriptions of tools, that it is in
}

// below is the place of a value in an object or a list.
func (p place) below(path string) place {
	p.isInput = p.isInput || slices.Contains(toolInputs, p.name)
	p.path, p.depth = path, p.depth+1
	return p
}

// classOf is what a name says.
func (s *survey) classOf(name string) nameClass {
	class, isKnown := s.classes[name]
	if !isKnown {
		class = classOf(name)
		s.classes[name] = class
	}
	return class
}

func (s *survey) value(at place, value any) {
	class, by := s.classOf(at.name), ""
	at.isMedia, at.isText = at.isMedia || class == nameMedia, at.isText || class == nameText
	if at.chat == "" && at.depth <= 2 {
		var isList bool
		if by, isList = chatAt(at.name, value); by != "" {
			s.chat(at.path, by, isList, value)
			at.chat = at.path
		}
	}
	if at.chat == "" && (class == nameInstruct || class == nameTools) && !isEmpty(value) {
		if at.aside == nameUnknown {
			s.aside(class, at.path)
		}
		at.aside = class
	}
	switch v := value.(type) {
	case string:
		s.string(at, class, v)
	case float64, bool:
		if at.isInput {
			s.inputs[at.top] = true
		}
	case map[string]any:
		s.members(at, v)
	case []any:
		s.elements(at, v, by)
	}
}

// elements counts what is in a list. by is the member that names the speaker, if the list is a
// conversation.
func (s *survey) elements(at place, list []any, by string) {
	for _, element := range list {
		if at.depth >= maxDepth {
			s.deep[at.top] = true
			return
		}
		in := at.below(at.path + "[]")
		if by != "" {
			in.role = roleOf(element, by)
		}
		s.value(in, element)
	}
}

func (s *survey) members(at place, object map[string]any) {
	for key, member := range object {
		if at.depth >= maxDepth || key == "" {
			s.deep[at.top] = true
			continue
		}
		in := at.below(join(at.path, key))
		in.name = key
		s.value(in, member)
	}
}

// chat notes a conversation.
func (s *survey) chat(path, by string, isList bool, value any) {
	c := s.chats[path]
	if c == nil {
		c = &chat{path: path, by: by, isList: isList}
		s.chats[path] = c
	}
	c.records++
	c.isList = c.isList && isList && c.by == by
	if list, ok := value.([]any); ok && slices.ContainsFunc(list, func(m any) bool { return isSystem(roleOf(m, by)) }) {
		c.system = true
	}
}

// aside notes what is left out of conversations.
func (s *survey) aside(class nameClass, path string) {
	if class == nameTools {
		s.tools[path] = true
	} else {
		s.systems[path] = true
	}
}

func (s *survey) string(at place, class nameClass, text string) {
	form := formOf(text)
	if form == formNumber && s.cells && class != nameText {
		return
	}
	l := s.leaves[at.path]
	if l == nil {
		l = newLeaf(at, class)
		s.leaves[at.path] = l
	}
	if at.isInput && !strings.HasSuffix(at.path, "[]") {
		s.inputs[at.top] = true
	}
	record := &s.all[len(s.all)-1]
	l.count(text, form, s.records, record.sample)
	if at.aside == nameUnknown && !isSystem(at.role) && len(record.says) < maxSaid {
		record.says = append(record.says, said{leaf: l, role: at.role, text: text})
	}
}

func newLeaf(at place, class nameClass) *leaf {
	switch {
	case at.aside != nameUnknown:
		class = at.aside
	case at.isMedia && class != nameID:
		class = nameMedia
	case at.isText && class == nameUnknown:
		class = nameText
	}
	return &leaf{path: at.path, top: at.top, name: at.name, chat: at.chat, class: class, depth: at.depth,
		isInput: at.isInput}
}
