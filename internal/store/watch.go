package store

import "sync/atomic"

// A Kind is what an operation does.
type Kind string

// The kinds of operations that change what lasts, or make it last.
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

// An Operation is one on a path, or on an open file, of which Path says where it was opened.
type Operation struct {
	Kind     Kind
	Path, To string // To is the new name, of a Rename
	Inode    uint64 // of the file: once it is made, of a Create
	Offset   int64  // of a Write; the new length, of a Truncate
	Data     []byte // of a Write; good until the watcher returns
}

// A Watcher is told of each operation.
type Watcher struct {
	Before func(Operation) error // an error has the operation fail, in place of doing it; or nil
	After  func(Operation)       // it was done; or nil
}

var watcher atomic.Pointer[Watcher]

// Watch has all operations of the process told to a watcher, until stop is called. It is for tests.
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

// watched does an operation on names, and has it told.
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
