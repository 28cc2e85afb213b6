package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/mithril-stream/mithril-stream/internal/bundle"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/object"
)

// memberMark separates an archive from the name of a member, as in the input
// archive.tar.gz!dir/member.jsonl.
const memberMark = "!"

// archives keeps the archives among the inputs, so that each is listed only once. It is safe for
// concurrent use. A nil *archives is empty.
type archives struct {
	mu     sync.Mutex
	listed map[string]*listedArchive // by path
	inputs map[string]archiveInput   // by input name
}

// A listedArchive is an archive on this machine. If err is set, the archive cannot be read. It is
// then an input itself, which fails in its turn like any other input.
type listedArchive struct {
	*bundle.Archive
	path string
	seen seenFile // as it was when it was listed; zero if it could not be read
	err  error
}

// An archiveInput is an input that is a member of an archive, or an archive that cannot be read.
type archiveInput struct {
	of     *listedArchive
	member bundle.Member
}

// find returns the archive and the member of an input that comes from an archive.
func (a *archives) find(path string) (of *listedArchive, m bundle.Member, is bool) {
	if a == nil {
		return nil, m, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	in, is := a.inputs[path]
	return in.of, in.member, is
}

// fileOf returns the path of the file that an input is read from.
func (a *archives) fileOf(path string) string {
	if of, _, isMember := a.find(path); isMember {
		return of.path
	}
	return path
}

// open opens a member.
func (l *listedArchive) open(m bundle.Member) (io.ReadCloser, error) {
	if l.err != nil {
		return nil, l.err
	}
	return l.Open(m)
}

// contentsOf returns what Streams.ContentsOf does for a member: the same as for the archived file.
func (l *listedArchive) contentsOf(m bundle.Member) (string, error) {
	if l.err != nil || m.Contents != "" {
		return m.Contents, l.err
	}
	in, err := l.Open(m)
	if err != nil {
		return "", err
	}
	edges := &bundle.Edges{}
	_, err = io.Copy(edges, in)
	return edgesHash(edges), errors.Join(err, in.Close())
}

func edgesHash(e *bundle.Edges) string { return contentsHash(e.Length, e.First(), e.Last()) }

// isArchive reports whether a file is an archive, judging by its name.
func isArchive(name string) bool {
	_, is := bundle.TrimSuffix(name)
	return is
}

// isMember reports whether an argument may name members of an archive.
func isMember(arg string) bool {
	before, _, is := strings.Cut(arg, memberMark)
	return is && isArchive(before)
}

// isBroken reports whether an input is an archive that cannot be read.
func (a *archives) isBroken(path string) bool {
	of, _, is := a.find(path)
	return is && of.err != nil
}

// WithoutArchive returns the path by which to place the output of an input. That of a member is in
// a directory named after its archive.
func (s Streams) WithoutArchive(path string) string {
	of, m, isMember := s.archives.find(path)
	if !isMember || m.Name == "" {
		return path
	}
	stem, _ := bundle.TrimSuffix(of.path)
	return filepath.Join(stem, filepath.FromSlash(m.Name))
}

// withMembers replaces archives by their members.
func (s Streams) withMembers(found []string) ([]string, error) {
	var paths []string
	for _, path := range found {
		if object.IsRemote(path) || !isArchive(path) {
			paths = append(paths, path)
			continue
		}
		members, err := s.members(path)
		if err != nil {
			return nil, err
		}
		paths = append(paths, members...)
	}
	return paths, nil
}

// members lists an archive, and returns its members as inputs. An archive that cannot be read is an
// input itself, which fails in its turn. Hidden members are left out like hidden files.
func (s Streams) members(path string) ([]string, error) {
	if s.archives == nil {
		return []string{path}, nil
	}
	of, err := s.listArchive(path)
	if err != nil || of == nil {
		return []string{path}, err
	}
	s.archives.mu.Lock()
	defer s.archives.mu.Unlock()
	if s.archives.inputs == nil {
		s.archives.inputs = map[string]archiveInput{}
	}
	if of.err != nil {
		s.archives.inputs[path] = archiveInput{of, bundle.Member{}}
		return []string{path}, nil
	}
	var paths []string
	for _, m := range of.Members {
		name := path + memberMark + m.Name
		if isHiddenMember(m.Name) && s.Selection.hides(name) {
			continue
		}
		if _, err := os.Lstat(name); err == nil {
			return nil, fmt.Errorf("%s is both a file and a member of %s: rename the file", name, path)
		}
		s.archives.inputs[name] = archiveInput{of, m}
		paths = append(paths, name)
	}
	if s.Selection != nil && of.Links > 0 {
		s.Selection.links = addNew(s.Selection.links, []string{path})
	}
	switch {
	case len(paths) == 0 && len(of.Members) > 0:
		return nil, errHidden(path)
	case len(paths) == 0:
		return nil, fmt.Errorf("%s: there are no files in this archive", path)
	}
	return paths, nil
}

func isHiddenMember(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if isHidden(part) {
			return true
		}
	}
	return false
}

// listArchive lists an archive, unless it has been listed already. It returns nil if the file is
// not an archive despite its name.
func (s Streams) listArchive(path string) (*listedArchive, error) {
	s.archives.mu.Lock()
	of := s.archives.listed[path]
	s.archives.mu.Unlock()
	if of != nil {
		return of, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is an archive by its name, but not a regular file: an archive is read twice, so "+
			"copy it to a file, or pipe its contents, as tar -xOf does", path)
	}
	of = &listedArchive{path: path}
	of.seen, _ = see(path)
	head, err := s.headOf(path)
	switch {
	case err != nil:
	case bundle.IsZip(head):
		of.Archive, err = bundle.Zip(func() (*os.File, error) { return os.Open(path) })
	case bundle.IsTar(head) || isEndMark(head):
		of.Archive, err = bundle.Tar(func() (io.ReadCloser, error) { return s.openPacked(path) }, edgesHash)
	default: // not an archive despite its name
		return nil, nil
	}
	of.err = err
	s.archives.mu.Lock()
	defer s.archives.mu.Unlock()
	if s.archives.listed == nil {
		s.archives.listed = map[string]*listedArchive{}
	}
	s.archives.listed[path] = of
	return of, nil
}

// openPacked opens a file, decompressed but not split into members.
func (s Streams) openPacked(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := compress.NewReader(f, path, s.MaxWindow)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return r, nil
}

// headOf returns the first bytes of a file, decompressed.
func (s Streams) headOf(path string) ([]byte, error) {
	f, err := s.openPacked(path)
	if err != nil {
		return nil, err
	}
	head := make([]byte, bundle.HeadBytes)
	n, err := io.ReadFull(f, head)
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		err = nil
	}
	return head[:n], errors.Join(err, f.Close())
}

// isEndMark reports whether a file begins like a tar archive without members.
func isEndMark(head []byte) bool {
	return len(head) == bundle.HeadBytes && len(bytes.Trim(head, "\x00")) == 0
}

// membersMatching returns the members that an argument names, or matches as a pattern.
func (s Streams) membersMatching(arg string) ([]string, error) {
	file, pattern, _ := strings.Cut(arg, memberMark)
	all, err := s.members(file)
	if err != nil {
		return nil, err
	}
	var matching []string
	for _, name := range all {
		if name == arg || name == file {
			return []string{name}, nil
		}
		is, err := path.Match(pattern, name[len(file)+len(memberMark):])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", arg, object.ErrPattern)
		}
		if is {
			matching = append(matching, name)
		}
	}
	if len(matching) == 0 {
		return nil, &fs.PathError{Op: "open", Path: arg, Err: fs.ErrNotExist}
	}
	return matching, nil
}

func errRemoteArchive(path string) error {
	return fmt.Errorf("%s is an archive by its name, and archives are read only from files on this machine: copy it "+
		"here, or pipe its contents, as tar -xOf does", object.Name(path))
}
