package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/object"
)

// RefuseTwice returns an error if two outputs are the same file, even under different names, or if
// one is the unfinished name of another. One would overwrite the other.
func RefuseTwice(outputs []string, std Streams) error {
	taken := map[string]string{} // outputs, by the full paths of their files
	var files []writtenFile
	for _, output := range outputs {
		if output == "" {
			continue
		}
		info, err := Stat(output, std.Out.file)
		there := err == nil
		if there && !info.Mode().IsRegular() {
			continue // a device or a pipe may have several writers
		}
		for _, other := range files {
			if there && other.info != nil && os.SameFile(info, other.info) {
				return errTwice(other.path, output)
			}
		}
		files = append(files, writtenFile{output, info})
		if output == "-" {
			continue
		}
		full := FinalPath(output)
		for _, path := range []string{full, full + partialSuffix} {
			if other, ok := taken[path]; ok {
				return errTwice(other, output)
			}
			taken[path] = output
		}
	}
	return nil
}

// RefuseInIndex returns an error if an output is in an index that the run reads or writes.
func RefuseInIndex(outputs, indexes []string) error {
	for _, output := range outputs {
		for _, index := range indexes {
			if output != "" && output != "-" && index != "" && isBelow(output, index) {
				return fmt.Errorf("%s is in the index %s, whose files are its own: write to another place",
					OutputName(output), index)
			}
		}
	}
	return nil
}

// isBelow reports whether a path leads to a directory or to a place in it. Both may be addresses
// in buckets.
func isBelow(path, dir string) bool {
	if object.IsRemote(path) || object.IsRemote(dir) {
		dir = strings.TrimRight(dir, "/")
		return path == dir || strings.HasPrefix(path, dir+"/")
	}
	root := filepath.Dir(FullPath(filepath.Join(dir, "x"))) // the directory itself, if dir is a link to it
	rest, err := filepath.Rel(root, FinalPath(path))
	return err == nil && filepath.IsLocal(rest)
}

// A writtenFile is a file to be written. info is nil if it does not exist yet.
type writtenFile struct {
	path string
	info os.FileInfo
}

func errTwice(a, b string) error {
	return fmt.Errorf("%s and %s are the same file: give each stream its own", OutputName(a), OutputName(b))
}

// FullPath returns a path that is the same for all spellings of a file's name. It leaves unchanged
// what it cannot resolve, since the file cannot be created then.
func FullPath(path string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil {
		full = filepath.Join(dir, filepath.Base(full))
	}
	return full
}

// FinalPath returns the FullPath of the file to which a path leads through symbolic links, whether
// that exists or not.
func FinalPath(path string) string {
	if at, err := behindLinks(path); err == nil {
		path = at
	}
	return FullPath(path)
}
