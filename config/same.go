package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// What identifies a run, beside its index (I5) and the names of its streams, is said where a flag
// is declared:
//
//	run:"same"  a run is resumed only with the same value
//	way:"N"     records are read in another way with another value: an input is not known again
//
// N is the place of the value in what an index keeps of the way, so that it never changes.

// A Setting is a flag and the value that a run has of it.
type Setting struct {
	Name  string // as in --max-record
	Value any    // a string, a []string, a bool, an int, an int64 for a size, or a float64
}

// IsSet reports whether the value is other than false, empty or 0.
func (s Setting) IsSet() bool {
	list, isList := s.Value.([]string)
	return isList && len(list) > 0 || !isList && !reflect.ValueOf(s.Value).IsZero()
}

// String is the value in words.
func (s Setting) String() string {
	switch v := s.Value.(type) {
	case []string:
		return strings.Join(v, ", ")
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(s.Value)
}

// ToResume are the flags that a run is resumed with. What is found out after the command line was
// read takes the place of what is said there.
func (f *Filter) ToResume(found map[string]any) []Setting {
	return settings(f.flags, func(tag reflect.StructTag) bool { return tag.Get("run") == "same" }, found)
}

// ReadingSettings are the flags that say how records are read, and what beside them decides, in
// their order.
func (f *Filter) ReadingSettings(found map[string]any) []Setting {
	places := map[string]int{}
	list := settings(f.flags, func(tag reflect.StructTag) bool { return tag.Get("way") != "" }, found)
	eachFlag(reflect.ValueOf(f.flags), func(name string, tag reflect.StructTag, _ reflect.Value) {
		places[name], _ = strconv.Atoi(tag.Get("way"))
	})
	slices.SortFunc(list, func(a, b Setting) int { return places[a.Name] - places[b.Name] })
	return list
}

func settings(flags FilterFlags, isMeant func(reflect.StructTag) bool, found map[string]any) (list []Setting) {
	eachFlag(reflect.ValueOf(flags), func(name string, tag reflect.StructTag, v reflect.Value) {
		if !isMeant(tag) {
			return
		}
		value, isFound := found[name]
		if !isFound {
			value = valueOf(v)
		}
		list = append(list, Setting{name, value})
	})
	return list
}

// eachFlag calls do for each flag of a group of flags, in the order in which they are declared.
func eachFlag(group reflect.Value, do func(name string, tag reflect.StructTag, v reflect.Value)) {
	for i := range group.NumField() {
		field := group.Type().Field(i)
		switch {
		case field.Anonymous:
			eachFlag(group.Field(i), do)
		case field.IsExported() && field.Tag.Get("kong") != "-": // what is set by other flags is none
			do("--"+flagName(field), field.Tag, group.Field(i))
		}
	}
}

// flagName is what the flag of a field is called: NoHeader is no-header.
func flagName(field reflect.StructField) string {
	if name := field.Tag.Get("name"); name != "" {
		return name
	}
	var b strings.Builder
	for i, r := range field.Name {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func valueOf(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool()
	case reflect.Float64:
		return v.Float()
	case reflect.Int: // a count; sizes are int64
		return int(v.Int())
	case reflect.Slice:
		return v.Interface()
	case reflect.String:
		return v.String()
	}
	return v.Int()
}

// asResumed are the flags as their values identify a run. Of flags that did not count until now the
// default is left out: so an index of before is gone on with.
func (f FilterFlags) asResumed() FilterFlags {
	f.OnError = onError(f.OnError)
	if f.Verify == spec.VerifySignature {
		f.Verify = ""
	}
	defaults, _ := sketch.Preset("")
	if !f.IsExact() || f.Threshold == defaults.Threshold { // of Bloom filters the bands say it
		f.Threshold = 0
	}
	return f
}
