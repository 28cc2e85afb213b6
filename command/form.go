package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/stream/compress"
)

// formatByName is the format that the name of a file says; empty if it says nothing. A file called
// .json may also be JSON Lines.
func formatByName(path string) string {
	return map[string]string{
		".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".txt": "text",
		".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl",
		".warc": warcFormat, ".wet": warcFormat, ".wat": warcFormat,
		".parquet": "parquet", ".pq": "parquet",
	}[strings.ToLower(filepath.Ext(compress.TrimSuffix(path)))]
}

// chooseForm decides which format the records are read in, and which they are written in: what --to
// says, or else the name of the output. What would stand in a file of another name is refused.
func (f *filterRun) chooseForm() (err error) {
	c := *f.c
	f.c = &c
	r := &c.Records
	if r.Name == "" {
		if r.Name, err = formatByPaths(f.paths, f.std.In); err != nil {
			return err
		}
	}
	if named := formatByName(c.Output.Output); r.To == "" && f.converts(named) {
		r.To = named
	}
	if r.To == r.Name {
		r.To = ""
	}
	written, rejected := r.Name, r.Name
	if r.To != "" {
		written = r.To
	}
	if r.To != "" && r.Name == "parquet" {
		rejected = "jsonl" // every row can be converted
	}
	if c.Sketch != "" {
		return nil
	}
	for _, o := range []struct{ path, format string }{
		{c.Output.Output, written}, {c.Output.Duplicates, written}, {c.Output.Rejects, rejected},
	} {
		if err := f.checkName(o.path, o.format); err != nil {
			return err
		}
	}
	return nil
}

// converts reports whether an output of a name that says so is to be converted. Lines that are read
// as text, from files of that name, stay what they are.
func (f *filterRun) converts(named string) bool {
	r := f.c.Records
	switch {
	case named == "json":
		return r.Name != "jsonl" // many files of that name are JSON Lines
	case named == "jsonl":
		return r.Name != "text" || !slices.ContainsFunc(f.paths, func(path string) bool {
			return formatByName(path) == named
		})
	}
	return false
}

// checkName refuses to write a format into a file whose name says another one, which readers would
// take it for.
func (f *filterRun) checkName(path, format string) error {
	named := formatByName(path)
	switch {
	case named == "" || named == format:
		return nil
	case format != "parquet" && (named == "text" || f.c.Records.Name == "text" && f.c.Records.To == ""):
		return nil // lines, whatever stands in them
	case named == "json" && format == "jsonl":
		return nil
	}
	if path == f.c.Output.Rejects {
		return fmt.Errorf("%s would be %s by its name, but what cannot be read is written as it came, as %s: "+
			"name it %s", path, named, format, nameFor(format))
	}
	advice := ""
	if named == "jsonl" || named == "json" {
		advice = ", or add --to " + named
	}
	return fmt.Errorf("%s would be %s by its name, but it would hold %s: name it %s%s",
		path, named, format, nameFor(format), advice)
}

// nameFor is the usual ending of the names of files of a format.
func nameFor(format string) string {
	if format == "text" || format == "file" {
		return ".txt"
	}
	return "." + format
}
