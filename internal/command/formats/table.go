// Package formats reads and writes records in files. It has one table, with a row for each format
// of package layout: how its records are found, read, counted and written. Its inputs and results
// are immutable values: what a run asks for, and how its records are read and written.
package formats

import (
	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/columns"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Format is a row of the table. The zero Format stands for a format that is not in the table.
type Format struct {
	layout.Format

	// cut makes what finds records and their texts, in the form in which they are read.
	cut func(s layout.Settings, maxRecord int) (record.Format, error)
	// read makes the inputs of a run.
	read func(s *Source) error
	// count counts the records in some bytes of an input. It is nil if that would take too long.
	count countFunc
	// rows opens inputs of a format that has layout.Rows.
	rows func(of columnar.RowNeeds) RowTable
	// table begins a table of a format that has layout.Table.
	table newRows
	// results begins a table of results, if table does not.
	results newRows
}

// newRows begins a table with these columns.
type newRows = func(to columnar.Output, list []columns.Column, form Form) (tableRows, error)

// all is the table. Its rows name functions that look into it, so it is filled when the program
// starts.
var all map[string]Format

func init() {
	all = map[string]Format{
		"jsonl": {cut: cutObjects(record.JSONLines), read: readBytes, count: countBeginning, results: newObjectRows},
		"json":  {cut: cutArray, read: readBytes, count: countBeginning},
		"csv":   {cut: cutRows, read: readBytes, count: countBeginning, table: newCSVRows},
		"tsv":   {cut: cutRows, read: readBytes, count: countBeginning, results: newTSVRows},
		"text":  {cut: cutText, read: readBytes, count: countBeginning},
		"file": {
			cut:  func(layout.Settings, int) (record.Format, error) { return stream.WholeFile(), nil },
			read: readWhole,
		},
		"warc": {cut: cutArchive, read: readArchives, count: countDocuments},
		"parquet": {
			cut: cutColumns, read: readColumns, count: countParquet,
			rows: newParquetTable, table: typed(newParquetBuilder),
		},
		"arrow": {cut: cutColumns, read: readColumns, rows: newArrowTable, table: typed(newArrowBuilder)},
	}
}

// of returns the format with a name, or the zero Format.
func of(name string) Format {
	f := all[name]
	f.Format = layout.Of(name)
	return f
}
