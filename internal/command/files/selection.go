package files

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/object"
)

// A Selection says which files below a directory are read, and records those that are not. A file
// that is named, or matches a pattern, is always read. It is not safe for concurrent use. A nil
// *Selection selects all files except hidden ones and those of indexes.
type Selection struct {
	Match func(path string) bool // by file name; nil matches all
	All   bool                   // also read names that begin with a dot or an underscore

	skipped   []string        // files, in the order in which they were met
	hidden    []string        // files and directories whose names begin with a dot or an underscore
	isHidden  map[string]bool // the same, as a set
	indexes   []string        // directories of indexes
	links     []string        // archives with links
	revisited []string        // links to directories that are already read
	tee       int             // number of these that SkippedNote has reported
}

// of filters the files found below a directory. It keeps files for which must returns true whatever
// their names.
func (s *Selection) of(dir string, found []string, must func(path string) bool) ([]string, error) {
	if s == nil {
		s = &Selection{}
	}
	indexes := indexesAmong(found)
	var taken, left []string
	for _, file := range found {
		switch {
		case slices.ContainsFunc(indexes, func(index string) bool { return strings.HasPrefix(file, index) }):
		case s.Match == nil || must != nil && must(file) || s.Match(object.Name(file)):
			taken = append(taken, file)
		default:
			left = append(left, file)
		}
	}
	switch {
	case len(taken) > 0:
	case len(left) > 0:
		return nil, fmt.Errorf("%s: by their names, none of the %d files in it holds records (the first is %s): say "+
			"what they hold, as with --format text, or add --all-files", object.Name(dir), len(left),
			object.Name(left[0]))
	case len(indexes) > 0:
		return nil, fmt.Errorf("%s: there is only an index in it, and an index has no records: name the files that "+
			"the index was made from", object.Name(dir))
	}
	s.skipped, s.indexes = addNew(s.skipped, left), addNew(s.indexes, indexes)
	return taken, nil
}

// hides reports whether a path is left out because a name in it begins with a dot or an underscore.
// The path of a directory ends in a slash. hides records the path if it would be read under another
// name.
func (s *Selection) hides(path string) bool {
	if s == nil {
		return true
	}
	if s.All {
		return false
	}
	isWanted := strings.HasSuffix(path, "/") || s.Match == nil || s.Match(object.Name(path))
	if isWanted && !s.isHidden[path] {
		if s.isHidden == nil {
			s.isHidden = map[string]bool{}
		}
		s.isHidden[path] = true
		s.hidden = append(s.hidden, path)
	}
	return true
}

// addNew appends the strings missing from a list, since a command may list its inputs several
// times.
func addNew(list, more []string) []string {
	known := map[string]bool{}
	for _, name := range list {
		known[name] = true
	}
	for _, name := range more {
		if !known[name] {
			list = append(list, name)
		}
	}
	return list
}

// indexesAmong returns the directories of indexes among files, each with a trailing slash. On disk,
// an index has a MANIFEST and a LOCK; in a bucket, CURRENT and, one level down, a MANIFEST.
func indexesAmong(found []string) (dirs []string) {
	has := map[string]bool{}
	for _, file := range found {
		has[file] = true
	}
	for _, file := range found {
		dir, name := filepath.Split(file)
		if name != "MANIFEST" {
			continue
		}
		above, _ := path.Split(strings.TrimSuffix(dir, "/"))
		for _, index := range []struct{ dir, mark string }{{dir, "LOCK"}, {above, "CURRENT"}} {
			if has[index.dir+index.mark] && !slices.Contains(dirs, index.dir) {
				dirs = append(dirs, index.dir)
			}
		}
	}
	return dirs
}

// Skipped returns the number of files and directories that are not read because of their names.
func (s *Selection) Skipped() int {
	if s == nil {
		return 0
	}
	return len(s.skipped) + len(s.hidden)
}

// SkippedNote says which files are not read. It returns an empty string if it has already said so.
func (s *Selection) SkippedNote() string {
	found := 0
	if s != nil {
		found = len(s.skipped) + len(s.hidden) + len(s.indexes) + len(s.links) + len(s.revisited)
	}
	if s == nil || s.tee == found {
		return ""
	}
	s.tee = found
	var parts []string
	if n := len(s.skipped); n > 0 {
		parts = append(parts, fmt.Sprintf("%d files whose names are not those of records (%s), which --all-files "+
			"reads too", n, listed(s.skipped)))
	}
	if n := len(s.hidden); n > 0 {
		parts = append(parts, fmt.Sprintf("%d files or directories whose names begin with . or _ (%s), which "+
			"--all-files reads too", n, listed(s.hidden)))
	}
	if n := len(s.indexes); n > 0 {
		parts = append(parts, fmt.Sprintf("%d indexes (%s)", n, listed(s.indexes)))
	}
	if n := len(s.revisited); n > 0 {
		parts = append(parts, fmt.Sprintf("%d links to directories that are read already (%s)", n, listed(s.revisited)))
	}
	if n := len(s.links); n > 0 {
		parts = append(parts, fmt.Sprintf("links in %d archives, which have no contents of their own (%s)", n,
			listed(s.links)))
	}
	of := "directories"
	if len(s.links) > 0 || slices.ContainsFunc(slices.Concat(s.skipped, s.hidden), isMember) {
		of += " and archives"
	}
	return "of " + of + ", these are not read: " + strings.Join(parts, "; ")
}

// listed returns the names of the first few paths.
func listed(paths []string) string {
	const most = 3
	names := make([]string, 0, most+1)
	for _, path := range paths[:min(len(paths), most)] {
		names = append(names, object.Name(path))
	}
	if len(paths) > most {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}
