package formats

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/record"
)

// FormatOf returns the format of the records, which is the same for all inputs. It first refuses
// options that have no meaning for the format.
func FormatOf(w Request) (record.Format, error) {
	f := of(w.Name)
	if err := w.refuse(f); err != nil {
		return nil, err
	}
	s := w.Settings
	switch {
	case len(s.Fields) > 0 || f.Compares != "":
	case f.Has(layout.Columns) && w.Textless:
		s.Fields = []string{"1"} // any column will do
	default:
		s.Fields = s.TextFields()
	}
	format, err := f.cut(s, w.MaxRecord)
	if w.Exact && err == nil {
		format = record.Exact(format)
		if w.Key {
			format = record.Key(format)
		}
	}
	if w.Vector && err == nil {
		format = record.Vectors(format, w.Dims)
	}
	if w.Tokens && err == nil {
		format = record.TokenIDs(format)
	}
	return format, err
}

// refuse refuses options that have no meaning for a format.
func (w Request) refuse(f Format) error {
	for _, flag := range []struct {
		name  string
		given bool
	}{{layout.DelimiterFlag, w.Delimiter != 0}, {layout.QuotedFlag, w.Quoted},
		{layout.NoHeaderFlag, w.NoHeader}, {layout.EscapeFlag, w.Escape != 0},
		{layout.RecordsFlag, len(w.RecordsAt) > 0}} {
		if flag.given && !slices.Contains(f.Flags, flag.name) {
			return fmt.Errorf("%s is about %s, not %s", flag.name, namesThat(flag.name), f.Name)
		}
	}
	switch {
	case w.Encoding != "" && (f.rows != nil || f.Has(layout.Archive)):
		return fmt.Errorf("--encoding has no meaning for %s, which states its own: leave it out", f.Name)
	case f.rows != nil:
		return w.refuseOfRows()
	case w.Annotate && !f.Has(layout.Objects) && w.To == "":
		return fmt.Errorf("--annotate adds a member to JSON objects, and %s has none: use "+
			"--flags, or -o FILE.jsonl", f.Name)
	case w.Escape != 0 && f.Name == "tsv" && !w.Quoted:
		return errors.New("--escape stands before quotes, and tsv has none without --quoted: add it")
	case w.NoHeader && len(w.Fields) == 0:
		return errors.New("--no-header needs --field N: the number of the column that has the text, from 1")
	case f.Compares != "" && len(w.Fields) > 0 && !(w.Exact && f.Has(layout.Keyed)):
		return fmt.Errorf("--field has no meaning for %s: %s", f.Name, f.Compares)
	case f.Has(layout.Whole) && slices.Contains(w.Paths, "-"):
		return errors.New("--format file needs FILE: what is kept is the names of files, and " +
			"standard input has none")
	}
	return nil
}

// namesThat returns the names of the formats that a flag applies to.
func namesThat(flag string) string {
	takes := func(f layout.Format) bool { return slices.Contains(f.Flags, flag) }
	return strings.Join(layout.NamesWhere(takes), " and ")
}

// refuseOfRows refuses options that have no meaning for rows of columns that are written as such.
func (w Request) refuseOfRows() error {
	written := of(w.Written())
	switch {
	case !w.StaysRows():
		return nil
	case w.Annotate:
		return fmt.Errorf("--annotate would change the schema of %s: use --flags, or -o FILE.jsonl", written.AFile())
	case w.Resumable:
		return fmt.Errorf("--checkpoint and --resume cannot continue %s, which is valid only when it is complete: "+
			"leave them out, or use --to jsonl", written.AFile())
	}
	return layout.CheckNotCompressed(written.Name, w.Compress, w.Output, w.Duplicates, w.Rejects)
}

// checkTable refuses options that have no meaning for a table made from other records.
func (w Request) checkTable(std files.Streams) error {
	to := of(w.To)
	switch {
	case w.Schema != nil && (to.table == nil || layout.IsColumnar(w.Name)):
		return errors.New("--schema is for tables that are made of other records: give --to csv, parquet or arrow, " +
			"or leave it out where the input has columns with types")
	case !w.BecomesTable():
		return nil
	case w.Resumable:
		return fmt.Errorf("--checkpoint and --resume cannot continue a table of %s that is made of %s: leave them "+
			"out, or use --to jsonl", w.To, w.Name)
	case to.rows == nil:
		return nil
	}
	if err := w.refuseTerminal(std); err != nil {
		return err
	}
	return layout.CheckNotCompressed(w.To, w.Compress, w.Output, w.Duplicates)
}

// refuseTerminal refuses to write columns to a terminal.
func (w Request) refuseTerminal(std files.Streams) error {
	if w.Output == "-" && term.IsTerminal(int(std.Out.Fd())) {
		return fmt.Errorf("%s is not for a terminal: add -o FILE, or --to jsonl", of(w.Written()).AFile())
	}
	return nil
}
