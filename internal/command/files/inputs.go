package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Paths returns the files that the arguments name. "-" is standard input, which is also the
// default.
func (s Streams) Paths(args []string) ([]string, error) {
	if len(args) == 0 {
		return []string{"-"}, refuseClosedInput(s.In)
	}
	var paths []string
	for _, arg := range args {
		if arg == "-" {
			if err := refuseClosedInput(s.In); err != nil {
				return nil, err
			}
			paths = append(paths, arg)
			continue
		}
		files, err := s.expand(arg)
		if err != nil {
			return nil, err
		}
		paths = append(paths, files...)
	}
	return paths, nil
}

// Inputs returns files as inputs of a run.
func Inputs(paths []string, std Streams) []stream.Input {
	inputs := make([]stream.Input, len(paths))
	for i, path := range paths {
		inputs[i].Name = std.InputName(path)
		inputs[i].Open = func() (io.ReadCloser, error) { return std.OpenInput(path) }
	}
	return inputs
}

// InputName returns the name of an input in messages and results.
func (s Streams) InputName(path string) string {
	if path == "-" || path == s.kept && s.kept != "" {
		return "stdin"
	}
	return object.Name(path)
}

// OpenInput opens an input, or standard input, at its beginning.
func (s Streams) OpenInput(path string) (io.ReadCloser, error) {
	if path == "-" {
		s.Positions.follow(path, s.In)
		return s.decoded(compress.NewReader(paced(s.Reader(), s.In, s.Cores), "", s.MaxWindow))
	}
	return s.Open(path)
}

// decoded returns the contents of an input as UTF-8, or the error from opening it.
func (s Streams) decoded(in io.ReadCloser, err error) (io.ReadCloser, error) {
	if err != nil {
		return nil, err
	}
	return s.Text.Reader(in), nil
}

// OpenAgain opens standard input, which must be a file, at its current position, and does not
// change that position.
func (s Streams) OpenAgain(string) (io.ReadCloser, error) {
	at, err := s.In.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	rest := io.NewSectionReader(s.In, at, math.MaxInt64-at)
	return s.decoded(compress.NewReader(io.NopCloser(rest), "", s.MaxWindow))
}

// Open opens a file or an object with records.
func (s Streams) Open(path string) (io.ReadCloser, error) { return s.decoded(s.openUnpacked(path)) }

// openUnpacked opens a file or an object, decompressed.
func (s Streams) openUnpacked(path string) (io.ReadCloser, error) {
	f, err := s.OpenRaw(path)
	if err != nil {
		return nil, err
	}
	r, err := compress.NewReader(f, object.Name(path), s.MaxWindow)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if file, isFile := f.(*os.File); isFile && r != f {
		return whole(r, file), nil
	}
	return r, nil
}

// OpenRaw opens a file or an object without decompressing or decoding it.
func (s Streams) OpenRaw(path string) (io.ReadCloser, error) {
	if a, m, isMember := s.archives.find(path); isMember {
		return a.open(m)
	}
	if object.IsRemote(path) {
		return s.Objects.Open(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s.Positions.follow(path, f)
	return f, nil
}

// expand returns the files that an argument names: the file itself; the files selected by
// s.Selection in a directory or an archive; or, if no file has that name, members of an archive, or
// the files that match it as a pattern. Directories and matches are sorted by the bytes of their
// names, and members are in archive order.
func (s Streams) expand(arg string) ([]string, error) {
	if object.IsRemote(arg) {
		return s.list(arg)
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		found, err := s.below(arg, info)
		if err != nil {
			return nil, err
		}
		return s.selected(arg, found)
	case err == nil && isArchive(arg):
		members, err := s.members(arg)
		if err != nil || len(members) == 1 && members[0] == arg {
			return members, err
		}
		return s.selected(arg, members)
	case err == nil:
		return []string{arg}, nil
	case errors.Is(err, fs.ErrNotExist) && isMember(arg):
		return s.membersMatching(arg)
	case errors.Is(err, fs.ErrNotExist) && object.CheckScheme(arg) != nil:
		return nil, usage.Error(object.CheckScheme(arg))
	case !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(arg, "*?["):
		return nil, err
	}
	matches, err := filepath.Glob(arg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", arg, object.ErrPattern)
	}
	if len(matches) == 0 {
		return nil, fmt.Errorf("%s: no file matches", arg)
	}
	var paths []string
	for _, match := range matches {
		files, err := s.expand(match)
		if err != nil {
			return nil, err
		}
		paths = append(paths, files...)
	}
	return paths, nil
}

// list returns the objects that an argument names.
func (s Streams) list(arg string) ([]string, error) {
	if isArchive(object.Name(arg)) {
		return nil, errRemoteArchive(arg)
	}
	found, err := s.Objects.List(arg)
	for _, path := range found.Paths {
		if err == nil && !found.IsDirectory && isArchive(object.Name(path)) {
			err = errRemoteArchive(path)
		}
	}
	if err != nil || !found.IsDirectory { // an object or a pattern is already a selection
		return found.Paths, err
	}
	for _, path := range found.Hidden {
		if !s.Selection.hides(path) {
			found.Paths = append(found.Paths, path)
		}
	}
	slices.Sort(found.Paths)
	if len(found.Paths) == 0 {
		return nil, errHidden(arg)
	}
	return s.selected(arg, found.Paths)
}

// errHidden returns the error for a directory or an archive in which all names begin with a dot or
// an underscore.
func errHidden(dir string) error {
	return fmt.Errorf("%s: the names of all files in it begin with . or _, so none of them is read: add --all-files",
		object.Name(dir))
}

// selected returns the files below a directory that are to be read, and the members of archives
// there.
func (s Streams) selected(dir string, found []string) ([]string, error) {
	found, err := s.withMembers(found)
	if err != nil {
		return nil, err
	}
	found, err = s.rowsOfDatasets(found)
	if err != nil {
		return nil, err
	}
	return s.Selection.of(dir, found, s.archives.isBroken)
}

// below returns the files in a directory and its subdirectories. It follows symbolic links. It
// omits the files of incomplete runs and, unless the user wants all files, names that begin with a
// dot, which are hidden, or with an underscore, which data frameworks add to the files of a data
// set.
func (s Streams) below(dir string, info os.FileInfo) ([]string, error) {
	w := walk{visited: map[fileID]bool{}, hides: s.Selection.hides}
	err := w.visit(dir, info)
	switch {
	case err != nil || len(w.paths) > 0:
	case w.hidden > 0:
		err = errHidden(dir)
	default:
		err = fmt.Errorf("%s: there are no files in this directory", dir)
	}
	if s.Selection != nil {
		s.Selection.revisited = addNew(s.Selection.revisited, w.revisited)
	}
	return w.paths, err
}

// isHidden reports whether files with a name are left out of directories and archives, unless the
// user wants all files.
func isHidden(name string) bool { return name != "" && strings.ContainsAny(name[:1], "._") }

// RefuseToMix returns an error if a file is both read and written. The run could read its own
// output, or destroy its input.
func RefuseToMix(paths, outputs []string, std Streams) error {
	paths = std.withRead(paths)
	var written []string
	for _, output := range outputs {
		if object.IsRemote(output) && slices.Contains(paths, output) {
			return fmt.Errorf("%s is read and written: write another object", object.Name(output))
		}
		switch output {
		case "":
		case "-":
			written = append(written, output)
		default:
			written = append(written, output, output+partialSuffix)
		}
	}
	for _, output := range written {
		written, err := Stat(output, std.Out.file)
		if err != nil || !written.Mode().IsRegular() {
			continue
		}
		for _, path := range paths {
			if read, err := Stat(std.archives.fileOf(path), std.In); err == nil && os.SameFile(written, read) {
				return fmt.Errorf("%s and %s are the same file: write to another one, then rename it", InputName(path),
					OutputName(output))
			}
		}
	}
	return nil
}

// withRead returns the inputs of a run, and everything else that is read according to the command
// line.
func (s Streams) withRead(inputs []string) []string {
	all := slices.Concat(inputs, s.Read)
	for _, dir := range s.ReadIn {
		entries, _ := os.ReadDir(dir) // opening its files reports the error
		for _, entry := range entries {
			all = append(all, filepath.Join(dir, entry.Name()))
		}
	}
	return all
}

// Stat describes a file, or standard input or output for "-".
func Stat(path string, standard *os.File) (os.FileInfo, error) {
	if path == "-" {
		return standard.Stat()
	}
	return os.Stat(path)
}

func InputName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return "input " + object.Name(path)
}

func OutputName(path string) string {
	if path == "-" {
		return "standard output"
	}
	return "output " + object.Name(path)
}
