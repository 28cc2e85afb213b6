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

// Tags say which flags identify a run, together with its index (I5) and the names of its streams:
//
//	run:"same"  a run is resumed only with the same value
//	way:"N"     records are read differently with another value: an input then counts as new
//
// N is the position of the value among the reading settings that an index stores, so it must never
// change.

// A Setting is a flag and its value in a run.
type Setting struct {
	Name  string // as in --max-record
	Value any    // a string, a []string, a bool, an int, an int64 for a size, or a float64
}

// IsSet reports whether the value is not false, empty or 0.
func (s Setting) IsSet() bool {
	list, isList := s.Value.([]string)
	return isList && len(list) > 0 || !isList && !reflect.ValueOf(s.Value).IsZero()
}

// String returns the value as text.
func (s Setting) String() string {
	switch v := s.Value.(type) {
	case []string:
		return strings.Join(v, ", ")
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(s.Value)
}

// ToResume returns the flags that must be the same when a run is resumed. Values in found, which
// were determined after the command line was parsed, replace those of the flags.
func (f *Filter) ToResume(found map[string]any) []Setting {
	return settings(f.flags, func(tag reflect.StructTag) bool { return tag.Get("run") == "same" }, found)
}

// ReadingSettings returns the flags that determine how records are read, in a fixed order. Values
// in found replace those of the flags.
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

// eachFlag calls do for each flag in a group, in the order of declaration.
func eachFlag(group reflect.Value, do func(name string, tag reflect.StructTag, v reflect.Value)) {
	for i := range group.NumField() {
		field := group.Type().Field(i)
		switch {
		case field.Anonymous:
			eachFlag(group.Field(i), do)
		case field.IsExported() && field.Tag.Get("kong") != "-": // not set by other flags
			do("--"+flagName(field), field.Tag, group.Field(i))
		}
	}
}

// flagName returns the name of the flag for a field: NoHeader becomes no-header.
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

// asResumed returns the flags with the values that identify a run. Where a flag has only recently
// become significant, its default is left out, so that runs can continue with an older index.
func (f FilterFlags) asResumed() FilterFlags {
	f.OnError = onError(f.OnError)
	if f.Verify == spec.VerifySignature {
		f.Verify = ""
	}
	defaults, _ := sketch.Preset("")
	if !f.IsExact() || f.Threshold == defaults.Threshold { // Bloom filters: implied by the bands
		f.Threshold = 0
	}
	return f
}
