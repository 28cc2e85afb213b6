package command

import (
	"fmt"
	"os"
	"path/filepath"
)

// refuseTwice refuses to write two streams into one file that is spelt in two ways, or into a file
// and its unfinished name: one would overwrite the other.
func refuseTwice(outputs []string, std Streams) error {
	taken := map[string]string{} // who writes a file, by its full path
	var files []writtenFile
	for _, output := range outputs {
		if output == "" {
			continue
		}
		info, err := statOf(output, std.Out)
		there := err == nil
		if there && !info.Mode().IsRegular() {
			continue // a device or a pipe may be written from several sides
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
		full := fullPath(output)
		for _, path := range []string{full, full + partialSuffix} {
			if other, ok := taken[path]; ok {
				return errTwice(other, output)
			}
			taken[path] = output
		}
	}
	return nil
}

// A writtenFile is one that is to be written; info is nil if it is not there yet.
type writtenFile struct {
	path string
	info os.FileInfo
}

func errTwice(a, b string) error {
	return fmt.Errorf("%s and %s are the same file: give each stream its own", outputName(a), outputName(b))
}

// fullPath is the same for all spellings of a file's name. What cannot be found out is left as it
// is: the file cannot be created then.
func fullPath(path string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil {
		full = filepath.Join(dir, filepath.Base(full))
	}
	return full
}
