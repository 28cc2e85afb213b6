// Package written describes the files that a run has written, so that a later run over the same
// index can recognize them.
package written

import "path/filepath"

// An Output is a file that a run has written.
type Output struct {
	Stream string `json:"stream"` // output, duplicates, …
	Path   string `json:"path"`   // absolute path or URL; empty if unknown
	// Identifies the file, even among later ones with its name or inode number; zero if unknown.
	Device uint64 `json:"device,omitempty"`
	Inode  uint64 `json:"inode,omitempty"`
	Born   int64  `json:"born,omitempty"` // nanoseconds since 1970
	// Identify the contents of the file, wherever it was copied to; zero if unknown.
	Bytes    int64  `json:"bytes,omitempty"`
	Contents string `json:"contents,omitempty"`
	// Identifies the contents of an object, by its size and tag; empty for a file, or if unknown.
	Version string `json:"version,omitempty"`
	// Start is the number of bytes that were there before, if the run appended to the file.
	Start int64 `json:"start,omitempty"`
}

// IsFile reports whether two outputs are the same file, according to the file system.
func (o Output) IsFile(other Output) bool {
	return o.Inode != 0 && o.Device == other.Device && o.Inode == other.Inode && o.Born == other.Born
}

// HasContents reports whether two outputs have the same contents, of at least one byte.
func (o Output) HasContents(other Output) bool {
	return o.Contents != "" && o.Bytes > 0 && o.Bytes == other.Bytes && o.Contents == other.Contents
}

// Differs reports whether two outputs are known to have different contents.
func (o Output) Differs(other Output) bool {
	return o.Contents != "" && other.Contents != "" && (o.Bytes != other.Bytes || o.Contents != other.Contents) ||
		o.Version != "" && other.Version != "" && o.Version != other.Version
}

// IsEmpty reports whether a run is known to have written nothing to an output.
func (o Output) IsEmpty() bool { return o.Contents != "" && o.Bytes == o.Start }

// A Place identifies the directory of an index. If the path now leads to another directory, or the
// directory has another path, the index was copied, moved or restored.
type Place struct {
	Path  string `json:"path,omitempty"` // absolute path, or URL; empty if unknown
	Inode uint64 `json:"inode,omitempty"`
}

// Beside returns the path that is to this place what path was to another place. It returns path
// itself if the places are the same, or if that is unknown.
func (p Place) Beside(path string, other Place) string {
	if p == other || !filepath.IsAbs(p.Path) || !filepath.IsAbs(other.Path) || !filepath.IsAbs(path) {
		return path
	}
	below, err := filepath.Rel(other.Path, path)
	if err != nil {
		return path
	}
	return filepath.Join(p.Path, below)
}
