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

// refuseParts refuses to read from, or write another output to, a file with a name that a part may
// get. The number of parts is not known in advance.
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
		return fmt.Errorf("%s is named like a part of the output: give another --name or --output-dir", name)
	}
	return nil
}

// isPart reports whether a path is that of a part with any number.
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

// mostOthers limits how many files of another run are looked for.
const mostOthers = 1000

// StaleParts returns the files with the names of parts after the last one of this run. An earlier
// run has left them, and readers of the directory would take them for parts of this run.
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

// WarnOfOthers names such files, even if nothing else is reported. They do not belong to this run,
// so it leaves them alone.
func (s *Files) WarnOfOthers(parts int) {
	others := s.StaleParts(parts)
	if len(others) == 0 {
		return
	}
	shown.Notice(s.of.Std.Err, "%s are not from this run, but are named like further parts of its output: remove "+
		"them, or they are read with it (%d files)", namesOfFiles(others), len(others))
}

// namesOfFiles returns the names of the first and the last of some files.
func namesOfFiles(paths []string) string {
	if len(paths) == 1 {
		return paths[0]
	}
	return paths[0] + " to " + paths[len(paths)-1]
}
