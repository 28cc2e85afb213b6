package layout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/compress"
)

// CheckName refuses to write kept records into a file whose name says another format.
func (s Settings) CheckName(path string) error {
	written := s.Written()
	if named := ByPath(path); !s.MayHold(named, written) {
		return fmt.Errorf("%s would be %s by its name, but it would hold %s: name it %s%s",
			path, named, written, Ending(written), adviceFor(named))
	}
	return nil
}

// MayHold reports whether a file that is of a format by its name may hold another one.
func (s Settings) MayHold(named, format string) bool {
	isText := s.Name == "text" && s.To == ""
	switch {
	case named == "" || named == format:
		return true
	case IsColumnar(format) || IsColumnar(named):
		return false
	case named == "text" || isText: // lines, whatever they are
		return true
	}
	return slices.Contains(Of(format).NamedAs, named)
}

// CheckFormat refuses a file of what is no format of records, or only one of them, if its name says
// another one.
func CheckFormat(path, format, advice string) error {
	named := ByPath(path)
	f := Of(format)
	if named == "" || named == format || slices.Contains(f.NamedAs, named) || named == "text" && f.Terminator != "" {
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

// CheckNotCompressed refuses to compress files of columns as a whole.
func CheckNotCompressed(format string, asked compress.Method, paths ...string) error {
	if asked != (compress.Method{}) {
		return fmt.Errorf("--compress would hide %s from its readers: its columns are compressed already",
			Of(format).AFile())
	}
	for _, path := range paths {
		if method, err := compress.ByName(path); err == nil && method.Format != "" {
			return fmt.Errorf("%s would be a %s file by its name, but the rows are written as "+
				"%s: name it .%[3]s", path, method.Format, format)
		}
	}
	return nil
}

// ResultFormat is the format of the results in a file: what was asked for, or what its name says,
// or else another one.
func ResultFormat(path, asked, otherwise string) (string, error) {
	named := ByPath(path)
	switch {
	case asked == "" && named == "" || asked == "" && path == "-":
		return otherwise, nil
	case asked != "":
		named = asked
	}
	if formats := ResultFormats(); !slices.Contains(formats, named) {
		return "", fmt.Errorf("results are not written as %s: use one of %s", named, strings.Join(formats, ", "))
	}
	if IsColumnar(named) {
		return named, CheckNotCompressed(named, compress.Method{}, path)
	}
	return named, nil
}
