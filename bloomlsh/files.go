package bloomlsh

import (
	"github.com/mithril-stream/mithril-stream/internal/index"
)

// environment is what an index needs to know about the system it runs on.
type environment struct {
	memory memoryGauge
	files  index.Environment
}

var system = environment{availableMemory, index.System}

// Errors about an index directory. Open and similar functions return errors that wrap one of these,
// and name the file, the position and what to do.
var (
	// ErrLocked means that another program is writing to the index.
	ErrLocked = index.ErrLocked
	// ErrParameters means that the index was built with parameters other than those it is opened
	// with.
	ErrParameters = index.ErrParameters
	// ErrVersion means that the index has a format that this program does not know.
	ErrVersion = index.ErrVersion
	// ErrCorrupt means that a file of the index is damaged, missing or from another index.
	ErrCorrupt = index.ErrCorrupt
	// ErrNoIndex means that the directory contains no index.
	ErrNoIndex = index.ErrNoIndex
	// ErrUndecided means that another system decides whether the last commit counts, and that it
	// was not asked.
	ErrUndecided = index.ErrUndecided
)

// A Position says how far a run has come. The index stores the last committed one and does not
// interpret it.
type Position = index.Position

// A Decide reports whether the last commit of an index counts, which was prepared at the given
// position. before is the position of the previous commit, to which the index returns if it does
// not.
type Decide = index.Decide
