package stream

import (
	"fmt"
	"strconv"
	"strings"
)

// A Field is the path of one string inside a JSON record: `text`, `meta.title`,
// `paragraphs.0.text`.
//
// Steps are separated by dots; a dot or a backslash inside a name is written `\.` or `\\`. A step
// that is a decimal number selects an element where the value is an array, and a member of that
// name where it is an object.
type Field struct {
	name  string // as the user wrote it
	steps []step
}

type step struct {
	key   string
	index int // -1 where key is not a decimal number
}

// ParseField reads a path as the user wrote it.
func ParseField(path string) (Field, error) {
	f := Field{name: path}
	var key strings.Builder
	end := func() error {
		if key.Len() == 0 {
			return fmt.Errorf("field %q has an empty step: write names separated by single dots, such as meta.title",
				path)
		}
		f.steps = append(f.steps, newStep(key.String()))
		key.Reset()
		return nil
	}
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '.':
			if err := end(); err != nil {
				return Field{}, err
			}
		case c == '\\' && i+1 < len(path) && (path[i+1] == '.' || path[i+1] == '\\'):
			i++
			key.WriteByte(path[i])
		default:
			key.WriteByte(c)
		}
	}
	if err := end(); err != nil {
		return Field{}, err
	}
	return f, nil
}

// String returns the path as it was written.
func (f Field) String() string { return f.name }

// Steps returns the parts of the path. One that is a decimal number may mean a place in a list.
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
