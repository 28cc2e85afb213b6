package shards

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/object"
)

// A completed file has its name.
type completed struct {
	path string
	id   files.Identity // zero if unknown
}

// note notes a completed file.
func (s *Files) note(path string) error {
	if object.IsRemote(path) {
		return nil
	}
	id, err := files.IdentityAt(path)
	s.done = append(s.done, completed{path, id})
	return err
}

// CheckNotReplaced returns an error if a completed file of this run is gone or was replaced, as by
// another run that writes files of the same names.
func (s *Files) CheckNotReplaced() error {
	if s == nil {
		return nil
	}
	for _, file := range s.done {
		id, err := files.IdentityAt(file.path)
		if err != nil {
			return err
		}
		if id != file.id {
			return fmt.Errorf("%s was replaced while this run was writing the files after it: does another run write "+
				"to %s? run the command again with another --output-dir", file.path, s.OutputDir)
		}
	}
	return nil
}
