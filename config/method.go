package config

import (
	"errors"
	"fmt"
	"slices"
)

// MethodExact is the value of MethodFlags.Method that --exact and --key stand for.
const MethodExact = "exact"

// MethodFlags say by what other rule than similarity a record is a duplicate.
type MethodFlags struct {
	Exact bool     `help:"A record is a duplicate only if it is the same, byte for byte, as an earlier one: the whole line, which need not be JSON then, or with --field the texts of these fields."`
	Key   []string `placeholder:"FIELD" sep:"none" help:"A record is a duplicate if this field, such as url, holds the same as that of an earlier record: a text, a number or a boolean. Repeat it to compare several together."`

	Method string `kong:"-"` // empty for similarity
}

// resolve checks what was given beside a method, before presets and defaults fill the other flags
// in.
func (f *FilterFlags) resolveMethod() error {
	if f.Exact || len(f.Key) > 0 {
		f.Method = MethodExact
	}
	if f.Method == "" {
		return nil
	}
	name := "--exact"
	if len(f.Key) > 0 {
		name = "--key"
	}
	switch {
	case len(f.Key) > 0 && len(f.Field) > 0:
		return errors.New("--key says what is compared, and so does --field: give one of them")
	case len(f.Key) > 0 && f.Markup != "none":
		return errors.New("--key compares fields as they are: leave --markup out")
	case len(f.Key) > 0 && slices.Contains([]string{"text", "file", "warc", "wet"}, f.Format):
		return fmt.Errorf("--key names a field, and records of %s have none", f.Format)
	case f.Memory != "bloom":
		return fmt.Errorf("%s and --memory %s do not go together: equal records need no signatures", name, f.Memory)
	}
	if flag := f.similarityFlag(); flag != "" {
		return fmt.Errorf("%s is about similar texts, and %s about equal ones: leave one of them out", flag, name)
	}
	f.Field = append(f.Field, f.Key...)
	return nil
}

// similarityFlag is a flag that was given and only says what texts are similar; empty if there is
// none.
func (f *FilterFlags) similarityFlag() string {
	t := f.TuneFlags
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"--preset", f.Preset != ""}, {"--normalize", f.Normalize != ""}, {"--tokenize", f.Tokenize != ""},
		{"--shingle-size", f.ShingleSize != 0}, {"--threshold", t.Threshold != 0}, {"--tune", t.Tune != ""},
		{"--recall", t.Recall != 0}, {"--profile", t.Profile != ""}, {"--num-perm", t.NumPerm != 0},
		{"--bands", t.Bands != 0}, {"--rows", t.Rows != 0}, {"--votes", t.Votes != 0},
		{"--sketch", f.Sketch != ""}, {"--band-key", f.BandKey != "xxh3"}, {"--seed", f.GivenSeed != nil},
	} {
		if flag.given {
			return flag.name
		}
	}
	return ""
}
