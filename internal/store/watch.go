package store

import (
	"errors"
	"sync/atomic"
)

// A Kind is a kind of operation.
type Kind string

// The first group changes files or makes changes durable; the second changes nothing.
const (
	Create   Kind = "create"
	Rename   Kind = "rename"
	Remove   Kind = "remove"
	MakeDir  Kind = "mkdir"
	SyncDir  Kind = "sync directory"
	Write    Kind = "write"
	Truncate Kind = "truncate"
	SyncFile Kind = "sync"

	Open  Kind = "open"
	Read  Kind = "read" // ReadAt alone
	Stat  Kind = "stat"
	List  Kind = "list"
	Close Kind = "close" // closes the file even if it fails
)

// An Operation is an operation on a path, or on an open file, whose Path is where it was opened.
type Operation struct {
	Kind     Kind
	Path, To string // To is the new name of a Rename
	Inode    uint64 // of the file; for Create set afterwards
	Offset   int64  // of a Write; the new length for Truncate
	Data     []byte // of a Write; valid until the watcher returns
}

// A Watcher is notified of each operation. Any of its functions may be nil.
type Watcher struct {
	// called before a change, which an error prevents
	Before func(Operation) error
	After  func(Operation) // called after a change
	// called before an operation that changes nothing; an error makes it fail
	Reading func(Operation) error
}

// ErrDone, returned by Watcher.Before, makes an operation succeed without performing it: a test
// that records what is flushed need not wait for a disk.
var ErrDone = errors.New("done")

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
	err := w.before(o)
	switch err {
	case nil:
		err = do()
	case ErrDone:
		err = nil
	}
	if err == nil {
		w.after(o)
	}
	return err
}

// reading reports an operation that changes nothing.
func reading(kind Kind, path string) error {
	if w := watcher.Load(); w != nil && w.Reading != nil {
		return w.Reading(Operation{Kind: kind, Path: path})
	}
	return nil
}
