package formats

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/textfield"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// autoField is the value of --field that makes the program look for the field.
const autoField = "auto"

// chosenFields holds the fields of a run.
type chosenFields struct {
	fields []string
	found  textfield.Choice // what this run has found, if it has looked
	first  *files.Stdin     // standard input, if its beginning was read
}

// findField finds the field with the text if the user has left that to the program. It looks only
// at the beginnings of inputs, so that the same inputs have the same field. If no input has
// records, the name of the field makes no difference.
func findField(ctx context.Context, w Request, std files.Streams) (chosenFields, error) {
	chosen := chosenFields{fields: w.Fields}
	if !slices.Equal(w.Fields, []string{autoField}) {
		return chosen, nil
	}
	if of(w.Name).Compares != "" {
		return chosen, usage.Error(fmt.Errorf("--field %s looks for a field of JSON records or a column of rows, and "+
			"%s has neither: leave it out, or name the field", autoField, w.Name))
	}
	f := &finder{Request: w, std: std}
	samples, path, err := f.samples(ctx)
	if err != nil {
		return chosen, fmt.Errorf("--field %s: read the beginning of %s: %w", autoField, files.InputName(path), err)
	}
	if chosen.first = f.std.First; len(samples) == 0 {
		chosen.fields = nil
		return chosen, nil
	}
	found, all := textfield.Find(samples, of(w.Name).Has(layout.Columns) && !layout.IsColumnar(w.Name))
	if err := f.doubt(samples, found, all); err != nil {
		return chosen, usage.Error(fmt.Errorf("--field %s: %w", autoField, err))
	}
	found.Paths = f.named(found.Paths)
	chosen.fields, chosen.found = found.Paths, found
	return chosen, nil
}

// named returns paths as the format of the inputs names them.
func (f *finder) named(paths []string) []string {
	if !of(f.Name).Has(layout.Columns) {
		return paths
	}
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = columnOf(path)
	}
	return names
}

// doubt returns an error that says why the members to compare cannot be chosen, and which flags
// choose them; or nil.
func (f *finder) doubt(samples []textfield.Sample, found textfield.Choice, all []textfield.Field) error {
	inputs := namesOf(samples)
	switch {
	case found.Shared != nil:
		return f.shared(*found.Shared, found.Paths)
	case len(found.Unclear) > mostNamed:
		return fmt.Errorf("in %s, %s may be text or identifiers, and what is left out does not keep two records "+
			"apart: name the fields to compare, or give --field {} for the whole record", inputs,
			someOf(f.named(found.Unclear)))
	case len(found.Unclear) > 0:
		unclear := f.named(found.Unclear)
		with, without := flagsOf(slices.Concat(f.named(found.Paths), unclear)), flagsOf(f.named(found.Paths))
		return fmt.Errorf("in %s, %s may be text or an identifier, and what is left out does not keep two records "+
			"apart: to compare it too, give %s; to leave it out, %s", inputs, someOf(unclear), with, without)
	case len(found.Paths) == 0:
		return fmt.Errorf("no field of the first records of %s looks like a text; %s", inputs, fieldsOf(all))
	}
	return nil
}

// shared returns an error that says what many records share, and how to compare the rest.
func (f *finder) shared(what textfield.Shared, rest []string) error {
	of, within := someOf(f.named(what.Paths)), f.named([]string{what.Within})
	says := fmt.Sprintf("in %s, most of the text is in %s, and many records that differ elsewhere share it, so that "+
		"they would be near-duplicates", what.Input, of)
	if len(rest) == 0 {
		return fmt.Errorf("%s: name what to compare with --field, and add --within %s to compare only records that "+
			"share it", says, quoted(within[0]))
	}
	return fmt.Errorf("%s: to compare the rest of records that share it, give %s --within %s", says,
		flagsOf(f.named(rest)), quoted(within[0]))
}

// mostNamed is how many fields a message names.
const mostNamed = 10

// someOf lists some names for a message.
func someOf(names []string) string {
	if more := len(names) - mostNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNamed], ", "), more)
	}
	return strings.Join(names, ", ")
}

// namesOf names the inputs of samples for a message.
func namesOf(samples []textfield.Sample) string {
	names := make([]string, len(samples))
	for i, s := range samples {
		names[i] = s.Input
	}
	return someOf(names)
}

// flagsOf returns the flags that name some fields.
func flagsOf(paths []string) string {
	var flags []string
	for _, path := range paths {
		flags = append(flags, "--field "+quoted(path))
	}
	return strings.Join(flags, " ")
}

// quoted quotes a path for a shell, if necessary.
func quoted(path string) string {
	if strings.ContainsAny(path, " []{}?*|!'\"\\") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

// FieldsIn returns the fields that --field auto would choose for records with these settings,
// judging by the beginning of an input. It returns none if the choice is not clear, if the records
// have no text or no fields, or if they are rows of a column file.
func FieldsIn(s layout.Settings, head []byte, maxRecord int) []string {
	if of(s.Name).Compares != "" || layout.IsColumnar(s.Name) {
		return nil
	}
	f := &finder{Request: Request{Settings: s, MaxRecord: maxRecord}}
	records := f.recordsOf(context.Background(), head, len(head) < files.HeadBytes)
	found, _ := textfield.Find([]textfield.Sample{{Records: records}}, of(s.Name).Has(layout.Columns))
	if len(found.Unclear) > 0 || found.Shared != nil {
		return nil
	}
	return found.Paths
}

// fieldsOf lists, for an error message, which fields there are.
func fieldsOf(all []textfield.Field) string {
	if len(all) == 0 {
		return "none of them is a string"
	}
	var names []string
	for _, f := range all[:min(len(all), 10)] {
		names = append(names, f.Path)
	}
	return "name one of " + strings.Join(names, ", ")
}

// columnOf returns the name of a column without the escapes of a path.
func columnOf(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] == '\\' && i+1 < len(path) {
			i++
		}
		b.WriteByte(path[i])
	}
	return b.String()
}
