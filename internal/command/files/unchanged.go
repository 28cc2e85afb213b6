package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/object"
)

// seenInputs holds the inputs of a command that reads them several times, as they were before the
// first reading. What is known from one reading must not be applied to the records of another file.
type seenInputs []seenFile

// A seenFile is a file as it was at some time.
type seenFile struct {
	path string
	Identity
	bytes    int64
	modified int64  // nanoseconds since 1970
	contents string // a hash of its first and last bytes
}

// see returns the file at a path as it is now. ok is false for anything but a regular file that can
// be read, since opening it for its records reports the error.
func see(path string) (f seenFile, ok bool) {
	file, err := os.Open(path)
	if err != nil {
		return f, false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return f, false
	}
	f = seenFile{path: path, bytes: info.Size(), modified: info.ModTime().UnixNano()}
	f.Identity, err = IdentityOf(file)
	if err == nil {
		f.contents, err = edgesOf(file, f.bytes)
	}
	return f, err == nil
}

// edgesOf returns a hash of the beginning and the end of a file, which may since have grown: what
// follows the given number of bytes is ignored.
func edgesOf(file *os.File, bytes int64) (string, error) {
	return contentsOf(io.NewSectionReader(file, 0, bytes), bytes, 0)
}

// isSame reports whether the file is as it was, or was only appended to. Whoever reads it again
// counts the records, so that those that were appended in between are noticed.
func (f seenFile) isSame() bool {
	info, err := os.Stat(f.path)
	if err != nil {
		return false
	}
	is, err := IdentityAt(f.path)
	if err != nil || is != f.Identity || info.Size() < f.bytes {
		return false
	}
	if info.Size() == f.bytes {
		return info.ModTime().UnixNano() == f.modified
	}
	file, err := os.Open(f.path)
	if err != nil {
		return false
	}
	contents, err := edgesOf(file, f.bytes)
	return errors.Join(err, file.Close()) == nil && contents == f.contents
}

// See notes how the inputs are before they are read for the first time. CheckUnchanged compares
// that with what they are after the last time. An object that is opened again in another version is
// an error then. Archives are noted as they were when they were listed.
func (s *Streams) See(inputs []string) {
	s.seen = nil
	noted := map[string]bool{"-": true, s.kept: true}
	for _, input := range inputs {
		if object.IsRemote(input) {
			s.Objects.Pin()
			continue
		}
		path := s.archives.fileOf(input)
		if noted[path] {
			continue
		}
		noted[path] = true
		f, ok := see(path)
		if of, _, isMember := s.archives.find(input); isMember {
			f, ok = of.seen, of.seen != seenFile{}
		}
		if ok {
			s.seen = append(s.seen, f)
		}
	}
}

// CheckUnchanged returns an error if an input is not what it was when See noted it.
func (s Streams) CheckUnchanged() error {
	i := slices.IndexFunc(s.seen, func(f seenFile) bool { return !f.isSame() })
	if i < 0 {
		return nil
	}
	return fmt.Errorf("%s has changed while it was read: run again when nothing writes to it",
		InputName(s.seen[i].path))
}
