package files

import (
	"fmt"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// An LeftError is the error of a run that has left unfinished files.
type LeftError struct {
	error
	Files string
}

func (e LeftError) Unwrap() error { return e.error }

// NameLeft adds to the error of a run which of its files are left unfinished, and how long they
// are.
func NameLeft(err error, files ...*Output) error {
	var names []string
	for _, f := range files {
		if f != nil && f.left {
			names = append(names, fmt.Sprintf("%s%s (%s)", f.at, partialSuffix, units.Bytes(f.length)))
		}
	}
	if err == nil || len(names) == 0 {
		return err
	}
	return LeftError{err, strings.Join(names, ", ")}
}
