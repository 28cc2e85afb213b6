package shards

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/shown"
)

// refuseParts refuses to read a file, or to write another output to one, that is called like a
// part: how many parts there will be is not known before.
func (s *Files) refuseParts() error {
	if s.ByInput() {
		return nil
	}
	for i, path := range slices.Concat(s.of.Paths, s.of.Written) {
		if !s.isPart(path) {
			continue
		}
		name := files.OutputName(path)
		if i < len(s.of.Paths) {
			name = files.InputName(path)
		}
		return fmt.Errorf("%s is called like a part of the output: give another --name or --output-dir", name)
	}
	return nil
}

// isPart reports whether a path is the path of a part of any number.
func (s *Files) isPart(path string) bool {
	if path == "" || path == "-" || object.IsRemote(path) != object.IsRemote(s.OutputDir) {
		return false
	}
	dir := strings.TrimSuffix(s.OutputDir, "/") + "/"
	rest, isBelow := strings.CutPrefix(path, dir)
	if !object.IsRemote(path) {
		var err error
		rest, err = filepath.Rel(filepath.Dir(files.FullPath(filepath.Join(s.OutputDir, "x"))), files.FullPath(path))
		rest, isBelow = filepath.ToSlash(rest), err == nil
	}
	pattern := strings.ReplaceAll(regexp.QuoteMeta(filepath.ToSlash(filepath.Clean(s.Name))),
		regexp.QuoteMeta(layout.NumberPart), `\d{5,}`)
	return isBelow && regexp.MustCompile("^"+pattern+"$").MatchString(rest)
}

// mostOthers bounds how many files of another run are named.
const mostOthers = 1000

// StaleParts are the files that are called like the parts after the last one of this run: an
// earlier run has left them, and who reads the directory would take them for this one's.
func (s *Files) StaleParts(parts int) (paths []string) {
	if s == nil || s.ByInput() {
		return nil
	}
	for len(paths) < mostOthers {
		path := s.Path(parts + len(paths))
		if !s.exists(path) {
			break
		}
		paths = append(paths, path)
	}
	return paths
}

func (s *Files) exists(path string) bool {
	if object.IsRemote(path) {
		_, err := s.of.Std.Objects.Version(path)
		return err == nil
	}
	_, err := os.Stat(path)
	return err == nil
}

// WarnOfOthers names such files, also where nothing else is said: they are none of this run's, so
// it leaves them alone.
func (s *Files) WarnOfOthers(parts int) {
	others := s.StaleParts(parts)
	if len(others) == 0 {
		return
	}
	shown.Notice(s.of.Std.Err, "%s are not of this run, but called like further parts of it: remove "+
		"them, or they are read with it (%d files)", namesOfFiles(others), len(others))
}

// namesOfFiles are the first and the last of some files.
func namesOfFiles(paths []string) string {
	if len(paths) == 1 {
		return paths[0]
	}
	return paths[0] + " to " + paths[len(paths)-1]
}
