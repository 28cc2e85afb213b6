package index

import (
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// A File is an open file of an index.
type File = store.File

// A Dir is the directory of an index, for sections that keep files besides their logs.
type Dir = store.Dir

// OpenDir opens the directory of an index.
func OpenDir(path string) (*Dir, error) { return store.OpenDir(path) }

// A ReadLog opens a log for reading, and returns the length up to which it counts. Writer and
// Snapshot have such methods.
type ReadLog func(name string) (file *File, length int64, err error)
