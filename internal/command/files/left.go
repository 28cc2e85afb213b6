package files

import (
	"fmt"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// An UnfinishedError is the error of a run that has left unfinished files.
type UnfinishedError struct {
	error
	Files string
}

func (e UnfinishedError) Unwrap() error { return e.error }

// NameUnfinished adds to the error of a run the names and lengths of the files that it has left
// unfinished.
func NameUnfinished(err error, files ...*Output) error {
	var names []string
	for _, f := range files {
		if f != nil && f.unfinished {
			names = append(names, fmt.Sprintf("%s%s (%s)", f.at, partialSuffix, units.Bytes(f.length)))
		}
	}
	if err == nil || len(names) == 0 {
		return err
	}
	return UnfinishedError{err, strings.Join(names, ", ")}
}
