package layout

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/columns"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/record"
)

// Settings say how records lie in the inputs and outputs of a run.
type Settings struct {
	Name     string   // one of Names; empty if the inputs are to tell
	AllFiles bool     // files in a directory count although their names are not those of records
	Fields   []string // where the text is; empty if the user has named none
	Separated
	Lines
	Characters
	RecordsAt []string         // the members that lead to the array of json; none if that is all
	Strict    bool             // all inputs have the columns of the first
	Schema    []columns.Column // of tables; nil if it is to be found out
	To        string           // one of Targets; empty if they are written as they are, or as the output's name says
}

// Separated says how the fields of a row of csv and tsv are told apart.
type Separated struct {
	NoHeader  bool
	Delimiter byte // of csv; 0 if the header is to tell
	Quoted    bool // tsv has quotes as csv has them
	Escape    byte // of csv, and of quoted tsv; 0 means none
}

// Lines say where a record of text ends.
type Lines struct {
	Separator string // also of the names of files
	Multiline string // which lines begin a record, if not all do; see record.ParseBeginning
	AreJSON   bool   // they are JSON Lines, which are compared as they are
}

// Characters say what the bytes of inputs are.
type Characters struct {
	Encoding string // empty for UTF-8
	Replace  bool   // what is in no character becomes U+FFFD
}

// Reads reports whether a file that was found in a directory is one of records, by its name. It is
// if the name says a format: the one that was asked for, if one was. Then a name without an ending,
// or with a number for one, says nothing against it; and texts may be called anything.
func (s Settings) Reads(path string) bool {
	named := ByPath(path)
	switch {
	case s.AllFiles || Of(s.Name).Has(AnyName):
		return true
	case s.Name == "":
		return named != ""
	case named == "":
		ending := strings.TrimPrefix(filepath.Ext(compress.TrimSuffix(path)), ".")
		return strings.Trim(ending, "0123456789") == ""
	}
	return named == s.Name || slices.Contains(Of(s.Name).NamedAs, named) || named == "tsv" && s.Name == "csv"
}

// HasSeveralTexts reports whether the fields may have several values.
func (s Settings) HasSeveralTexts() bool {
	if len(s.Fields) == 1 && Of(s.Name).Has(Columns) && !IsColumnar(s.Name) {
		_, isWholeRow := record.IsWholeRecord(s.Fields[0])
		return isWholeRow
	}
	fields, err := ParseFields(s.TextFields())
	return err == nil && !record.IsAlone(fields)
}

// TextFields are the names of the fields that have the text, also where the user has named none.
func (s Settings) TextFields() []string {
	if len(s.Fields) == 0 {
		return []string{"text"}
	}
	return s.Fields
}

// Terminator is what ends a record, where records do not depend on which input they are in; else it
// is empty.
func (s Settings) Terminator() string {
	if HasFlag(s.Name, SeparatorFlag) {
		return s.Separator
	}
	return Of(s.Name).Terminator
}

// Written is the format of kept records.
func (s Settings) Written() string {
	if s.To != "" {
		return s.To
	}
	return s.Name
}

// KeepsTypes reports whether rows of one format leave as rows of another one, with their types.
func (s Settings) KeepsTypes() bool { return slices.Contains(Of(s.Name).Keeps, s.To) }

// StaysRows reports whether rows of columns leave as such, and not as JSON.
func (s Settings) StaysRows() bool { return s.To == "" || s.KeepsTypes() }

// KeepsRows reports whether records come and leave as rows of columns with types.
func (s Settings) KeepsRows() bool { return IsColumnar(s.Name) && s.StaysRows() }

// BecomesTable reports whether records become rows of a new table.
func (s Settings) BecomesTable() bool { return Of(s.To).Has(Table) && !s.KeepsTypes() }

// Dialect is the name of a format with what else tells its records apart: a run is only resumed or
// repeated with the same.
func (s Settings) Dialect() string {
	name := s.delimited()
	if s.Escape != 0 {
		name += fmt.Sprintf(" escaped by %q", s.Escape)
	}
	if len(s.RecordsAt) > 0 {
		name += fmt.Sprintf(" at %q", s.RecordsAt)
	}
	return name
}

func (s Settings) delimited() string {
	switch {
	case s.Delimiter != 0:
		return fmt.Sprintf("%s with %q", s.Name, s.Delimiter)
	case s.Quoted:
		return "quoted " + s.Name
	}
	return s.Name
}

// CheckMultiline reports what is wrong with the lines that begin a record, if that is said.
func (s Settings) CheckMultiline() error {
	if s.Multiline == "" {
		return nil
	}
	if _, err := record.ParseBeginning(s.Multiline); err != nil {
		return fmt.Errorf("%s %s: %w", MultilineFlag, s.Multiline, err)
	}
	return nil
}

// ParseFields parses the paths of fields.
func ParseFields(paths []string) ([]record.Field, error) {
	fields := make([]record.Field, len(paths))
	for i, path := range paths {
		var err error
		if fields[i], err = record.ParseField(path); err != nil {
			return nil, err
		}
	}
	return fields, nil
}
