package store

import "sync/atomic"

// A Kind is a kind of operation.
type Kind string

// The kinds of operations that change files or make changes durable.
const (
	Create   Kind = "create"
	Rename   Kind = "rename"
	Remove   Kind = "remove"
	MakeDir  Kind = "mkdir"
	SyncDir  Kind = "sync directory"
	Write    Kind = "write"
	Truncate Kind = "truncate"
	SyncFile Kind = "sync"
)

// An Operation is an operation on a path, or on an open file, whose Path is where it was opened.
type Operation struct {
	Kind     Kind
	Path, To string // To is the new name of a Rename
	Inode    uint64 // of the file; for Create set afterwards
	Offset   int64  // of a Write; the new length for Truncate
	Data     []byte // of a Write; valid until the watcher returns
}

// A Watcher is notified of each operation.
type Watcher struct {
	// called before; an error makes the operation fail without being performed; may be nil
	Before func(Operation) error
	After  func(Operation) // called after; may be nil
}

var watcher atomic.Pointer[Watcher]

// Watch notifies a watcher of all operations of the process, until stop is called. It is for tests.
func Watch(w Watcher) (stop func()) {
	before := watcher.Swap(&w)
	return func() { watcher.Store(before) }
}

func (w *Watcher) before(o Operation) error {
	if w == nil || w.Before == nil {
		return nil
	}
	return w.Before(o)
}

func (w *Watcher) after(o Operation) {
	if w != nil && w.After != nil {
		w.After(o)
	}
}

// watched performs an operation on names and reports it.
func watched(o Operation, do func() error) error {
	w := watcher.Load()
	if err := w.before(o); err != nil {
		return err
	}
	err := do()
	if err == nil {
		w.after(o)
	}
	return err
}
