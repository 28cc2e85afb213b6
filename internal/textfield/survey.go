package textfield

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// A leaf is a path at which some records have strings.
type leaf struct {
	path    string
	top     string // the name of the member of the record that it is in
	class   nameClass
	chat    string // the path of the conversation that it is in; or empty
	name    string // of the member that holds it
	depth   int
	isInput bool // it is below what a tool is called with
	held
}

// held is what the strings of a leaf hold.
type held struct {
	records int // that have it
	bytes   int
	values  int
	spaces  int // between words
	wide    int // bytes of characters beyond ASCII, without their first ones
	forms   [formNumber + 1]int
	several map[string]bool // different values, up to maxValues
	last    int             // the record that was counted last
}

// maxValues is how many different values are told apart.
const maxValues = 1000

// A survey is what the members of some records hold.
type survey struct {
	cells   bool // all values are strings, and one that is a number is none
	records int
	all     []map[string]any // the records
	leaves  map[string]*leaf
	chats   map[string]*chat
	nulls   map[string]int  // the members of records that hold nothing
	filled  map[string]bool // those that hold something
	deep    map[string]bool // the members of records that hold strings deeper than maxDepth
	inputs  map[string]bool // the members of records below which a tool is called with numbers
	systems []string        // the paths of system prompts beside messages
	tools   []string        // the same of descriptions of tools
}

func newSurvey(cells bool) *survey {
	return &survey{cells: cells, leaves: map[string]*leaf{}, chats: map[string]*chat{}, nulls: map[string]int{},
		filled: map[string]bool{}, deep: map[string]bool{}, inputs: map[string]bool{}}
}

// add counts what is in a record.
func (s *survey) add(record map[string]any) {
	s.records++
	s.all = append(s.all, record)
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
	depth           int // in objects and lists
	isMedia         bool
	isText          bool
	isInput         bool      // in what a tool is called with
	aside           nameClass // of a system prompt, or descriptions of tools, that it is in
}

// below is the place of a value in an object or a list.
func (p place) below(path string) place {
	p.path, p.depth = path, p.depth+1
	return p
}

func (s *survey) value(at place, value any) {
	class := classOf(at.name)
	at.isMedia, at.isText = at.isMedia || class == nameMedia, at.isText || class == nameText
	if at.chat == "" && at.depth <= 2 {
		if by, isList := chatAt(at.name, value); by != "" {
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
		for _, element := range v {
			if at.depth >= maxDepth {
				s.deep[at.top] = true
				return
			}
			in := at.below(at.path + "[]")
			in.isInput = at.isInput || slices.Contains(toolInputs, at.name)
			s.value(in, element)
		}
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
		in.isInput = at.isInput || slices.Contains(toolInputs, at.name)
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
	if list, ok := value.([]any); ok && slices.ContainsFunc(list, func(m any) bool { return isSystem(m, by) }) {
		c.system = true
	}
}

// aside notes what is left out of conversations.
func (s *survey) aside(class nameClass, path string) {
	to := &s.systems
	if class == nameTools {
		to = &s.tools
	}
	if !slices.Contains(*to, path) {
		*to = append(*to, path)
	}
}

func (s *survey) string(at place, class nameClass, text string) {
	form := formOf(text)
	if form == formNumber && s.cells && class != nameText {
		return
	}
	l := s.leaves[at.path]
	if l == nil {
		switch {
		case at.aside != nameUnknown:
			class = at.aside
		case at.isMedia && class != nameID:
			class = nameMedia
		case at.isText && class == nameUnknown:
			class = nameText
		}
		l = &leaf{path: at.path, top: at.top, name: at.name, chat: at.chat, class: class, depth: at.depth,
			isInput: at.isInput, held: held{several: map[string]bool{}}}
		s.leaves[at.path] = l
	}
	if at.isInput && !strings.HasSuffix(at.path, "[]") {
		s.inputs[at.top] = true
	}
	if l.last != s.records {
		l.last = s.records
		l.records++
	}
	l.forms[form]++
	l.values++
	l.bytes += len(text)
	l.spaces += max(0, len(bytes.Fields([]byte(text)))-1)
	l.wide += len(text) - utf8.RuneCountInString(text)
	if len(l.several) < maxValues && len(text) <= 64 {
		l.several[text] = true
	}
}

// A verdict is what the strings of a leaf are.
type verdict uint8

const (
	isText  verdict = iota
	isData          // ids, times, scores, URLs and labels of the record
	isAside         // a system prompt, or a description of tools
	isUnclear
)

// verdict says what the strings of a leaf are, by its name, or by all of its values.
func (l *leaf) verdict() verdict {
	filled := l.values - l.forms[formEmpty]
	hasSentences := 2*l.spaces >= l.values || l.bytes >= 200*l.values
	if l.isInput {
		return isText
	}
	switch l.class {
	case nameText, nameMedia:
		return isText
	case nameInstruct, nameTools:
		return isAside
	case nameID, nameURL:
		return isData
	case nameLabel, namePlace:
		if hasSentences {
			return isText
		}
		return isData
	}
	switch {
	case filled > 0 && l.forms[formAddress] == filled:
		return isData
	case filled > 0 && l.forms[formOpaque]+l.forms[formAddress] == filled && len(l.several) > 2 &&
		2*len(l.several) > l.values:
		return isUnclear
	}
	return isText
}

// hasWords reports whether a leaf that at least half of the records have is a text without doubt:
// by its name, by the spaces between its words, or because it is longer than any name, in a script
// without spaces. A long string may be a URL, a hash, or an image as Base64.
func (l *leaf) hasWords(records int) bool {
	isLong := l.bytes/l.records >= 200 && l.wide >= 2*l.records
	return 2*l.records >= records && l.class != nameMedia &&
		(l.class == nameText || l.spaces >= 2*l.records || isLong)
}
