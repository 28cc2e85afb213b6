package formats

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/object"
)

// decide completes the user's settings with what the names and contents of files say.
func decide(w Request, std files.Streams) (s layout.Settings, err error) {
	if w.Name == "" {
		if w.Name, err = ByPaths(w.Paths, std); err != nil {
			return s, err
		}
	}
	for _, name := range []string{w.Output, w.Pattern} {
		if named := layout.ByPath(name); w.To == "" && w.convertsTo(named) {
			w.To = named
		}
	}
	switch {
	case of(w.Name).table != nil && !layout.IsColumnar(w.Name) && w.Schema != nil && (w.To == "" || w.To == w.Name):
		w.To = w.Name // convert to the columns of the schema
	case w.To == w.Name:
		w.To = ""
	}
	if w.Sketches != "" {
		return w.Settings, layout.CheckFormat(w.Sketches, "sketch", "name it .sketch")
	}
	if err := w.checkNames(); err != nil {
		return s, err
	}
	if w.Settings, err = w.asLines(); err != nil {
		return s, err
	}
	if w.Exact && len(w.Fields) == 0 && of(w.Name).Compares == "" {
		w.Fields = []string{wholeRecord}
	}
	if written := w.Written(); !layout.HasFlag(written, layout.GroupFlags) && w.Form != (Form{}) {
		about := namesThat(layout.GroupFlags)
		return s, fmt.Errorf("%s are about %s, and %s is written: leave them out, or add --to %[2]s", layout.GroupFlags,
			about, written)
	}
	return w.Settings, w.checkTable(std)
}

// wholeRecord is the field that --equal compares in records with fields if the user names none.
const wholeRecord = "{}"

// asLines makes --equal compare lines of JSON as they are, unless the user names a field. Nothing
// in the lines is parsed or checked then.
func (w Request) asLines() (layout.Settings, error) {
	s := w.Settings
	switch {
	case !w.Exact || len(s.Fields) > 0 || s.Name != "jsonl":
		return s, nil
	case w.Annotate:
		return s, errors.New("--equal compares lines as they are, and --annotate adds a member to JSON objects: " +
			"give --field, or use --flags")
	case s.To != "":
		return s, fmt.Errorf("--equal compares lines as they are, and --to %s writes JSON objects in another form: "+
			"give --field", s.To)
	}
	s.Name, s.Separator, s.AreJSON = "text", "\n", true
	return s, nil
}

// convertsTo reports whether an output is to be converted to the format that its name says. Lines
// read as text from files with such names stay what they are.
func (w Request) convertsTo(named string) bool {
	switch f := of(named); {
	case named == w.Name || !f.IsTarget():
		return false
	case f.Has(layout.Array):
		return !slices.Contains(of(w.Name).NamedAs, named)
	case f.rows != nil:
		return true
	}
	isNamed := func(path string) bool { return layout.ByPath(path) == named }
	return w.Name != "text" || !slices.ContainsFunc(w.Paths, isNamed)
}

// ByPaths returns the format that the names of the inputs say. Many files called .json are JSON
// Lines, so the contents of the first one decide there. If a name says nothing, the beginning of
// the file may, and JSON Lines is the default.
func ByPaths(paths []string, std files.Streams) (string, error) {
	format, first := "", ""
	for _, path := range paths {
		name := layout.ByPath(object.Name(path))
		switch {
		case name == "json" && format == "":
			name = "jsonl"
			if bytes.HasPrefix(beginning(path, std), []byte("[")) {
				name = "json"
			}
		case name == "json" && (format == "jsonl" || format == "json"):
			name = format
		case name == "":
			name = "jsonl"
			if _, begun := layout.Detect(beginning(path, std)); begun != "" {
				name = begun
			}
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

// beginning returns the first bytes of a file, without white space at the start. If the file cannot
// be read, it returns nil, and the error is reported when the file is read. It reads from standard
// input only if that is a file.
func beginning(path string, std files.Streams) []byte {
	if info, err := files.Stat(path, std.In); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	open := std.Open
	if path == "-" {
		open = std.OpenAgain
	}
	in, err := open(path)
	if err != nil {
		return nil
	}
	defer in.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(in, head)
	return bytes.TrimLeft(bytes.TrimPrefix(head[:n], []byte("\xef\xbb\xbf")), " \t\r\n")
}
