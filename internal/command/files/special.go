package files

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/mithril-stream/mithril-stream/internal/store"
)

// descriptorOf returns the descriptor that a path such as /dev/stdout refers to. It is written
// directly even if it is a file, since that has another name, which must not change.
func descriptorOf(path string) (fd int, is bool) {
	switch path {
	case "/dev/stdout":
		return 1, true
	case "/dev/stderr":
		return 2, true
	}
	for _, dir := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if number, ok := strings.CutPrefix(path, dir); ok {
			fd, err := strconv.Atoi(number)
			return fd, err == nil && fd >= 0
		}
	}
	return 0, false
}

// openSpecial opens the descriptor that a path refers to, or a path that is not a regular file.
func openSpecial(path string) (*store.File, error) {
	fd, is := descriptorOf(path)
	if !is {
		return store.OpenFile(path, os.O_WRONLY, 0)
	}
	file, err := copyDescriptor(fd, path)
	if err != nil {
		return nil, err
	}
	if fd <= 2 {
		err = refuseClosed(file, path)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return store.Of(file), nil
}

// copyDescriptor returns a file for a duplicate of a descriptor.
func copyDescriptor(fd int, path string) (*os.File, error) {
	copied, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return os.NewFile(uintptr(copied), path), nil
}

// OpenedBefore returns the file of an output if the program's caller has opened it: standard
// output, or the file that a path such as /dev/fd/3 refers to. Otherwise f is nil. done releases
// the file.
func (s Streams) OpenedBefore(output string) (f *os.File, done func() error, err error) {
	if output == "-" {
		return s.Out.file, func() error { return nil }, nil
	}
	fd, is := descriptorOf(output)
	if !is {
		return nil, nil, nil
	}
	if f, err = copyDescriptor(fd, output); err != nil {
		return nil, nil, err
	}
	return f, f.Close, nil
}

// isSpecial reports whether path is a descriptor, or exists and is not a regular file. It returns
// an error for a directory.
func isSpecial(path string) (bool, error) {
	if _, is := descriptorOf(path); is {
		return true, nil
	}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() || err != nil && strings.HasSuffix(path, "/") {
		return false, fmt.Errorf("output %s is a directory: name a file", path)
	}
	return err == nil && !info.Mode().IsRegular(), nil
}
