package formats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/textfield"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// autoField is the value of --field that makes the program look for the field.
const autoField = "auto"

// sampledBytes is how much of an input is read to find the field, after decompression. Of a pipe,
// only the first files.HeadBytes are read, before decompression.
const sampledBytes = 1 << 20

// chosenFields holds the fields of a run.
type chosenFields struct {
	fields []string
	found  textfield.Choice // what this run has found, if it has looked
	first  *files.Stdin     // standard input, if its beginning was read
}

// A finder looks for the field with the text.
type finder struct {
	Request
	std files.Streams
}

// findField finds the field with the text if the user has left that to the program. It looks only
// at the beginning of the first input with records, so that the same inputs have the same field. If
// no input has records, the name of the field makes no difference.
func findField(ctx context.Context, w Request, std files.Streams) (chosenFields, error) {
	chosen := chosenFields{fields: w.Fields}
	if !slices.Equal(w.Fields, []string{autoField}) {
		return chosen, nil
	}
	if of(w.Name).Compares != "" {
		return chosen, usage.Error(fmt.Errorf("--field %s looks for a field of JSON records or a column of rows, and "+
			"%s has neither: leave it out, or name the field", autoField, w.Name))
	}
	f := &finder{w, std}
	path, records, err := f.firstWithRecords(ctx)
	if err != nil {
		return chosen, fmt.Errorf("--field %s: read the beginning of %s: %w", autoField, files.InputName(path), err)
	}
	if chosen.first = f.std.First; len(records) == 0 {
		chosen.fields = nil
		return chosen, nil
	}
	found, all := textfield.Find(records, of(w.Name).Has(layout.Columns) && !layout.IsColumnar(w.Name))
	switch {
	case len(found.Unclear) > 0 || found.Shared != "":
		return chosen, usage.Error(f.unclear(path, found))
	case len(found.Paths) == 0:
		return chosen, usage.Error(fmt.Errorf("--field %s: no field of the first records of %s looks like a text; %s",
			autoField, files.InputName(path), fieldsOf(all)))
	}
	found.Paths = f.named(found.Paths)
	chosen.fields, chosen.found = found.Paths, found
	return chosen, nil
}

// named returns paths as the format of the inputs names them.
func (f *finder) named(paths []string) []string {
	if of(f.Name).Has(layout.Columns) {
		for i, path := range paths {
			paths[i] = columnOf(path)
		}
	}
	return paths
}

// unclear returns an error that says why the members to compare cannot be chosen, and which flags
// choose them.
func (f *finder) unclear(path string, found textfield.Choice) error {
	if found.Shared != "" {
		return fmt.Errorf("--field %s: in %s, %s is most of the text, and records that differ elsewhere share it, so "+
			"that they would be near-duplicates: to compare the rest of records with the same %[3]s, "+
			"give %s --within %[3]s",
			autoField, files.InputName(path), found.Shared, flagsOf(f.named(found.Paths)))
	}
	unclear := f.named(found.Unclear)
	with, without := flagsOf(append(slices.Clip(f.named(found.Paths)), unclear...)), flagsOf(found.Paths)
	return fmt.Errorf("--field %s: in %s, %s may be text or an identifier, and what is left out does not keep two "+
		"records apart: to compare it too, give %s; to leave it out, %s", autoField, files.InputName(path),
		strings.Join(unclear, ", "), with, without)
}

// flagsOf returns the flags that name some fields.
func flagsOf(paths []string) string {
	var flags []string
	for _, path := range paths {
		if strings.ContainsAny(path, " []{}?*|!'\"\\") {
			path = "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
		}
		flags = append(flags, "--field "+path)
	}
	return strings.Join(flags, " ")
}

// FieldsIn returns the fields that --field auto would choose for records with these settings,
// judging by the beginning of an input. It returns none if the choice is not clear, if the records
// have no text or no fields, or if they are rows of a column file.
func FieldsIn(s layout.Settings, head []byte, maxRecord int) []string {
	if of(s.Name).Compares != "" || layout.IsColumnar(s.Name) {
		return nil
	}
	f := &finder{Request: Request{Settings: s, MaxRecord: maxRecord}}
	found, _ := textfield.Find(f.recordsOf(context.Background(), head), of(s.Name).Has(layout.Columns))
	if len(found.Unclear) > 0 || found.Shared != "" {
		return nil
	}
	return found.Paths
}

// firstWithRecords returns the first input that has records, and the records at its beginning. If
// no input has records, it returns the last one.
func (f *finder) firstWithRecords(ctx context.Context) (path string, records [][]byte, err error) {
	for _, path = range f.Paths {
		if records, err = f.firstRecords(ctx, path); err != nil || len(records) > 0 {
			break
		}
	}
	return path, records, err
}

// firstRecords returns the records at the beginning of an input as JSON objects. They are read
// again later.
func (f *finder) firstRecords(ctx context.Context, path string) ([][]byte, error) {
	if layout.IsColumnar(f.Name) {
		return f.firstRows(ctx, path)
	}
	sample, err := f.beginningOf(ctx, path)
	if err != nil {
		return nil, err
	}
	return f.recordsOf(ctx, sample), nil
}

// firstRows returns some of the rows of a file as JSON objects.
func (f *finder) firstRows(ctx context.Context, path string) ([][]byte, error) {
	if info, err := os.Stat(path); !object.IsRemote(path) && err == nil && !info.Mode().IsRegular() || path == "-" {
		return nil, errReadOnce
	}
	table := of(f.Name).rows(columnar.RowNeeds{MaxRecord: f.MaxRecord, AsJSON: true, Unwritten: true})
	rows, err := table.Open(files.InputName(path), path, f.std)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var first stream.Records
	if err := rows.ReadRecords(ctx, &first); err != nil && err != io.EOF {
		return nil, err
	}
	var records [][]byte
	for _, r := range first.List {
		records = append(records, first.Buf[r.Raw.Start:r.Raw.End])
	}
	return records, nil
}

var errReadOnce = errors.New("it can be read only once: name the field")

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

// beginningOf reads the beginning of an input without consuming it.
func (f *finder) beginningOf(ctx context.Context, path string) ([]byte, error) {
	in, err := f.openBeginning(ctx, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	sample := make([]byte, sampledBytes)
	n, err := io.ReadFull(in, sample)
	if n > 0 || err == io.EOF { // a later error is reported when the input is read
		err = nil
	}
	return sample[:n], err
}

func (f *finder) openBeginning(ctx context.Context, path string) (io.ReadCloser, error) {
	if path != "-" {
		info, err := os.Stat(path)
		if !object.IsRemote(path) && err == nil && !info.Mode().IsRegular() {
			return nil, errReadOnce
		}
		return f.std.Open(path)
	}
	info, err := f.std.In.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.Mode().IsRegular():
		return f.std.OpenAgain(path)
	case !files.IsPipe(f.std.In):
		return nil, errReadOnce
	}
	if f.std.First == nil {
		f.std.First = files.NewStdin(f.std.In)
	}
	if err := f.std.First.Fill(ctx); err != nil {
		return nil, err
	}
	return compress.NewReader(io.NopCloser(bytes.NewReader(f.std.First.Buffered())), "", f.std.MaxWindow)
}

// recordsOf returns the records at the beginning of an input as JSON objects.
func (f *finder) recordsOf(ctx context.Context, sample []byte) (records [][]byte) {
	s := f.Settings
	s.Fields = []string{"text"}
	if of(s.Name).Has(layout.Columns) {
		s.Fields = []string{"1"} // any column will do
	}
	format, err := Cut(s, f.MaxRecord)
	if err != nil {
		return nil
	}
	isArray := layout.Of(s.Name).Has(layout.Array)
	if end := bytes.LastIndexByte(sample, '\n'); end > 0 && len(sample) >= files.HeadBytes && !isArray {
		sample = sample[:end+1] // the last line may be cut off
	}
	var objects bytes.Buffer
	run, err := stream.New(stream.Options{
		Source: stream.Source{
			Inputs: []stream.Input{{Open: func() (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewReader(sample)), nil
			}}},
			Format: format, MaxRecord: f.MaxRecord,
		},
		Method:  stream.Method{Judge: stream.KeepAll()},
		Outputs: stream.Outputs{Output: &objects, Form: stream.Form{Convert: true}}, Threads: 1,
	})
	if err != nil {
		return nil
	}
	run.Do(ctx) // it ends after the last complete record
	return bytes.FieldsFunc(objects.Bytes(), func(r rune) bool { return r == '\n' })
}
