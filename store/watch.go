package store

import "sync/atomic"

// A Kind is what an operation does.
type Kind string

// The kinds of operations that change what a directory holds, or make that durable.
const (
	Create  Kind = "create"
	Rename  Kind = "rename"
	Remove  Kind = "remove"
	MakeDir Kind = "mkdir"
	SyncDir Kind = "sync directory"
)

// An Operation is one on a path.
type Operation struct {
	Kind     Kind
	Path, To string // To is the new name, of a Rename
}

// A Watcher is told of each operation before it is done, and can have it fail in place of that.
type Watcher func(Operation) error

var watcher atomic.Pointer[Watcher]

// Watch has all operations of the process told to a watcher, until stop is called. It is for tests.
func Watch(w Watcher) (stop func()) {
	before := watcher.Swap(&w)
	return func() { watcher.Store(before) }
}

// tell tells an operation to the watcher, if there is one.
func tell(o Operation) error {
	if w := watcher.Load(); w != nil {
		return (*w)(o)
	}
	return nil
}
