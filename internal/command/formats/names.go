package formats

import (
	"fmt"
	"slices"
)

// checkNames refuses to write a format into a file whose name says another one, which readers would
// take it for.
func (w Wanted) checkNames() error {
	rejected := w.Name
	switch {
	case w.keepsTypes():
		rejected = w.To
	case w.To != "" && IsColumnar(w.Name):
		rejected = "jsonl" // every row can be converted
	}
	for _, path := range []string{w.Output, w.Duplicates} {
		if err := w.CheckName(path); err != nil {
			return err
		}
	}
	if named := ByPath(w.Rejects); !w.mayHold(named, rejected) {
		return fmt.Errorf("%s would be %s by its name, but what cannot be read is written as it came, as %s: "+
			"name it %s", w.Rejects, named, rejected, Ending(rejected))
	}
	return nil
}

// CheckName refuses to write kept records into a file whose name says another format.
func (s Settings) CheckName(path string) error {
	written := s.Written()
	if named := ByPath(path); !s.mayHold(named, written) {
		return fmt.Errorf("%s would be %s by its name, but it would hold %s: name it %s%s",
			path, named, written, Ending(written), adviceFor(named))
	}
	return nil
}

// mayHold reports whether a file that is of a format by its name may hold another one.
func (s Settings) mayHold(named, format string) bool {
	isText := s.Name == "text" && s.To == ""
	switch {
	case named == "" || named == format:
		return true
	case IsColumnar(format) || IsColumnar(named):
		return false
	case named == "text" || isText: // lines, whatever stands in them
		return true
	}
	return named == "json" && format == "jsonl"
}

// HoldsOnly refuses a file of what is no format of records, or only one of them, if its name says
// another one.
func HoldsOnly(path, format, advice string) error {
	named := ByPath(path)
	if named == "" || named == format || format == "jsonl" && (named == "json" || named == "text") {
		return nil
	}
	return fmt.Errorf("%s would be %s by its name, but it would hold %s: %s", path, named, format, advice)
}

// adviceFor says how an output becomes what its name says, where that is possible.
func adviceFor(named string) string {
	if slices.Contains(Targets(), named) {
		return ", or add --to " + named
	}
	return ""
}
