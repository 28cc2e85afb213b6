package bloomlsh

import (
	"github.com/mithril-stream/mithril-stream/internal/index"
)

// environment is what an index takes from the system it runs on.
type environment struct {
	memory memoryGauge
	files  index.Environment
}

var system = environment{availableMemory, index.System}

// What can be wrong with an index directory. The errors that Open and its like return wrap one of
// these, with the file, the place and the next step.
var (
	// ErrLocked says that another program writes to the index.
	ErrLocked = index.ErrLocked
	// ErrParameters says that the index was built with other parameters than it is to be opened
	// with.
	ErrParameters = index.ErrParameters
	// ErrVersion says that the index has a format that this program does not know.
	ErrVersion = index.ErrVersion
	// ErrCorrupt says that a file of the index is damaged, missing or not of this index.
	ErrCorrupt = index.ErrCorrupt
	// ErrNoIndex says that the directory holds no index.
	ErrNoIndex = index.ErrNoIndex
	// ErrUndecided says that the last commit of the index depends on another system, which was not
	// asked.
	ErrUndecided = index.ErrUndecided
)

// Position is how far a run has come. The index keeps the last committed one, and gives it no
// meaning.
type Position = index.Position

// Decide returns whether the last commit of an index counts, which was prepared at the given
// position. before is the position of the commit before it, with which the index is found if not.
type Decide = index.Decide
