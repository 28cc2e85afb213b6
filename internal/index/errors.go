package index

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// What can be wrong with the directory of an index. Errors wrap one of these, and name the file,
// the place and the next step.
var (
	// ErrLocked says that another program writes to the index.
	ErrLocked = errors.New("another program is writing to it")
	// ErrParameters says that the index was built with other parameters than it is to be opened
	// with.
	ErrParameters = errors.New("the index was built with other parameters")
	// ErrVersion says that the index has a format that this program does not know.
	ErrVersion = framelog.ErrVersion
	// ErrCorrupt says that a file of the index is damaged, missing or not of this index.
	ErrCorrupt = errors.New("the index is damaged")
	// ErrNoIndex says that the directory holds no index.
	ErrNoIndex = errors.New("there is no index")
	// ErrUndecided says that the last commit of the index depends on another system, which was not
	// asked.
	ErrUndecided = errors.New("whether its last commit counts is not decided")
	// ErrNoUndo says that the state to which an index is to be taken back is no longer kept.
	ErrNoUndo = errors.New("that state is no longer kept")
)

// Corrupt returns an ErrCorrupt that names a file of the index, what is wrong with it and what can
// be done.
func Corrupt(path, format string, args ...any) error {
	return fmt.Errorf("%s: %s: %w: restore it from a copy, or build the index again", path,
		fmt.Sprintf(format, args...), ErrCorrupt)
}
