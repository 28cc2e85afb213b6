package index

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/store"
)

// A Log is an append-only file of a section, open for writing. What is appended counts from the
// next commit on. The Writer flushes and closes the file.
type Log struct {
	*store.File // nil while closed
	name        string
	bytes       int64 // durable length
	isKept      bool
	flush       func() (int64, error) // nil once nothing more is appended
	pending     int64                 // its length at that point, until that is durable; then 0
}

// FlushBy sets the function that a commit calls to write everything appended so far. flush returns
// the length of the file; it need not make the data durable.
func (l *Log) FlushBy(flush func() (length int64, err error)) { l.flush = flush }

// End flushes the log once more, after which nothing more may be appended. The log stays open.
func (l *Log) End() (err error) {
	if l.flush != nil {
		l.pending, err = l.flush()
		l.flush = nil
	}
	return err
}

// EndAt declares that the log ends at length and that nothing more is appended.
func (l *Log) EndAt(length int64) { l.flush, l.pending = nil, length }

// sync makes the log durable, up to the length that will count.
func (l *Log) sync() error {
	length := cmp.Or(l.pending, l.bytes)
	if l.flush != nil {
		var err error
		if length, err = l.flush(); err != nil {
			return err
		}
	}
	if length == l.bytes && l.pending == 0 {
		return nil
	}
	if err := l.File.Sync(); err != nil {
		return err
	}
	l.bytes, l.pending = length, 0
	return nil
}

// logs holds the open logs of a Writer.
type logs struct {
	list    []*Log // in no particular order
	created bool   // a new name is not yet durable
}

// loadLogs adopts the logs of the last commit.
func (w *Writer) loadLogs() {
	w.logs = logs{}
	for _, l := range w.last.logs {
		w.logs.list = append(w.logs.list, &Log{name: l.name, bytes: l.bytes, isKept: l.isKept})
	}
}

func (l *logs) find(name string) *Log {
	i := slices.IndexFunc(l.list, func(of *Log) bool { return of.name == name })
	if i < 0 {
		return nil
	}
	return l.list[i]
}

// OpenLog opens a log that the last commit lists, and returns its length. The caller must cut off
// whatever the file has beyond that, which does not count.
func (w *Writer) OpenLog(name string) (log *Log, length int64, err error) {
	file, length, err := openListed(w.files, &w.last, name, w.files.OpenForWriting)
	if err != nil {
		return nil, 0, err
	}
	log = w.logs.find(name)
	log.File = file
	return log, length, nil
}

// ReadLog opens for reading a log that the last commit lists, even if it holds dropped data. The
// caller closes it.
func (w *Writer) ReadLog(name string) (file *store.File, length int64, err error) {
	return openListed(w.files, &w.last, name, w.files.Open)
}

// CreateLog creates a log, which the next commit will list. The name must not be one that the last
// commit lists. A leftover file of that name is replaced.
func (w *Writer) CreateLog(name string) (*Log, error) {
	if w.logs.find(name) != nil || !isLog(name) {
		return nil, fmt.Errorf("internal error: a log %q is created in %s", name, w.files.Path())
	}
	file, err := w.files.Create(name)
	if err != nil {
		return nil, err
	}
	log := &Log{File: file, name: name}
	w.logs.list, w.logs.created = append(w.logs.list, log), true
	return log, nil
}

// DropLog excludes a log from the next commit. If isKept is set, it stays in the directory and in
// the list, for undo and repetition, until KeepLogs gives it up.
func (w *Writer) DropLog(name string, isKept bool) (err error) {
	log := w.logs.find(name)
	if log == nil {
		return nil
	}
	if err := log.End(); err != nil {
		return err
	}
	if isKept && log.pending > 0 {
		err = log.sync()
	}
	if log.File != nil {
		err = cmp.Or(err, log.File.Close())
		log.File = nil
	}
	if log.isKept = isKept; !isKept {
		w.logs.list = slices.DeleteFunc(w.logs.list, func(l *Log) bool { return l == log })
	}
	return err
}

// ReplaceLog replaces a log with a new one, from the next commit on. It calls write with the old
// file and the length up to which that counts; write fills the new log and returns its length.
func (w *Writer) ReplaceLog(old, name string, write func(from *File, length int64, to *Log) (int64, error)) error {
	from, length, err := w.ReadLog(old)
	if err != nil {
		return err
	}
	to, err := w.CreateLog(name)
	if err == nil {
		length, err = write(from, length, to)
	}
	if err = errors.Join(err, from.Close()); err != nil {
		return err
	}
	to.EndAt(length)
	return w.DropLog(old, false)
}

// KeepLogs gives up the logs of dropped data that isNeeded rejects, from the next commit on.
func (w *Writer) KeepLogs(isNeeded func(name string) bool) {
	w.logs.list = slices.DeleteFunc(w.logs.list, func(l *Log) bool { return l.isKept && !isNeeded(l.name) })
}

// Logs returns the names of the logs that the last commit lists, including those that hold dropped
// data.
func (w *Writer) Logs() (names []string) {
	for _, l := range w.last.logs {
		names = append(names, l.name)
	}
	return names
}

// HasLogs reports whether the last commit lists any logs.
func (w *Writer) HasLogs() bool { return len(w.last.logs) > 0 }

// LogPath returns the path of a log, for messages.
func (w *Writer) LogPath(name string) string { return filepath.Join(w.files.Path(), name) }

// syncLogs makes all logs and their names durable, and lists them.
func (w *Writer) syncLogs() (list []listed, err error) {
	for _, l := range w.logs.list {
		if l.File != nil {
			if err := l.sync(); err != nil {
				return nil, err
			}
		}
		list = append(list, listed{l.name, l.bytes, l.isKept})
	}
	slices.SortFunc(list, func(a, b listed) int { return cmp.Compare(a.name, b.name) })
	if w.logs.created {
		err = w.files.Sync()
		w.logs.created = err != nil
	}
	return list, err
}

// closeLogs closes the files of all logs.
func (w *Writer) closeLogs() (err error) {
	for _, l := range w.logs.list {
		if l.File != nil {
			err = cmp.Or(err, l.File.Close())
			l.File = nil
		}
	}
	return err
}
