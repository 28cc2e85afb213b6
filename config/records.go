package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/columns"
)

// RecordFormat says how records stand in the inputs.
type RecordFormat struct {
	Name      string   // jsonl, json, csv, tsv, text, file, warc, parquet, arrow; empty if the inputs are to tell
	Fields    []string // empty if the user has named none
	NoHeader  bool
	Delimiter byte             // of csv; 0 if the header is to tell
	Quoted    bool             // tsv has quotes as csv has them
	Separator string           // of text; of the names of files
	Schema    []columns.Column // of tables; nil if it is to be found out
	To        string           // one of Targets; empty if they are written as they are, or as the output's name says
}

var formatNames = []string{"jsonl", "json", "csv", "tsv", "text", "file", "warc", "parquet", "arrow"}

// Targets are the formats that records of any other one can be written in. TSV is none of them: it
// has no quotes, and so no place for a tab or a line end within a text.
var Targets = []string{"jsonl", "json", "csv", "parquet", "arrow"}

// recordFormat is what the flags say, of records that are written in the format to, or as they are
// if it is empty.
func (f FormatFlags) recordFormat(to string) (RecordFormat, error) {
	r := RecordFormat{
		Name: f.Format, Fields: f.Field, NoHeader: f.NoHeader, Quoted: f.Quoted, Separator: "\n",
		To: to,
	}
	var err error
	if r.Delimiter, err = parseDelimiter(f.Delimiter); err != nil {
		return r, err
	}
	separated := f.Null || f.RecordSeparator != ""
	if separated && r.Name == "" {
		r.Name = "text"
	}
	if r.Name == "wet" {
		r.Name = "warc"
	}
	switch {
	case r.Name != "" && !slices.Contains(formatNames, r.Name):
		return r, fmt.Errorf("--format %s is not known: use one of %s", r.Name, strings.Join(formatNames, ", "))
	case to != "" && !slices.Contains(Targets, to):
		return r, fmt.Errorf("--to %s is not known: use one of %s", to, strings.Join(Targets, ", "))
	case f.RecordSeparator != "" && r.Name != "text" || f.Null && r.Name != "text" && r.Name != "file":
		return r, fmt.Errorf("--record-separator and -0 are about text, not %s", r.Name)
	case f.Null && f.RecordSeparator != "":
		return r, errors.New("--record-separator and -0 both say what ends a record: give one")
	case f.Null:
		r.Separator = "\x00"
	case f.RecordSeparator != "":
		if r.Separator, err = strconv.Unquote(`"` + strings.ReplaceAll(f.RecordSeparator, `"`, `\"`) + `"`); err != nil {
			return r, fmt.Errorf("--record-separator %s: write a backslash as \\\\, and others as in \\n, \\t, \\x1e",
				f.RecordSeparator)
		}
	}
	return r, nil
}

// parseSchema takes the columns of --schema.
func (r *RecordFormat) parseSchema(schema string) (err error) {
	if schema == "" {
		return nil
	}
	if r.Schema, err = columns.ParseSchema(schema); err != nil {
		return fmt.Errorf("--schema: %w", err)
	}
	return nil
}

// parseDelimiter reads one character that can stand between the fields of a row.
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
