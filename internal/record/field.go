package record

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Field is the path of a text inside a JSON record: `text`, `meta.title`, `paragraphs.0.text`,
// `messages[].content`, or a JSON Pointer (RFC 6901): `/meta/title`.
//
// Steps are separated by dots. A decimal number selects an element of an array, or a member with
// that name of an object. `[]` and a step `*` select all elements or members.
// `[role=user|assistant]` and `[role!=system]` select those whose member role is, or is not, in the
// list; then there may be several values, or none. A `?` after a step makes the value optional.
// `{-type,-id}` at the end leaves out the members with these names, at any depth; `{+input}` has
// all of the members with that name count, numbers and booleans too, whatever else is left out, and
// `{+*}` all there is. Braces alone select the whole record: `{}`, or all of its members but some:
// `{-id,-time}`, which leaves out none at a greater depth, as `*{-id}` does. A backslash removes
// the special meaning of the next character: `a\.b`, `\*`. A pointer selects one place, whatever
// its characters.
//
// Paths with bars between them are alternatives: `guid|link` is the first of them that leads to a
// value that is not null. A `?` at the end makes all of them optional.
//
// A path that leads to an object or a list represents all strings below it, in order. See jsonText
// for other values.
type Field struct {
	name     string // as the user wrote it
	steps    []step
	optional bool // the value may be absent
	below    below
	others   []Field // paths that are taken, in this order, where those before them lead to no value
}

type step struct {
	key   string
	index int        // -1 where key is not a decimal number
	all   bool       // all members or elements,
	where *condition // condition that must hold; nil takes all
}

// ParseField reads a path as the user wrote it.
func ParseField(path string) (Field, error) {
	written := Alternatives(path)
	if len(written) == 1 {
		return parsePath(path)
	}
	paths := make([]Field, len(written))
	for i, one := range written {
		var err error
		if paths[i], err = parsePath(one); err != nil {
			return Field{}, fmt.Errorf("%w; it is an alternative of %q", err, path)
		}
		if paths[i].IsWhole() {
			return Field{}, fmt.Errorf("field %q has the whole record as an alternative: name members of it, such as "+
				"guid|link", path)
		}
	}
	f := paths[0]
	f.name, f.others, f.optional = path, paths[1:], paths[len(paths)-1].optional
	return f, nil
}

// parsePath reads a path without alternatives.
func parsePath(path string) (Field, error) {
	f := Field{name: path}
	if pointer, ok := strings.CutPrefix(path, "/"); ok {
		for key := range strings.SplitSeq(pointer, "/") {
			f.steps = append(f.steps, newStep(strings.NewReplacer("~1", "/", "~0", "~").Replace(key)))
		}
		return f, nil
	}
	p, hasBraces := pathParser{}, false
	if p.rest, f.below, hasBraces = cutBelow(path); hasBraces && (p.rest == "" || p.rest == "*") {
		return f, nil
	}
	for {
		steps, ok := p.next()
		if !ok {
			return Field{}, fmt.Errorf("field %q has an empty step: write names separated by single dots, such as "+
				"meta.title or messages[].content", path)
		}
		if f.steps = append(f.steps, steps...); p.ended {
			f.optional = p.optional
			return f, nil
		}
	}
}

// A pathParser takes a path apart.
type pathParser struct {
	rest     string
	ended    bool
	optional bool // a step so far may be absent
}

// next returns the name up to the next dot, and what selects elements of it.
func (p *pathParser) next() (steps []step, ok bool) {
	var key strings.Builder
	plain := true // without a backslash
	for p.rest != "" && p.rest[0] != '.' && !p.isSelector() && !p.isMark() {
		if p.rest[0] == '\\' && len(p.rest) > 1 && strings.IndexByte(`.\*[/?{|`, p.rest[1]) >= 0 {
			p.rest, plain = p.rest[1:], false
		}
		key.WriteByte(p.rest[0])
		p.rest = p.rest[1:]
	}
	if key.Len() == 0 {
		return nil, false
	}
	if steps = append(steps, newStep(key.String())); plain && key.String() == "*" {
		steps[0] = everyStep
	}
	for p.isSelector() || p.isMark() {
		if p.isMark() {
			p.rest, p.optional = p.rest[1:], true
			continue
		}
		selector, _, rest := cutSelector(p.rest)
		steps, p.rest = append(steps, selector), rest
	}
	p.ended = p.rest == ""
	if !p.ended && p.rest[0] != '.' {
		return nil, false
	}
	p.rest = strings.TrimPrefix(p.rest, ".")
	return steps, true
}

// isSelector reports whether what follows selects elements.
func (p *pathParser) isSelector() bool {
	_, ok, _ := cutSelector(p.rest)
	return ok
}

// isMark reports whether what follows is the mark of what may be absent. A question mark within a
// name is a character like others.
func (p *pathParser) isMark() bool {
	return p.rest != "" && p.rest[0] == '?' && (len(p.rest) == 1 || strings.IndexByte(".[?", p.rest[1]) >= 0)
}

var everyStep = step{key: "*", index: -1, all: true}

// selectsSeveral reports whether the path may lead to more than one place.
func (f Field) selectsSeveral() bool {
	return slices.ContainsFunc(f.steps, func(s step) bool { return s.all }) ||
		slices.ContainsFunc(f.others, Field.selectsSeveral)
}

// HasAlternatives reports whether there is more than one path.
func (f Field) HasAlternatives() bool { return len(f.others) > 0 }

// Alternatives returns the paths of the field. The first one that leads to a value counts. Most
// fields have only one.
func (f Field) Alternatives() []Field {
	first := f
	first.others = nil
	return append([]Field{first}, f.others...)
}

// Elements is the path of all elements of the list that f leads to.
func (f Field) Elements() Field {
	return Field{name: f.name, steps: append(slices.Clip(f.steps), everyStep), optional: f.optional}
}

// IsPlain reports whether f is nothing but names and places: without a condition, what is left out,
// alternatives, or a mark of what may be absent.
func (f Field) IsPlain() bool {
	return !f.optional && f.below.isZero() && !f.IsWhole() && len(f.others) == 0 &&
		!slices.ContainsFunc(f.steps, func(s step) bool { return s.where != nil })
}

// IsOptional reports whether the value may be absent.
func (f Field) IsOptional() bool { return f.optional }

// Member is the path of the member or column with that name, whatever its characters.
func Member(name string) Field { return Field{name: name, steps: []step{newStep(name)}} }

// IsWhole reports whether f is the whole record, or all of its members but some.
func (f Field) IsWhole() bool { return len(f.steps) == 0 }

// LeavesOut reports whether f leaves out the members with that name.
func (f Field) LeavesOut(name string) bool { return slices.Contains(f.below.without, name) }

// Top is the first step of the first alternative, without what selects elements of it: the name of
// a column. The whole record has none.
func (f Field) Top() string {
	if f.IsWhole() {
		return ""
	}
	return f.steps[0].key
}

// String returns the path as it was written.
func (f Field) String() string { return f.name }

// Steps returns the parts of the path, or of the first alternative. One that is a decimal number
// may mean a place in a list, and * all places.
func (f Field) Steps() []string {
	keys := make([]string, len(f.steps))
	for i, s := range f.steps {
		keys[i] = s.key
	}
	return keys
}

func namesOf(fields []Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

func newStep(key string) step {
	index, err := strconv.Atoi(key)
	if err != nil || index < 0 || strconv.Itoa(index) != key {
		index = -1 // "007" and "-1" are names, not places
	}
	return step{key: key, index: index}
}
