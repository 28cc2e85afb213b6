package command

import (
	"fmt"
	"strings"
)

// An errLeft is the error of a run that has left unfinished files.
type errLeft struct {
	error
	files string
}

func (e errLeft) Unwrap() error { return e.error }

// nameLeft adds to the error of a run which of its files are left unfinished, and how long they
// are.
func nameLeft(err error, files ...*outFile) error {
	var names []string
	for _, f := range files {
		if f != nil && f.left {
			names = append(names, fmt.Sprintf("%s%s (%s)", f.path, partialSuffix, bytesOf(f.length)))
		}
	}
	if err == nil || len(names) == 0 {
		return err
	}
	return errLeft{err, strings.Join(names, ", ")}
}
