package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mithril-stream/mithril-stream/internal/charset"
	"github.com/mithril-stream/mithril-stream/internal/columns"
	"github.com/mithril-stream/mithril-stream/internal/layout"
)

// recordFormat returns the settings for reading records, and for writing them in the format to. If
// to is empty they are written as they were read.
func (f FormatFlags) recordFormat(to string) (layout.Settings, error) {
	r := layout.Settings{
		Name: f.Format, AllFiles: f.AllFiles, Fields: f.Field, To: to, Strict: f.Union == "strict",
		Separated:  layout.Separated{NoHeader: f.NoHeader, Quoted: f.Quoted},
		Lines:      layout.Lines{Separator: "\n"},
		Characters: layout.Characters{Encoding: f.Encoding, Replace: f.InvalidUTF8 == "replace"},
	}
	_, err := charset.NewDecoding(r.Encoding, r.Replace)
	if err != nil {
		return r, fmt.Errorf("--encoding: %w", err)
	}
	if r.Delimiter, err = parseDelimiter(f.Delimiter); err != nil {
		return r, err
	}
	if r.Escape, err = parseEscape(f.Escape); err != nil {
		return r, err
	}
	if r.RecordsAt, err = parseRecordsPath(f.Records); err != nil {
		return r, err
	}
	if f.Records != "" && r.Name == "" {
		r.Name = "json"
	}
	r.Multiline = f.Multiline
	if err := r.CheckMultiline(); err != nil {
		return r, err
	}
	separated := f.Null || f.RecordSeparator != "" || f.Multiline != ""
	if separated && r.Name == "" {
		r.Name = "text"
	}
	r.Name = layout.Name(r.Name)
	switch {
	case r.Name != "" && !slices.Contains(layout.Names(), r.Name):
		return r, fmt.Errorf("--format %s is not known: use one of %s", r.Name, strings.Join(layout.Names(), ", "))
	case to != "" && !slices.Contains(layout.Targets(), to):
		return r, fmt.Errorf("--to %s is not known: use one of %s", to, strings.Join(layout.Targets(), ", "))
	case f.RecordSeparator != "" && !layout.HasFlag(r.Name, layout.SeparatorFlag),
		f.Null && !layout.HasFlag(r.Name, layout.NullFlag):
		return r, fmt.Errorf("--record-separator and -0 are about text, not %s", r.Name)
	case f.Multiline != "" && !layout.HasFlag(r.Name, layout.MultilineFlag):
		return r, fmt.Errorf("--multiline is about text, not %s", r.Name)
	case f.Multiline != "" && (f.Null || f.RecordSeparator != ""):
		return r, errors.New("--multiline says where a record ends, and so do --record-separator and -0: give one")
	case f.Null && f.RecordSeparator != "":
		return r, errors.New("--record-separator and -0 both say what ends a record: give one")
	case f.Null:
		r.Separator = "\x00"
	case f.RecordSeparator != "":
		if r.Separator, err = unescaped(f.RecordSeparator); err != nil {
			return r, fmt.Errorf("--record-separator %s: write a backslash as \\\\, and others as in \\n, \\t, \\x1e",
				f.RecordSeparator)
		}
	}
	return r, nil
}

// unescaped replaces Go escape sequences in a text. All other bytes stay as they are, whatever the
// encoding.
func unescaped(s string) (string, error) {
	var b strings.Builder
	for len(s) > 0 {
		if s[0] >= utf8.RuneSelf {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		char, isRune, rest, err := strconv.UnquoteChar(s, 0)
		switch {
		case err != nil:
			return "", err
		case isRune:
			b.WriteRune(char)
		default:
			b.WriteByte(byte(char))
		}
		s = rest
	}
	return b.String(), nil
}

// parseEscape parses the character that escapes a quote. It returns 0 for an empty string.
func parseEscape(escape string) (byte, error) {
	switch {
	case escape == "":
		return 0, nil
	case len(escape) != 1 || escape[0] < '!' || escape[0] > '~' || escape == `"`:
		return 0, fmt.Errorf("--escape %s: give one ASCII character that is no quote and no letter, such as \\", escape)
	}
	return escape[0], nil
}

// parseRecordsPath parses the path to an array of records.
func parseRecordsPath(path string) ([]string, error) {
	if path == "" {
		return nil, nil
	}
	fields, err := layout.ParseFields([]string{path})
	switch {
	case err != nil:
		return nil, fmt.Errorf("--records: %w", err)
	case !fields[0].IsPlain() || slices.Contains(fields[0].Steps(), "*"):
		return nil, fmt.Errorf("--records %s: give the names of members that lead to one array, as in response.items",
			path)
	}
	return fields[0].Steps(), nil
}

// reading returns a Filter that reads inputs, for commands to build on. Records are written in the
// format to or, if to is empty, as they were read.
func (f FormatFlags) reading(inputs []string, to string, quiet bool) (Filter, error) {
	records, err := f.recordFormat(to)
	return Filter{
		Input: Input{
			Paths: inputs, Records: records, MaxRecord: int(f.MaxRecord), MaxWindow: int64(f.MaxWindow),
			Remote: f.RemoteFlags, Threads: f.Threads,
			Unreadable: Unreadable{OnError: "keep", Empty: "keep", MaxUnreadable: f.MaxUnreadable},
		},
		Output: Output{OutputFlags: OutputFlags{Quiet: quiet}},
	}, err
}

// parseSchema parses the columns given with --schema.
func parseSchema(schema string) ([]columns.Column, error) {
	if schema == "" {
		return nil, nil
	}
	list, err := columns.ParseSchema(schema)
	if err != nil {
		return nil, fmt.Errorf("--schema: %w", err)
	}
	return list, nil
}

// parseDelimiter parses a single character that can separate the fields of a row.
func parseDelimiter(s string) (byte, error) {
	switch {
	case s == "":
		return 0, nil
	case s == `\t`:
		return '\t', nil
	case len(s) == 1 && s[0] < 0x80 && s[0] != 0 && strings.IndexByte("\"\r\n", s[0]) < 0:
		return s[0], nil
	}
	return 0, fmt.Errorf("--delimiter %q must be one ASCII character, such as ';', or \\t, and no quote or line end", s)
}
