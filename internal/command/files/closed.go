package files

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// isClosed reports whether the program was started without f, one of the first three descriptors.
// The Go runtime opens /dev/null in its place before anything else, for reading and writing. A
// shell opens it only for reading with < /dev/null, and only for writing with > /dev/null. Some
// callers, such as Python's subprocess.DEVNULL, open it for both, too. They are asked to say what
// they mean.
func isClosed(f *os.File) (bool, error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return false, err
	}
	flags, failed := 0, error(nil)
	err = conn.Control(func(fd uintptr) { flags, failed = unix.FcntlInt(fd, unix.F_GETFL, 0) })
	if err = errors.Join(err, os.NewSyscallError("fcntl", failed)); err != nil {
		return false, err
	}
	if flags&unix.O_ACCMODE != unix.O_RDWR {
		return false, nil
	}
	is, err := f.Stat()
	if err != nil {
		return false, err
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(is, null), nil
}

// refuseClosed returns an error if the program was started without f, such as standard output or
// standard error. Anything written to it would be lost without an error.
func refuseClosed(f *os.File, name string) error {
	switch closed, err := isClosed(f); {
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case !closed:
		return nil
	}
	return fmt.Errorf("%s is closed (>&-), or is /dev/null opened for reading too, so what is written there would be "+
		"lost: name a file (-o FILE, or > FILE), or open /dev/null for writing alone (-o /dev/null, or > /dev/null) "+
		"to have it dropped", name)
}

// refuseClosedInput returns an error if the program was started without standard input. Otherwise a
// pipe that somebody meant to pass would become an input without records.
func refuseClosedInput(f *os.File) error {
	switch closed, err := isClosed(f); {
	case err != nil:
		return fmt.Errorf("standard input: %w", err)
	case !closed:
		return nil
	}
	return errors.New("standard input is closed (<&-), or is /dev/null opened for writing too: name a FILE to read; " +
		"or, for an input without records, open /dev/null for reading alone (< /dev/null)")
}

// A Stdout is standard output. Commands get it only in this form, so none of them loses results in
// a closed one without an error. Call Open to get that error before anything is read.
type Stdout struct{ file *os.File }

// StdoutOf returns a file as standard output.
func StdoutOf(f *os.File) Stdout { return Stdout{f} }

// Open returns the file, for more than writing. It returns an error if the program was started
// without standard output.
func (s Stdout) Open() (*os.File, error) { return s.file, refuseClosed(s.file, "standard output") }

// Write fails if the program was started without standard output.
func (s Stdout) Write(p []byte) (int, error) {
	f, err := s.Open()
	if err != nil {
		return 0, err
	}
	return f.Write(p)
}

// Said returns the file for output that may be lost: messages about what was done, which the exit
// code tells, too.
func (s Stdout) Said() *os.File { return s.file }

// Stat describes the file.
func (s Stdout) Stat() (os.FileInfo, error) { return s.file.Stat() }

// Fd returns the descriptor.
func (s Stdout) Fd() uintptr { return s.file.Fd() }
