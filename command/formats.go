package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/files"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/object"
	"github.com/mithril-stream/mithril-stream/stream/warc"
)

// formatOf returns the format of the records, which is one for all inputs, and its name.
func formatOf(c *config.Filter, paths []string) (stream.Format, string, error) {
	r := c.Records
	rows := r.Name == "csv" || r.Name == "tsv"
	switch {
	case hasRows(r.Name):
		if err := checkRows(c); err != nil {
			return nil, "", err
		}
	case c.Output.Annotate && (rows || r.Name == "text" || r.Name == "file" || r.Name == warcFormat) && r.To == "":
		return nil, "", fmt.Errorf("--annotate adds a member to JSON objects, and %s has none: use "+
			"--flags, or --to jsonl", r.Name)
	case r.Delimiter != 0 && r.Name != "csv":
		return nil, "", fmt.Errorf("--delimiter is about csv, not %s", r.Name)
	case r.Quoted && r.Name != "tsv":
		return nil, "", fmt.Errorf("--quoted is about tsv, not %s", r.Name)
	case r.NoHeader && !rows:
		return nil, "", fmt.Errorf("--no-header is about csv and tsv, not %s", r.Name)
	case r.NoHeader && len(r.Fields) == 0:
		return nil, "", errors.New("--no-header needs --field N: the number of the column that has the text, from 1")
	case (r.Name == "text" || r.Name == "file") && len(r.Fields) > 0:
		return nil, "", fmt.Errorf("--field has no meaning for %s: all of a record is compared", r.Name)
	case r.Name == "file" && slices.Contains(paths, "-"):
		return nil, "", errors.New("--format file needs FILE: what is kept is the names of files, and " +
			"standard input has none")
	case r.Name == warcFormat && len(r.Fields) > 0:
		return nil, "", errors.New("--field has no meaning for warc: the document is compared")
	case r.Name == warcFormat:
		return warc.Format(c.MaxRecord), r.Name, nil
	}
	switch {
	case len(r.Fields) > 0:
	case c.Exact && r.Name != "text" && r.Name != "file":
		return nil, "", fmt.Errorf("--exact needs --field for %s: what of a record is compared", r.Name)
	case rows && c.Verdicts != "":
		r.Fields = []string{"1"} // no text is read, so any column will do
	default:
		r.Fields = []string{"text"}
	}
	format, err := newFormat(r)
	if len(c.Key) > 0 && err == nil {
		format = stream.Keyed(format)
	}
	return format, dialectName(r), err
}

// dialectName is the name of a format with what else tells its records apart: a run is only resumed
// or repeated with the same.
func dialectName(r config.RecordFormat) string {
	switch {
	case r.Delimiter != 0:
		return fmt.Sprintf("%s with %q", r.Name, r.Delimiter)
	case r.Quoted:
		return "quoted " + r.Name
	}
	return r.Name
}

func newFormat(r config.RecordFormat) (stream.Format, error) {
	switch r.Name {
	case "text":
		return stream.Text(r.Separator), nil
	case "file":
		return stream.WholeFile(), nil
	case "csv", "tsv":
		for _, field := range r.Fields {
			if number, err := strconv.Atoi(field); r.NoHeader && (err != nil || number < 1) {
				return nil, fmt.Errorf("--field %s: with --no-header a column has a number, from 1", field)
			}
		}
		return rowsOf(r), nil
	}
	fields, err := parseFields(r.Fields)
	if err != nil {
		return nil, err
	}
	switch r.Name {
	case "json":
		return stream.JSONArray(fields), nil
	case "parquet", "arrow":
		return stream.Rows(r.Fields), nil
	}
	return stream.JSONLines(fields), nil
}

func rowsOf(r config.RecordFormat) stream.Format {
	switch {
	case r.Name == "csv":
		return stream.CSV(r.Delimiter, !r.NoHeader, r.Fields)
	case r.Quoted:
		return stream.CSV('\t', !r.NoHeader, r.Fields)
	}
	return stream.TSV(!r.NoHeader, r.Fields)
}

func parseFields(paths []string) ([]stream.Field, error) {
	fields := make([]stream.Field, len(paths))
	for i, path := range paths {
		var err error
		if fields[i], err = stream.ParseField(path); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// formatByPaths returns the format that the names of the inputs say. Many a file called .json is
// JSON Lines, so there the contents of the first one decide; and where a name says nothing, the
// file may be a web archive or a column file.
func formatByPaths(paths []string, std files.Streams) (string, error) {
	format, first := "", ""
	for _, path := range paths {
		name := formatByName(object.Name(path))
		switch {
		case name == "json" && format == "":
			name = "jsonl"
			if beginsLike(path, std, "[") {
				name = "json"
			}
		case name == "json" && (format == "jsonl" || format == "json"):
			name = format
		case name == "" && beginsLike(path, std, "WARC/"):
			name = warcFormat
		case name == "" && (beginsLike(path, std, "PAR1") || beginsLike(path, std, "PARE")):
			name = "parquet"
		case name == "" && (beginsLike(path, std, "ARROW1") || beginsLike(path, std, "\xff\xff\xff\xff")):
			name = "arrow"
		case name == "":
			name = "jsonl"
		}
		if format == "" {
			format, first = name, path
		} else if name != format {
			return "", fmt.Errorf("%s is %s by its name, but %s is %s: read them in runs of their "+
				"own, or give --format",
				object.Name(first), format, object.Name(path), name)
		}
	}
	return format, nil
}

// beginsLike reports whether a file begins with that, after white space. What is wrong with a file
// that it cannot read comes out when it is read. Standard input is looked at if it is a file.
func beginsLike(path string, std files.Streams, start string) bool {
	if info, err := files.Stat(path, std.In); err != nil || !info.Mode().IsRegular() {
		return false
	}
	open := std.Open
	if path == "-" {
		open = std.OpenAgain
	}
	in, err := open(path)
	if err != nil {
		return false
	}
	defer in.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(in, head)
	head = bytes.TrimPrefix(head[:n], []byte("\xef\xbb\xbf"))
	return bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte(start))
}
