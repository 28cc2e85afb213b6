package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// partialSuffix is appended to the name of a file until its run is complete.
const partialSuffix = ".partial"

// An Output is a file that a run writes. A nil *Output is one that was not requested.
//
// A run is all or nothing: until it is complete, its file is called NAME.partial, and locked.
// Anything but a regular file, such as /dev/null or a FIFO, is written directly.
type Output struct {
	*sink
	Path       string
	at         string // final path: Path, or where links lead from there
	partial    bool   // it is not written directly, and has its unfinished name
	unfinished bool   // it keeps that name, since its run has failed
	left       bool   // it is to be removed, even if the run is complete
	hadName    bool   // it had its final name when it was opened

	put func(file *os.File, size int64) error // uploads the complete file as an object; nil if it is not one
}

// createOutFile creates a file, or opens one that is written directly.
func createOutFile(path string, m compress.Method, cores int, durable bool) (*Output, error) {
	special, err := isSpecial(path)
	if err != nil {
		return nil, err
	}
	o := &Output{Path: path, at: path, partial: !special}
	if !special {
		o.at, err = behindLinks(path)
	}
	if err != nil {
		return nil, err
	}
	var f *store.File
	if special {
		f, err = openSpecial(path)
	} else {
		f, err = openPartial(o.at, os.O_CREATE)
	}
	if err != nil {
		return nil, err
	}
	if !special {
		err = errors.Join(copyMode(f.File, o.at), f.Truncate(0))
	}
	if err == nil {
		o.sink, err = newSink(f, m, cores, 0)
	}
	if err == nil && durable && !special {
		err = store.SyncPath(filepath.Dir(o.at))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return o, nil
}

// CreateResult creates a file for what a command finds out about its inputs. It returns nil if path
// is empty.
func CreateResult(inputs []string, path string, std Streams) (*Output, error) {
	if path == "" {
		return nil, nil
	}
	if err := RefuseToMix(inputs, []string{path}, std); err != nil {
		return nil, err
	}
	method, err := compress.ByName(path)
	if err != nil {
		return nil, usage.Error(err)
	}
	return std.Create(path, method, 1, false)
}

// openPartial opens the unfinished file of a path, and locks it against other runs. It does not
// follow a symbolic link, since a name that others can guess must not lead elsewhere.
func openPartial(path string, flags int) (*store.File, error) {
	name := path + partialSuffix
	f, err := store.OpenFile(name, os.O_RDWR|unix.O_NOFOLLOW|flags, 0o666)
	if errors.Is(err, unix.ELOOP) {
		return nil, fmt.Errorf("%s is a symbolic link: remove it", name)
	}
	if err != nil {
		return nil, err
	}
	err = store.Lock(f.File)
	if errors.Is(err, store.ErrLocked) {
		err = fmt.Errorf("%s is being written by another run: wait for it, or name another file", name)
	}
	if err != nil && !errors.Is(err, store.ErrNoLocks) { // without locks, an output can still be written
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Reopen opens a file to continue after its committed bytes, whose last ones have the hash tail.
// Any bytes after them are cut off when the run writes or ends.
func Reopen(path string, m compress.Method, cores int, committed uint64, tail string) (*Output, error) {
	special, err := isSpecial(path)
	if err != nil {
		return nil, err
	}
	o := &Output{Path: path, at: path, partial: !special}
	if !special {
		o.at, err = behindLinks(path)
	}
	if err != nil {
		return nil, err
	}
	var f *store.File
	if special {
		f, err = openSpecial(path)
	} else {
		f, err = o.recover(committed, tail)
	}
	if err != nil {
		return nil, err
	}
	o.sink, err = newSink(f, m, cores, committed)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	o.excess = !special
	return o, nil
}

// recover opens the unfinished file at the end of the committed bytes. A run that was killed just
// before its last commit has already given the file its final name.
func (o *Output) recover(committed uint64, tail string) (*store.File, error) {
	if committed == 0 {
		return openPartial(o.at, os.O_CREATE) // an empty file was not kept
	}
	f, err := openPartial(o.at, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if err := o.checkNamed(committed, tail); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		f, err = o.takeName()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, stream.CannotResume("go on writing %s: %w: give the output of the run to be resumed", o.Path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("go on writing %s: %w", o.Path, err)
	}
	err = checkTail(f.File, f.Name(), 0, committed, tail)
	if err == nil {
		_, err = f.Seek(int64(committed), io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// checkNamed checks that the file with the final name is the one to continue, before it loses that
// name.
func (o *Output) checkNamed(committed uint64, tail string) error {
	f, err := os.Open(o.at)
	if err != nil {
		return err
	}
	return errors.Join(checkTail(f, o.Path, 0, committed, tail), f.Close())
}

// takeName gives the file with the final name its unfinished name, and opens it.
func (o *Output) takeName() (*store.File, error) {
	if err := store.RenamePath(o.at, o.at+partialSuffix); err != nil {
		return nil, err
	}
	o.hadName = true
	return openPartial(o.at, 0)
}

// returnName closes a file that had its final name, and to which nothing was written, and restores
// that name.
func (o *Output) returnName() error {
	isThere := o.checkNotReplaced() == nil
	if _, err := os.Lstat(o.at); !errors.Is(err, fs.ErrNotExist) {
		isThere = false // another file has that name now
	}
	err := o.file.Close()
	if isThere {
		err = errors.Join(err, store.RenamePath(o.at+partialSuffix, o.at))
	}
	return err
}

// tailBytes is the number of bytes at the end of the committed ones that are compared on a resume.
const tailBytes = 64 << 10

// tailOf returns a hash of the last tailBytes of the length bytes at start, or of all if there are
// fewer.
func tailOf(f *os.File, start, length int64) (string, error) {
	part := make([]byte, min(length, tailBytes))
	if _, err := f.ReadAt(part, start+length-int64(len(part))); err != nil {
		return "", err
	}
	return Hash(part), nil
}

// checkTail checks that a file is the one that the run to be resumed has written.
func checkTail(f *os.File, name string, start int64, committed uint64, tail string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() < start+int64(committed) {
		return stream.CannotResume("%s has %d bytes, but the run to be resumed had written %d: give it the "+
			"file that the run wrote",
			name, info.Size()-start, committed)
	}
	if tail == "" {
		return nil // the hash was not recorded, as for standard output
	}
	got, err := tailOf(f, start, int64(committed))
	if err == nil && got != tail {
		err = stream.CannotResume(
			"%s does not hold what the run to be resumed had written: give it the file that the run wrote",
			name)
	}
	return err
}

// Writer returns the file as an io.Writer, or nil if there is no file.
func (o *Output) Writer() io.Writer {
	if o == nil {
		return nil
	}
	return o.sink
}

// CurrentPath returns the current path of the file. Until the file is complete, that is its
// unfinished name.
func (o *Output) CurrentPath() string {
	if o.partial {
		return o.at + partialSuffix
	}
	return o.Path
}

// UnfinishedName returns the name of an output until it is complete.
func UnfinishedName(path string) string { return path + partialSuffix }

// Size returns the number of bytes that have been written to the file.
func (o *Output) Size() uint64 {
	if o == nil {
		return 0
	}
	return o.length
}

// StartIn returns the position in a file of that many bytes at which this run, or the one that it
// resumes, began to write. It is 0 unless the program's caller has opened the file, which may
// already have had contents.
func (o *Output) StartIn(bytes int64) int64 {
	if o == nil || o.partial || o.put != nil {
		return 0
	}
	return max(0, bytes-int64(o.length))
}

// Uncompressed returns the number of bytes that this run has written, before compression.
func (o *Output) Uncompressed() uint64 {
	if o == nil {
		return 0
	}
	return o.received
}

// SetContents sets whether the file consists of gzip members, and whether it must be durable
// because an index relies on it.
func (o *Output) SetContents(packed, durable bool) { o.packed, o.durable = packed, durable }

// Tail returns a hash of the last bytes of the file. It is empty if they cannot be read back. They
// are not compared then.
func (o *Output) Tail() string {
	if !o.partial {
		return ""
	}
	tail, _ := tailOf(o.file.File, 0, int64(o.length))
	return tail
}

// Sync makes all written bytes durable.
func (o *Output) Sync() error {
	if o == nil {
		return nil
	}
	err := errors.Join(o.settle(), o.cut())
	if err == nil {
		err = o.checkNotReplaced()
	}
	return errors.Join(err, syncFile(o.file))
}

// checkNotReplaced returns an error if the file was deleted or replaced while it was written. What
// was written would be lost, but the index would remember it.
func (o *Output) checkNotReplaced() error {
	if !o.partial {
		return nil
	}
	named, err := os.Lstat(o.at + partialSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s has gone while it was written: %w", o.at+partialSuffix, err)
	}
	if err != nil {
		return err
	}
	open, err := o.file.Stat()
	if err == nil && !os.SameFile(named, open) {
		err = fmt.Errorf("%s was replaced by another file while it was written", o.at+partialSuffix)
	}
	return err
}

// LeaveOut makes a complete run remove the file instead of giving it its name, as for an input that
// could not be read. A file that is written directly stays.
func (o *Output) LeaveOut() { o.left = o.partial || o.put != nil }

// remove closes the file and removes it.
func (o *Output) remove() error {
	isThere := o.partial && o.checkNotReplaced() == nil
	err := errors.Join(o.settle(), o.file.Close())
	if isThere {
		err = errors.Join(err, store.RemovePath(o.at+partialSuffix))
	}
	return err
}

// Finish closes the file, and gives it its name if the run is complete. If durable is set, both
// survive a power failure.
func (o *Output) Finish(complete, durable bool) error {
	if o == nil {
		return nil
	}
	switch {
	case complete && o.left:
		return o.remove()
	case !complete && o.hadName && o.received == 0:
		return o.returnName()
	}
	err := errors.Join(o.settle(), o.cut())
	if err == nil && complete {
		err = o.end()
	}
	if !complete {
		err = nil // the run has failed already, perhaps for the same reason
	}
	if err == nil && complete && o.put != nil {
		err = o.put(o.file.File, int64(o.length))
	}
	if complete && durable {
		err = errors.Join(err, syncFile(o.file))
	}
	if err == nil && complete {
		err = o.checkNotReplaced()
	}
	if err == nil && complete && o.partial {
		err = store.RenamePath(o.at+partialSuffix, o.at)
	}
	isThere := o.partial && o.checkNotReplaced() == nil
	// some file systems report a failed write only here
	if failed := o.file.Close(); failed != nil && complete {
		err = errors.Join(err, fmt.Errorf("close %s: %w", OutputName(o.Path), failed))
	}
	if !complete && isThere && o.length == 0 {
		return store.RemovePath(o.at + partialSuffix) // it is empty
	}
	o.unfinished = isThere && (!complete || err != nil)
	if err != nil || !complete || !o.partial || !durable {
		return err
	}
	return store.SyncPath(filepath.Dir(o.at))
}

// syncFile makes what was written to a regular file durable. It does nothing for a pipe or a
// terminal.
func syncFile(f *store.File) error {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	return f.Sync()
}
