package run

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/sketchfile"
	"github.com/mithril-stream/mithril-stream/stream"
)

// UnreadableRecords is how many records at the beginning of a run are enough, if none can be read,
// to say that the format or the field is not what was meant.
const UnreadableRecords = 100

// UnreadableLimit is that number, or 0 if the user has said what happens to such records.
func UnreadableLimit(c *config.Filter) int {
	if c.Input.OnErrorGiven || c.Input.MaxUnreadable == 1 {
		return 0
	}
	return UnreadableRecords
}

// The share of records that cannot be read above which a run fails, unless the user has said it,
// and how many they must be: a few say nothing about a field.
const (
	unreadableShare = .5
	unreadableLeast = 20
)

// limitsOf say how many records that cannot be read are too many.
func limitsOf(c *config.Filter) stream.Limits {
	l := stream.Limits{Unreadable: UnreadableLimit(c), NeedsFields: true}
	switch {
	case l.Unreadable == 0:
	case c.Input.MaxUnreadable > 0:
		l.UnreadableShare = c.Input.MaxUnreadable
	default:
		l.UnreadableShare, l.UnreadableLeast = unreadableShare, unreadableLeast
	}
	return l
}

// allowsUnreadable is the flag by which a run goes on with such records.
func allowsUnreadable(c *config.Filter) string {
	if c.Input.HasOnError {
		return "--on-error keep"
	}
	return "--max-unreadable 1"
}

// ExplainUnreadable adds to such an error what was seen instead, and what to do.
func (s *Source) ExplainUnreadable(err error) error {
	var unreadable *stream.UnreadableError
	if !errors.As(err, &unreadable) {
		return s.explainFields(err)
	}
	if unreadable.Problem.IsNotUTF8() {
		return fmt.Errorf("%w (no record was written)", err)
	}
	auto := formats.FieldsIn(s.Settings, unreadable.Head, s.Stream.MaxRecord)
	advice := describeInput(unreadable.Head, s.Dialect, s.TextFields(), auto)
	if unreadable.Problem == record.Annotated {
		advice = "take its members mithril_… out first, as with jq -c 'del(.mithril_duplicate)', " +
			"or leave --annotate out"
	}
	if unreadable.Problem == record.NoTime {
		advice = "give --time the field that has it, as RFC 3339, a date or seconds since 1970"
	}
	if unreadable.Problem == record.NoTime && s.Stream.LineTimes != nil {
		advice = "leave --time line out where lines do not begin with times"
	}
	if s.Faults.tokens {
		advice = "give --tokens the field that has a list of integers, as in [464, 7850]"
	}
	if unreadable.Problem.IsCutOff() {
		advice = "get the input whole"
	}
	if damage := s.damageBehind(unreadable); damage != nil {
		advice = damage.Error() + ", so these may be no records: get the file again"
	}
	advice = cmp.Or(advice, "give --format or --field")
	return fmt.Errorf("%w: %s; or %s to pass such records on (no record was written)", err, advice,
		s.Faults.pass)
}

// explainFields adds to the error of a run that has come to its end what to do.
func (s *Source) explainFields(err error) error {
	var share *stream.ShareError
	var fields *stream.NoFieldError
	switch {
	case errors.As(err, &share):
		return fmt.Errorf("%w: that is more than the share of %g that --max-unreadable allows: give the field that "+
			"has the text, or %s", err, s.Stream.UnreadableShare, s.Faults.pass)
	case errors.As(err, &fields):
		line, _, _ := bytes.Cut(bytes.TrimPrefix(fields.Head, []byte("\xef\xbb\xbf")), []byte("\n"))
		advice := "name another one"
		if names := MemberNames(line); len(names) > 0 {
			advice = "the first record has the members " + strings.Join(names, ", ")
		}
		return fmt.Errorf("%w: %s; a field with a text that may be absent is written with ?, as in --field input?", err,
			advice)
	}
	return err
}

// Beginning says what a file is that begins like that, if it is none of records, and what to do.
func Beginning(head []byte) (advice string) {
	if sketchfile.Begins(head) {
		return "it is a sketch file: give it to dedup or groups, or give the file of its records here"
	}
	for _, b := range beginnings {
		if bytes.HasPrefix(head, []byte(b.bytes)) {
			return b.advice
		}
	}
	return ""
}

// beginnings tell files that are no text, and of no format, from their first bytes. Archives and
// streams that have to be decompressed are refused where they are opened.
var beginnings = []struct{ bytes, advice string }{
	{"\xff\xfe", "it is UTF-16: give --encoding utf-16"},
	{"\xfe\xff", "it is UTF-16: give --encoding utf-16"},
	{"%PDF-", "it is a PDF: take the text out of it first"},
}

// describeInput says what an input begins like, and what to do with that. auto is the field that
// has the text of its first records by --field auto, if any.
func describeInput(head []byte, format string, fields, auto []string) string {
	if advice := Beginning(head); advice != "" {
		return advice
	}
	if what, name := layout.Detect(head); name != "" {
		return "it is " + what + ": add --format " + name
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	line = bytes.TrimSpace(line)
	names := MemberNames(line)
	switch {
	case isUTF16(head):
		return "it is UTF-16: give --encoding utf-16le"
	case bytes.IndexByte(head, 0) >= 0:
		return "it has NUL bytes, so it is no text"
	case format == "tsv" && bytes.Contains(head, []byte("\t\"")):
		return "add --quoted, if its fields stand in quotes, or give --field"
	case len(text) == 0 || !layout.IsObjects(format):
		return ""
	case len(names) > 0 && isFollowed(line):
		return "something stands behind the object of the first line: write one object a line, as with jq -c ."
	case len(names) > 0 && arrayIn(text) != "" && (len(auto) == 0 || strings.HasPrefix(auto[0], arrayIn(text)+"[].")):
		return fmt.Sprintf("the records may be those of the array %q in it: add --records %[1]s", arrayIn(text))
	case len(names) > 0:
		return otherField(names, missing(fields, names), auto)
	case text[0] == '[' && format == "jsonl":
		return "it begins like an array: add --format json"
	case text[0] == '{' && len(rest) > 0 && MemberNames(text) != nil, len(line) == 1 && line[0] == '{':
		return "its objects stand on several lines: write one a line, as with jq -c ."
	case text[0] != '{' && bytes.ContainsAny(line, ",;\t|"):
		return "its first line is no JSON, but could be the header of a table: add --format csv or tsv"
	case text[0] != '{':
		return "its first line is no JSON: add --format text if each line is a text"
	}
	return ""
}

// arrayIn returns the name of the only member of an object that is a list of objects, or "" if the
// number of such members is not one.
func arrayIn(text []byte) (name string) {
	var object map[string]json.RawMessage
	if json.NewDecoder(bytes.NewReader(jsontext.WithoutNonFinite(text))).Decode(&object) != nil {
		return ""
	}
	for key, value := range object {
		var list []map[string]json.RawMessage
		if json.Unmarshal(value, &list) != nil || len(list) == 0 {
			continue
		}
		if name != "" {
			return ""
		}
		name = key
	}
	return name
}

// otherField says which members the first record has, and how the field with the text is named. Of
// those that were looked for some may be missing.
func otherField(names, missing, auto []string) string {
	advice := "the first record has the members " + strings.Join(names, ", ")
	if len(missing) > 0 {
		advice += ", not " + strings.Join(missing, " and ")
	}
	advice += ": give --field"
	if len(auto) > 0 {
		advice += ", or --field auto, which takes " + strings.Join(auto, ", ")
	}
	return advice
}

// isUTF16 reports whether head is little-endian UTF-16 without a byte order mark: a brace or a
// bracket and the two bytes after it are unmistakable.
func isUTF16(head []byte) bool {
	return len(head) > 3 && (head[0] == '{' || head[0] == '[') && head[1] == 0 && head[2] != 0 && head[3] == 0
}

// MemberNames are the names of the members of the object that text begins with, in their order; nil
// if it begins with none that is whole.
func MemberNames(text []byte) []string {
	d := json.NewDecoder(bytes.NewReader(jsontext.WithoutNonFinite(text)))
	var object map[string]json.RawMessage
	if d.Decode(&object) != nil {
		return nil
	}
	names := []string{}
	for name := range object {
		names = append(names, fmt.Sprintf("%q", name))
	}
	slices.Sort(names)
	const most = 20
	if len(names) > most {
		names = append(names[:most], "…")
	}
	return names
}

// isFollowed reports whether something stands behind the object that a line begins with.
func isFollowed(line []byte) bool {
	d := json.NewDecoder(bytes.NewReader(line))
	var object json.RawMessage
	return d.Decode(&object) == nil && len(bytes.TrimSpace(line[d.InputOffset():])) > 0
}

// missing are the fields, in quotes, that are not among the members of a record.
func missing(fields, members []string) []string {
	return slices.DeleteFunc(Quoted(fields), func(field string) bool { return slices.Contains(members, field) })
}

func Quoted(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = fmt.Sprintf("%q", name)
	}
	return list
}

// damageLook is how far damage is looked for in a file whose first records cannot be read, after
// decompression.
const damageLook = 64 << 20

// damageBehind looks for damage in a compressed file that explains why its first records cannot be
// read: gzip, zstd and xz detect wrong data only at its end, and the run has stopped before. It
// returns nil if the file is intact or cannot be read again.
func (s *Source) damageBehind(unreadable *stream.UnreadableError) *compress.DamageError {
	for _, path := range s.Paths {
		if object.Name(path) != unreadable.First.Input {
			continue
		}
		if !object.IsRemote(path) && !areRegular(path) {
			return nil
		}
		in, err := s.Std.Open(path)
		if err == nil {
			_, err = io.CopyN(io.Discard, in, damageLook)
			in.Close()
		}
		if damage := (*compress.DamageError)(nil); errors.As(err, &damage) {
			return damage
		}
		return nil
	}
	return nil
}
