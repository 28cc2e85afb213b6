package files

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// refuseClosed refuses standard output, or another of the first three descriptors, if the program
// was started without it. The runtime of Go puts /dev/null in its place, so what is written would
// be lost without an error. It opens that for reading and writing, where a shell's > /dev/null is
// for writing alone. Python's subprocess.DEVNULL and the like open it in the same way, so this asks
// too much of those who drop the output: it is for runs whose index would remember what is lost.
func refuseClosed(f *os.File, name string) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	flags, failed := 0, error(nil)
	err = conn.Control(func(fd uintptr) { flags, failed = unix.FcntlInt(fd, unix.F_GETFL, 0) })
	if err = errors.Join(err, os.NewSyscallError("fcntl", failed)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if flags&unix.O_ACCMODE != unix.O_RDWR {
		return nil
	}
	is, err := f.Stat()
	if err != nil {
		return err
	}
	null, err := os.Stat(os.DevNull)
	if err != nil || !os.SameFile(is, null) {
		return nil
	}
	return fmt.Errorf("%s is closed (>&-), or /dev/null opened for reading too, and the index would remember records "+
		"that are lost: name a file (-o FILE, or > FILE), or say -o /dev/null to have them dropped", name)
}

// RefuseClosed refuses standard output if the program was started without it.
func (s Streams) RefuseClosed() error { return refuseClosed(s.Out, "standard output") }
