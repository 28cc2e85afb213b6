// Package formats says how records stand in files. It has one table, a row for each format: what
// its files are called and begin with, how they are read and written, and what has no meaning for
// them. What a run asks for comes in, and how its records are read and written goes out, as values
// that do not change any more.
package formats

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/columns"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Format is a row of the table. The zero Format is one that is not in it.
type Format struct {
	name    string
	synonym string     // which --format takes too
	endings []string   // of names of files, in lower case; the first is what they are called
	begins  [][]string // what files begin with, after white space, and what such a file is
	article string     // before the name
	takes   []string   // flags that are about some formats only

	terminator string // what ends a record, where it is always the same and an input has nothing but records

	anyName   bool   // what a file of the format is called says nothing
	isObjects bool   // records are JSON objects, which can have more members
	isArray   bool   // of one array
	isColumns bool   // a field is the name or the number of a column, and no path
	compares  string // what of a record is compared, where no field can be named
	isTimed   bool   // records say by themselves when they were made
	isArchive bool   // records may be gzip members of their own

	// cut makes what finds records, and their texts, in the form that they are read in.
	cut func(s Settings, maxRecord int) (stream.Format, error)
	// read makes the inputs of a run.
	read func(s *Source) error
	// count says how many records some bytes of an input have. It is nil where that takes too long.
	count countFunc
	// rows opens inputs whose records are rows of columns with types. It is nil for other formats.
	rows func(of columnar.Wanted) RowTable
	// keeps are formats of rows that such rows can leave as without losing their types.
	keeps []string
	// table begins a table that is made of JSON objects. It is nil if none is made.
	table func(to columnar.Output, list []columns.Column, form Form) (tableRows, error)
}

// Flags that are about some formats only.
const (
	delimiterFlag = "--delimiter"
	quotedFlag    = "--quoted"
	noHeaderFlag  = "--no-header"
	escapeFlag    = "--escape"
	recordsFlag   = "--records"
	groupFlags    = "--row-group-rows and --row-group-size"

	SeparatorFlag = "--record-separator"
	MultilineFlag = "--multiline"
	NullFlag      = "-0"
)

// all is the table. Its rows name functions that look into it, so it is filled when the program
// starts.
var all []Format

func init() {
	all = []Format{
		{
			name: "jsonl", endings: []string{".jsonl", ".ndjson"}, article: "a", isObjects: true, terminator: "\n",
			cut: cutObjects(stream.JSONLines), read: readBytes, count: countBeginning,
		}, {
			// Many files of that name are JSON Lines, so contents decide.
			name: "json", endings: []string{".json"}, article: "a", isObjects: true, isArray: true,
			takes: []string{recordsFlag},
			cut:   cutArray, read: readBytes, count: countBeginning,
		}, {
			name: "csv", endings: []string{".csv"}, article: "a", isColumns: true,
			takes: []string{delimiterFlag, escapeFlag, noHeaderFlag},
			cut:   cutRows, read: readBytes, count: countBeginning, table: newCSVRows,
		}, {
			// Without quotes it has no place for a tab or a line end within a text: it is not
			// written.
			name: "tsv", endings: []string{".tsv", ".tab"}, article: "a", isColumns: true,
			takes: []string{quotedFlag, escapeFlag, noHeaderFlag},
			cut:   cutRows, read: readBytes, count: countBeginning,
		}, {
			name: "text", endings: []string{".txt"}, article: "a", anyName: true,
			compares: "all of a record is compared",
			takes:    []string{SeparatorFlag, NullFlag, MultilineFlag},
			cut:      cutText, read: readBytes, count: countBeginning,
		}, {
			name: "file", article: "a", anyName: true, compares: "all of a record is compared",
			takes: []string{NullFlag},
			cut:   func(Settings, int) (stream.Format, error) { return stream.WholeFile(), nil },
			read:  readWhole,
		}, {
			name: "warc", synonym: "wet", endings: []string{".warc", ".wet", ".wat"}, article: "a",
			begins:   [][]string{{"WARC/", "a web archive"}},
			compares: "the document is compared", isTimed: true, isArchive: true,
			cut: cutArchive, read: readArchives, count: countDocuments,
		}, {
			name: "parquet", endings: []string{".parquet", ".pq"}, article: "a",
			begins: [][]string{{"PAR1", "a Parquet file"}, {"PARE", "a Parquet file"}},
			takes:  []string{groupFlags},
			cut:    cutColumns, read: readColumns, count: countParquet,
			rows: newParquetTable, keeps: []string{"arrow"}, table: typed(newParquetBuilder),
		}, {
			name: "arrow", endings: []string{".arrow", ".arrows", ".feather", ".ipc"}, article: "an",
			begins: [][]string{{"ARROW1", "an Arrow file"}, {"\xff\xff\xff\xff", "an Arrow stream"}},
			cut:    cutColumns, read: readColumns,
			rows: newArrowTable, keeps: []string{"parquet"}, table: typed(newArrowBuilder),
		},
	}
}

// of is the format of a name, and the zero Format if there is none.
func of(name string) Format {
	for _, f := range all {
		if f.name == name {
			return f
		}
	}
	return Format{}
}

// namesWhere are the names of the formats of which something is true, in their order.
func namesWhere(is func(f Format) bool) (names []string) {
	for _, f := range all {
		if is(f) {
			names = append(names, f.name)
		}
	}
	return names
}

// Names are the names of all formats.
func Names() []string { return namesWhere(func(Format) bool { return true }) }

// Targets are the formats that records of any other one can be written in.
func Targets() []string { return namesWhere(Format.isTarget) }

func (f Format) isTarget() bool { return f.isObjects || f.table != nil }

// Name is the name of the format that --format calls so.
func Name(given string) string {
	for _, f := range all {
		if f.synonym != "" && f.synonym == given {
			return f.name
		}
	}
	return given
}

// Takes reports whether a flag that is about some formats only is about one.
func Takes(name, flag string) bool { return slices.Contains(of(name).takes, flag) }

// aFile is how errors speak of a file of the format.
func (f Format) aFile() string { return f.article + " " + f.name + " file" }

// ByPath is the format that the name of a file says; empty if it says nothing. A file called .json
// may also be JSON Lines.
func ByPath(path string) string {
	ending := strings.ToLower(filepath.Ext(compress.TrimSuffix(path)))
	for _, f := range all {
		if ending != "" && slices.Contains(f.endings, ending) {
			return f.name
		}
	}
	return ""
}

// Reads reports whether a file that was found in a directory is one of records, by its name. It is
// if the name says a format: the one that was asked for, if one was. Then a name without an ending,
// or with a number for one, says nothing against it; and texts may be called anything.
func (s Settings) Reads(path string) bool {
	named := ByPath(path)
	switch {
	case s.AllFiles || of(s.Name).anyName:
		return true
	case s.Name == "":
		return named != ""
	case named == "":
		ending := strings.TrimPrefix(filepath.Ext(compress.TrimSuffix(path)), ".")
		return strings.Trim(ending, "0123456789") == ""
	}
	return named == s.Name || named == "json" && s.Name == "jsonl" || named == "tsv" && s.Name == "csv"
}

// Ending is how the names of files of a format usually end. What has no ending of its own is text.
func Ending(name string) string {
	if f := of(name); len(f.endings) > 0 {
		return f.endings[0]
	}
	return of("text").endings[0]
}

// WhatBegins says what a file that begins like that is, and of which format; empty if it is none
// that begins in a way of its own.
func WhatBegins(head []byte) (what, name string) {
	for _, f := range all {
		for _, b := range f.begins {
			if strings.HasPrefix(string(head[:min(len(head), len(b[0]))]), b[0]) {
				return b[1], f.name
			}
		}
	}
	return "", ""
}

// IsColumnar reports whether the records of a format are rows of columns with types.
func IsColumnar(name string) bool { return of(name).rows != nil }

// HasFields reports whether a field of a record can be named, or all of it is compared.
func HasFields(name string) bool { return of(name).compares == "" }

// IsArchive reports whether the records of a format may be gzip members of their own.
func IsArchive(name string) bool { return of(name).isArchive }

// IsTimed reports whether the records of a format say by themselves when they were made.
func IsTimed(name string) bool { return of(name).isTimed }

// IsObjects reports whether the records of a format are JSON objects.
func IsObjects(name string) bool { return of(name).isObjects }
