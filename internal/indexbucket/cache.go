package indexbucket

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/zeebo/xxh3"
	"golang.org/x/sys/unix"
)

// A cache is the local directory for the downloaded files of one index.
//
//	files/<xxh3>-<length>   files of the index; never changed
//	run-<number>/index/     the copy that a run works on
//	run-<number>/LOCK       held by that run
//	kept-<number>/index/    the copy of a run that could not publish it
//	LOCK                    held while a run begins
//
// Nothing in it is trusted: a file is used only if its length and checksum are right. So nothing
// needs to be flushed, and the directory may be removed while no program runs.
type cache struct{ dir string }

const (
	runPrefix  = "run-"
	keptPrefix = "kept-"
)

// cacheFor returns the cache of an index, inside a directory for several.
func cacheFor(dir, url string) cache {
	return cache{filepath.Join(dir, fmt.Sprintf("%s-%016x", path.Base(url), xxh3.HashString(url)))}
}

func (c cache) path(f file) string {
	return filepath.Join(c.dir, "files", fmt.Sprintf("%016x-%d", f.sum, f.length))
}

// begin creates the directory of a run, and removes those of killed runs. guard holds its lock.
func (c cache) begin() (run string, guard *os.File, err error) {
	if err := os.MkdirAll(filepath.Join(c.dir, "files"), 0o700); err != nil {
		return "", nil, fmt.Errorf("no place for what is fetched of the index: %w: name one that can be written by "+
			"--index-cache DIR", err)
	}
	beginning, err := lockedFile(c.dir, unix.LOCK_EX) // held for a moment
	if err != nil {
		return "", nil, err
	}
	defer beginning.Close()
	if err := c.sweep(); err != nil {
		return "", nil, err
	}
	if run, err = os.MkdirTemp(c.dir, runPrefix); err != nil {
		return "", nil, err
	}
	guard, err = lockedFile(run, unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		err = os.Mkdir(filepath.Join(run, "index"), 0o700)
	}
	return run, guard, err
}

// sweep removes the directories of runs whose lock is free.
func (c cache) sweep() error {
	runs, err := filepath.Glob(filepath.Join(c.dir, runPrefix+"*"))
	if err != nil {
		return err
	}
	for _, run := range runs {
		guard, err := lockedFile(run, unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, fs.ErrNotExist) {
			continue // it is running, or has just ended
		}
		if err == nil {
			err = errors.Join(os.RemoveAll(run), guard.Close())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lockedFile locks a directory until the returned file is closed.
func lockedFile(dir string, how int) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "LOCK"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		if err = unix.Flock(int(f.Fd()), how); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", f.Name(), err), f.Close())
	}
	return f, nil
}

// keepOnly removes files that are not in a generation. Another program has what it needs in its own
// directory, or downloads it.
func (c cache) keepOnly(g generation) error {
	needed := map[string]bool{}
	for _, f := range g.files {
		needed[c.path(f)] = true
	}
	there, err := filepath.Glob(filepath.Join(c.dir, "files", "*"))
	if err != nil {
		return err
	}
	for _, name := range there {
		if !needed[name] {
			err = errors.Join(err, removed(os.Remove(name)))
		}
	}
	return err
}

// removed ignores the error if another program was faster to remove a file.
func removed(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// isChanged reports whether the file is modified in place while an index is open. Others are
// replaced or removed, so a hard link is as good as a copy.
func isChanged(name string) bool {
	return name == "exact" || strings.HasPrefix(name, "exact-") || strings.HasPrefix(name, "log-")
}

// share creates a hard link, or a copy where that is impossible.
func share(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return err
	}
	return duplicate(from, to)
}

func duplicate(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// describe returns the length and the checksum of a local file.
func describe(path string) (length int64, sum uint64, err error) {
	in, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer in.Close()
	h := xxh3.New()
	length, err = io.Copy(h, in)
	return length, h.Sum64(), err
}
