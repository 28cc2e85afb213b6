package index

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// Errors about the directory of an index. Returned errors wrap one of these, and name the file, the
// position and what to do.
var (
	// ErrLocked means that another program is writing to the index.
	ErrLocked = errors.New("another program is writing to it")
	// ErrParameters means that the index was built with parameters other than those it is opened
	// with.
	ErrParameters = errors.New("the index was built with other parameters")
	// ErrVersion means that the index has a format that this program does not know.
	ErrVersion = framelog.ErrVersion
	// ErrCorrupt means that a file of the index is damaged, missing or from another index.
	ErrCorrupt = errors.New("the index is damaged")
	// ErrNoIndex means that the directory contains no index.
	ErrNoIndex = errors.New("there is no index")
	// ErrUndecided means that another system decides whether the last commit counts, and that it
	// was not asked.
	ErrUndecided = errors.New("it is undecided whether its last commit counts")
	// ErrNoUndo means that the state to go back to is no longer kept.
	ErrNoUndo = errors.New("that state is no longer kept")
)

// Corrupt returns an ErrCorrupt that names a file of the index, what is wrong with it and what can
// be done.
func Corrupt(path, format string, args ...any) error {
	return fmt.Errorf("%s: %s: %w: restore it from a copy, or build the index again", path,
		fmt.Sprintf(format, args...), ErrCorrupt)
}
