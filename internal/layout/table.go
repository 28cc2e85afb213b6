// Package layout says how records lie in files, as far as it can be said without reading one: what
// formats are called and what their files begin with, which flags are about them, the settings of
// a run, and how its output is divided. The command line and package formats, which reads and
// writes the formats, both build on it.
package layout

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/compress"
)

// A Format is a row of the table of formats. The zero Format is one that is not in it.
type Format struct {
	Name    string
	Synonym string     // which --format takes as well
	Article string     // before the name: a or an
	Endings []string   // of the names of files, in lower case; the first is what they are called
	NamedAs []string   // other formats by whose endings its files are called as well
	Begins  [][]string // what files begin with, after white space, and what such a file is
	Flags   []string   // the flags that are about some formats only
	Is      Trait
	Keeps   []string // formats of rows that its rows can leave as without losing their types

	// Terminator is what ends a record, where it is always the same and an input has nothing but
	// records.
	Terminator string
	// Compares says what of a record is compared, where no field can be named.
	Compares string
}

// A Trait is a set of what is true of a format.
type Trait uint

const (
	AnyName Trait = 1 << iota // what a file of the format is called says nothing
	Objects                   // records are JSON objects, which can have more members
	Array                     // records are the elements of one array
	Columns                   // a field is the name or the number of a column, and no path
	Timed                     // records say by themselves when they were made
	Archive                   // records may be gzip members of their own
	Rows                      // records are rows of columns with types
	Table                     // tables of the format are made of JSON objects
	Keyed                     // a key can be a field, although what is compared else is none
	Results                   // commands write what they have found out about records in it
	Whole                     // an input is a record, and leaves as its name
)

// Has reports whether all of these are true of the format.
func (f Format) Has(t Trait) bool { return f.Is&t == t }

// IsTarget reports whether records of any other format can be written in this one.
func (f Format) IsTarget() bool { return f.Is&(Objects|Table) != 0 }

// AFile is what errors call a file of the format.
func (f Format) AFile() string { return f.Article + " " + f.Name + " file" }

// Flags that are about some formats only.
const (
	DelimiterFlag = "--delimiter"
	QuotedFlag    = "--quoted"
	NoHeaderFlag  = "--no-header"
	EscapeFlag    = "--escape"
	RecordsFlag   = "--records"
	GroupFlags    = "--row-group-rows and --row-group-size"
	SeparatorFlag = "--record-separator"
	MultilineFlag = "--multiline"
	NullFlag      = "-0"
)

// all is the table.
var all = []Format{
	{
		Name: "jsonl", Endings: []string{".jsonl", ".ndjson"}, NamedAs: []string{"json"}, Article: "a",
		Is: Objects | Results, Terminator: "\n",
	}, {
		Name: "json", Endings: []string{".json"}, Article: "a", Is: Objects | Array, Flags: []string{RecordsFlag},
	}, {
		Name: "csv", Endings: []string{".csv"}, Article: "a", Is: Columns | Table | Results,
		Flags: []string{DelimiterFlag, EscapeFlag, NoHeaderFlag},
	}, {
		// Without quotes it has no place for a tab or a line end within a text: it is not written.
		Name: "tsv", Endings: []string{".tsv", ".tab"}, Article: "a", Is: Columns | Results,
		Flags: []string{QuotedFlag, EscapeFlag, NoHeaderFlag},
	}, {
		Name: "text", Endings: []string{".txt"}, Article: "a", Is: AnyName,
		Compares: "all of a record is compared", Flags: []string{SeparatorFlag, NullFlag, MultilineFlag},
	}, {
		Name: "file", Article: "a", Is: AnyName | Whole, Compares: "all of a record is compared",
		Flags: []string{NullFlag},
	}, {
		Name: "warc", Synonym: "wet", Endings: []string{".warc", ".wet", ".wat"}, Article: "a",
		Begins: [][]string{{"WARC/", "a web archive"}}, Compares: "the document is compared",
		Is: Timed | Archive | Keyed,
	}, {
		Name: "parquet", Endings: []string{".parquet", ".pq"}, Article: "a",
		Begins: [][]string{{"PAR1", "a Parquet file"}, {"PARE", "a Parquet file"}},
		Flags:  []string{GroupFlags}, Is: Rows | Table | Results, Keeps: []string{"arrow"},
	}, {
		Name: "arrow", Endings: []string{".arrow", ".arrows", ".feather", ".ipc"}, Article: "an",
		Begins: [][]string{{"ARROW1", "an Arrow file"}, {"\xff\xff\xff\xff", "an Arrow stream"}},
		Is:     Rows | Table | Results, Keeps: []string{"parquet"},
	},
}

// Add adds a format to the table, until the function that it returns is called. It is for tests of
// what reads and writes formats, and not for several goroutines.
func Add(f Format) (remove func()) {
	before := all
	all = append(all[:len(all):len(all)], f)
	return func() { all = before }
}

// Of returns the format with a name, or the zero Format.
func Of(name string) Format {
	for _, f := range all {
		if f.Name == name {
			return f
		}
	}
	return Format{}
}

// NamesWhere returns the names of the formats for which is returns true, in order.
func NamesWhere(is func(f Format) bool) (names []string) {
	for _, f := range all {
		if is(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Names are the names of all formats.
func Names() []string { return NamesWhere(func(Format) bool { return true }) }

// Targets are the formats that records of any other one can be written in.
func Targets() []string { return NamesWhere(Format.IsTarget) }

// ResultFormats are the formats of results: of what commands have found out about records.
func ResultFormats() []string { return NamesWhere(func(f Format) bool { return f.Has(Results) }) }

// Name is the name of the format that --format calls so.
func Name(given string) string {
	for _, f := range all {
		if f.Synonym != "" && f.Synonym == given {
			return f.Name
		}
	}
	return given
}

// HasFlag reports whether a flag that is about some formats only is about one.
func HasFlag(name, flag string) bool { return slices.Contains(Of(name).Flags, flag) }

// ByPath is the format that the name of a file says; empty if it says nothing. A file called .json
// may also be JSON Lines.
func ByPath(path string) string {
	ending := strings.ToLower(filepath.Ext(compress.TrimSuffix(path)))
	for _, f := range all {
		if ending != "" && slices.Contains(f.Endings, ending) {
			return f.Name
		}
	}
	return ""
}

// Ending is how the names of files of a format usually end. What has no ending of its own is text.
func Ending(name string) string {
	if f := Of(name); len(f.Endings) > 0 {
		return f.Endings[0]
	}
	return Of("text").Endings[0]
}

// Detect describes a file that begins with head, and names its format, or returns "" if its
// beginning is not characteristic.
func Detect(head []byte) (what, name string) {
	for _, f := range all {
		for _, b := range f.Begins {
			if strings.HasPrefix(string(head[:min(len(head), len(b[0]))]), b[0]) {
				return b[1], f.Name
			}
		}
	}
	return "", ""
}

// IsColumnar reports whether the records of a format are rows of columns with types.
func IsColumnar(name string) bool { return Of(name).Has(Rows) }

// HasKeys reports whether a key can be a field of records.
func HasKeys(name string) bool { return Of(name).Compares == "" || Of(name).Has(Keyed) }

// IsArchive reports whether the records of a format may be gzip members of their own.
func IsArchive(name string) bool { return Of(name).Has(Archive) }

// IsTimed reports whether the records of a format say by themselves when they were made.
func IsTimed(name string) bool { return Of(name).Has(Timed) }

// IsObjects reports whether the records of a format are JSON objects.
func IsObjects(name string) bool { return Of(name).Has(Objects) }
