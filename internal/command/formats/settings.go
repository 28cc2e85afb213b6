package formats

import (
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/columns"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Settings say how records stand in inputs and outputs.
type Settings struct {
	Name      string   // one of Names; empty if the inputs are to tell
	AllFiles  bool     // those in a directory too whose names are not those of records
	Fields    []string // empty if the user has named none
	NoHeader  bool
	Delimiter byte             // of csv; 0 if the header is to tell
	Quoted    bool             // tsv has quotes as csv has them
	Escape    byte             // of csv, and of quoted tsv; 0 if there is none
	RecordsAt []string         // the members that lead to the array of json; none if that is all
	Separator string           // of text; of the names of files
	Multiline string           // which lines of text begin a record, if not all do; see stream.ParseBeginning
	Encoding  string           // of the bytes of inputs; empty for UTF-8
	Replace   bool             // what is in no character becomes U+FFFD
	Strict    bool             // all inputs have the columns of the first
	Schema    []columns.Column // of tables; nil if it is to be found out
	To        string           // one of Targets; empty if they are written as they are, or as the output's name says
}

// Wanted is what a run wants to be read and written, as the user has said it.
type Wanted struct {
	Settings
	Paths     []string // of inputs
	MaxRecord int      // bytes

	// The names of outputs; empty where there is none.
	Output, Duplicates, Rejects string
	Pattern                     string // what files are called that Output is divided into
	Sketches                    string // is written in place of records
	Compress                    compress.Method
	Form                        Form

	Annotate  bool // members are added to records
	Resumable bool // outputs are to be gone on with
	Exact     bool // what is the same is a duplicate, not what is similar
	Vector    bool // the field has vectors
	Tokens    bool // the field has tokens
	Dims      int  // of the vectors; 0 if the first record that has one is to tell
	Textless  bool // no text is read
	Unwritten bool // records are read, and not written
	PerInput  bool // kept records of each input go to a file of their own
}

// A Form says how files of row groups are written.
type Form struct {
	GroupRows  uint64
	GroupBytes int64
}

// HasSeveralTexts reports whether the fields may have several values.
func (s Settings) HasSeveralTexts() bool {
	fields, err := ParseFields(s.TextFields())
	return err == nil && !stream.IsAlone(fields)
}

// TextFields are the names of the fields that have the text, also where the user has named none.
func (s Settings) TextFields() []string {
	if len(s.Fields) == 0 {
		return []string{"text"}
	}
	return s.Fields
}

// Terminator is what ends a record, where records do not depend on which input they stand in; else
// it is empty.
func (s Settings) Terminator() string {
	if Takes(s.Name, SeparatorFlag) {
		return s.Separator
	}
	return of(s.Name).terminator
}

// Written is the format of kept records.
func (s Settings) Written() string {
	if s.To != "" {
		return s.To
	}
	return s.Name
}

// keepsTypes reports whether rows of one format leave as rows of another one, with their types.
func (s Settings) keepsTypes() bool { return slices.Contains(of(s.Name).keeps, s.To) }

// staysRows reports whether rows of columns leave as such, and not as JSON.
func (s Settings) staysRows() bool { return s.To == "" || s.keepsTypes() }

// KeepsRows reports whether records come and leave as rows of columns with types.
func (s Settings) KeepsRows() bool { return IsColumnar(s.Name) && s.staysRows() }

// becomesTable reports whether records become rows of a table that is made anew.
func (s Settings) becomesTable() bool { return of(s.To).table != nil && !s.keepsTypes() }

// dialect is the name of a format with what else tells its records apart: a run is only resumed or
// repeated with the same.
func (s Settings) dialect() string {
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
