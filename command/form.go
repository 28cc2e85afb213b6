package command

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/config"
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
		".arrow": "arrow", ".arrows": "arrow", ".feather": "arrow", ".ipc": "arrow",
	}[strings.ToLower(filepath.Ext(compress.TrimSuffix(path)))]
}

// chooseForm decides which format the records are read in, and which they are written in: what --to
// says, or else the name of the output. What would stand in a file of another name is refused.
func (f *filterRun) chooseForm() (err error) {
	c := *f.c
	f.c = &c
	r := &c.Records
	if r.Name == "" {
		if r.Name, err = formatByPaths(f.paths, f.std); err != nil {
			return err
		}
	}
	for _, name := range []string{c.Output.Output, c.Shards.Name} {
		if named := formatByName(name); r.To == "" && f.converts(named) {
			r.To = named
		}
	}
	switch {
	case r.Name == "csv" && r.Schema != nil && (r.To == "" || r.To == r.Name):
		r.To = r.Name // the columns of the schema
	case r.To == r.Name:
		r.To = ""
	}
	if c.Sketch != "" {
		return holdsOnly(c.Sketch, sketchFormat, "name it .sketch")
	}
	if err := f.checkNames(); err != nil {
		return err
	}
	if err := compareLines(&c); err != nil {
		return err
	}
	if err := checkRowGroups(&c); err != nil {
		return err
	}
	return checkColumned(&c, f.std)
}

// compareLines has lines of JSON compared as they are, if --exact names no field: then nothing in
// them is looked for, and nothing is checked.
func compareLines(c *config.Filter) error {
	r := &c.Records
	switch {
	case !c.Exact || len(r.Fields) > 0 || r.Name != "jsonl":
		return nil
	case c.Output.Annotate:
		return errors.New("--exact compares lines as they are, and --annotate adds a member to JSON objects: " +
			"give --field, or use --flags")
	case r.To != "":
		return fmt.Errorf("--exact compares lines as they are, and --to %s writes JSON objects in another form: "+
			"give --field", r.To)
	}
	r.Name, r.Separator = "text", "\n"
	return nil
}

// converts reports whether an output of a name that says so is to be converted. Lines that are read
// as text, from files of that name, stay what they are.
func (f *filterRun) converts(named string) bool {
	r := f.c.Records
	switch named {
	case r.Name:
		return false
	case "json":
		return r.Name != "jsonl" // many files of that name are JSON Lines
	case "jsonl", "csv":
		return r.Name != "text" || !slices.ContainsFunc(f.paths, func(path string) bool {
			return formatByName(path) == named
		})
	}
	return hasRows(named)
}

// checkNames refuses to write a format into a file whose name says another one, which readers would
// take it for.
func (f *filterRun) checkNames() error {
	r, o := f.c.Records, f.c.Output
	written, rejected := r.Name, r.Name
	if r.To != "" {
		written = r.To
	}
	switch {
	case keepsTypes(r):
		rejected = r.To
	case r.To != "" && hasRows(r.Name):
		rejected = "jsonl" // every row can be converted
	}
	for _, path := range []string{o.Output, o.Duplicates} {
		if err := f.checkName(path, written); err != nil {
			return err
		}
	}
	if named := formatByName(o.Rejects); !f.mayHold(named, rejected) {
		return fmt.Errorf("%s would be %s by its name, but what cannot be read is written as it came, as %s: "+
			"name it %s", o.Rejects, named, rejected, nameFor(rejected))
	}
	return nil
}

// checkName refuses to write a format into a file whose name says another one.
func (f *filterRun) checkName(path, written string) error {
	if named := formatByName(path); !f.mayHold(named, written) {
		return fmt.Errorf("%s would be %s by its name, but it would hold %s: name it %s%s",
			path, named, written, nameFor(written), adviceFor(named))
	}
	return nil
}

// mayHold reports whether a file that is of a format by its name may hold another one.
func (f *filterRun) mayHold(named, format string) bool {
	isText := f.c.Records.Name == "text" && f.c.Records.To == ""
	switch {
	case named == "" || named == format:
		return true
	case hasRows(format) || hasRows(named):
		return false
	case named == "text" || isText: // lines, whatever stands in them
		return true
	}
	return named == "json" && format == "jsonl"
}

// holdsOnly refuses a file of what is no format of records, or only one of them, if its name says
// another one.
func holdsOnly(path, format, advice string) error {
	named := formatByName(path)
	if named == "" || named == format || format == "jsonl" && (named == "json" || named == "text") {
		return nil
	}
	return fmt.Errorf("%s would be %s by its name, but it would hold %s: %s", path, named, format, advice)
}

// adviceFor says how an output becomes what its name says, where that is possible.
func adviceFor(named string) string {
	if slices.Contains(config.Targets, named) {
		return ", or add --to " + named
	}
	return ""
}

// nameFor is the usual ending of the names of files of a format.
func nameFor(format string) string {
	if format == "text" || format == "file" {
		return ".txt"
	}
	return "." + format
}
