package textfield

import (
	"slices"
	"strings"
	"unicode"
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
	shared  bool // many records share its strings; see Shared
	held
}

// held is what the strings of a leaf hold.
type held struct {
	records int // that have it
	samples int // in which a record has it
	bytes   int
	values  int
	spaces  int // between words
	wide    int // bytes of characters beyond ASCII, without their first ones
	forms   [formNumber + 1]int
	several map[string]bool // different values, up to maxValues
	last    int             // the record that was counted last
	lastOf  int             // the sample that it is in, from 1
}

// maxValues is how many different values are told apart.
const maxValues = 1000

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
	switch {
	case l.shared:
		return isData
	case l.isInput:
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

// isSaid reports whether the strings of a leaf in a conversation are part of its text. What a tool
// is called with is, whatever the names in it are.
func (l *leaf) isSaid() bool {
	return l.isInCall() || l.class != nameID && !slices.Contains(notText, l.name)
}

// isInCall reports whether a leaf is below what a tool is called with, in a conversation.
func (l *leaf) isInCall() bool {
	return slices.ContainsFunc(calls, func(name string) bool { return strings.Contains(l.path, "."+name+".") })
}

// isCompared reports whether the strings of a leaf are part of the text.
func (l *leaf) isCompared() bool {
	if l.chat != "" {
		return l.isSaid()
	}
	return l.verdict() == isText
}

// count adds a string of a record.
func (l *leaf) count(text string, form form, record, sample int) {
	if l.last != record {
		l.last = record
		l.records++
	}
	if l.lastOf != sample+1 {
		l.lastOf = sample + 1
		l.samples++
	}
	l.forms[form]++
	l.values++
	l.bytes += len(text)
	l.spaces += spacesIn(text)
	l.wide += len(text) - utf8.RuneCountInString(text)
	if len(l.several) < maxValues && len(text) <= 64 {
		if l.several == nil {
			l.several = map[string]bool{}
		}
		l.several[text] = true
	}
}

// spacesIn counts the spaces between the words of a text.
func spacesIn(text string) (spaces int) {
	hasWord, isSpace := false, false
	for _, r := range text {
		wasSpace := isSpace
		isSpace = unicode.IsSpace(r)
		if wasSpace && !isSpace && hasWord {
			spaces++
		}
		hasWord = hasWord || !isSpace
	}
	return spaces
}
