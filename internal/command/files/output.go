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

// partialSuffix is what a file is called until its run is complete.
const partialSuffix = ".partial"

// An Output is a file that a run writes. A nil *outFile is one that was not asked for.
//
// A run is all or nothing: until it is complete its file is called NAME.partial, and locked. What
// is not a regular file, such as /dev/null or a FIFO, is written directly.
type Output struct {
	*sink
	Path       string
	at         string // the file that it becomes: Path, or where links lead from there
	partial    bool   // it has its unfinished name
	unfinished bool   // it keeps that: its run has failed
	left       bool   // it is to get no name, though the run is complete
	hadName    bool   // it had its name when it was opened

	put func(file *os.File, size int64) error // makes it an object, when it is complete; nil if it is none
}

// createOutFile begins a file.
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

// CreateResult begins a file for what a command has found out about its inputs; nil without a path.
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

// openPartial opens the unfinished file of that name, for one run alone. It follows no symbolic
// link: a name that others can guess must not lead elsewhere.
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
	if err != nil && !errors.Is(err, store.ErrNoLocks) { // there an output can be written all the same
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Reopen opens a file to continue after its committed bytes, which end with the bytes of the hash
// tail. What follows them is cut off when the run writes or ends.
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

// recover opens the unfinished file, at the end of what is committed. A run that was killed just
// before its last commit has given the file its name already.
func (o *Output) recover(committed uint64, tail string) (*store.File, error) {
	if committed == 0 {
		return openPartial(o.at, os.O_CREATE) // what holds nothing was not kept
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

// checkNamed makes sure that the file that has the name is the one to go on with, before it loses
// the name.
func (o *Output) checkNamed(committed uint64, tail string) error {
	f, err := os.Open(o.at)
	if err != nil {
		return err
	}
	return errors.Join(checkTail(f, o.Path, 0, committed, tail), f.Close())
}

// takeName gives the file with the name its unfinished name, and opens it.
func (o *Output) takeName() (*store.File, error) {
	if err := store.RenamePath(o.at, o.at+partialSuffix); err != nil {
		return nil, err
	}
	o.hadName = true
	return openPartial(o.at, 0)
}

// returnName closes a file that had its name, and to which nothing was written, and gives it back.
func (o *Output) returnName() error {
	isThere := o.checkNotReplaced() == nil
	if _, err := os.Lstat(o.at); !errors.Is(err, fs.ErrNotExist) {
		isThere = false // another file has it now
	}
	err := o.file.Close()
	if isThere {
		err = errors.Join(err, store.RenamePath(o.at+partialSuffix, o.at))
	}
	return err
}

// tailBytes is how much of the end of what is committed is compared when a run is resumed.
const tailBytes = 64 << 10

// tailOf hashes the last of the length bytes that begin at start.
func tailOf(f *os.File, start, length int64) (string, error) {
	part := make([]byte, min(length, tailBytes))
	if _, err := f.ReadAt(part, start+length-int64(len(part))); err != nil {
		return "", err
	}
	return Hash(part), nil
}

// checkTail makes sure that a file is the one that the run to be resumed has written.
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
		return nil // it was committed by a program that did not note it
	}
	got, err := tailOf(f, start, int64(committed))
	if err == nil && got != tail {
		err = stream.CannotResume(
			"%s does not hold what the run to be resumed had written: give it the file that the run wrote",
			name)
	}
	return err
}

// Writer returns the file as an io.Writer that is nil where there is no file.
func (o *Output) Writer() io.Writer {
	if o == nil {
		return nil
	}
	return o.sink
}

// Size is how many bytes have been written to the file.
func (o *Output) Size() uint64 {
	if o == nil {
		return 0
	}
	return o.length
}

// StartIn returns where in a file of that many bytes this run, or the one that it resumes, has
// begun to write: after what was there before, if whoever started the program has opened the file.
func (o *Output) StartIn(bytes int64) int64 {
	if o == nil || o.partial || o.put != nil {
		return 0
	}
	return max(0, bytes-int64(o.length))
}

// Uncompressed is how many bytes this run has written, before they were compressed.
func (o *Output) Uncompressed() uint64 {
	if o == nil {
		return 0
	}
	return o.received
}

// SetContents says what the file holds: gzip members, if it is packed; and that an index counts on
// it, if it is durable.
func (o *Output) SetContents(packed, durable bool) { o.packed, o.durable = packed, durable }

// Tail is the hash of the last bytes of the file, where they can be read back: else it is empty,
// and not compared.
func (o *Output) Tail() string {
	if !o.partial {
		return ""
	}
	tail, _ := tailOf(o.file.File, 0, int64(o.length))
	return tail
}

// Sync makes durable what was written.
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

// checkNotReplaced reports a file that was deleted or replaced while it was written: what it got
// would be lost, and the index would remember it.
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

// LeaveOut has a complete run remove the file in place of giving it its name: there is nothing to
// say with it. What is not a regular file stays.
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

// Finish closes the file, and gives it its name if the run is complete; durable makes both last
// through a loss of power.
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
		return store.RemovePath(o.at + partialSuffix) // it holds nothing
	}
	o.unfinished = isThere && (!complete || err != nil)
	if err != nil || !complete || !o.partial || !durable {
		return err
	}
	return store.SyncPath(filepath.Dir(o.at))
}

// syncFile makes what was written durable, where that has a meaning: not for a pipe or a terminal.
func syncFile(f *store.File) error {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	return f.Sync()
}
