package index

import (
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"
)

// OpenMerge opens a directory, which may be new, for the union of several indexes. sources
// identifies these indexes in their present state. If an earlier merge was interrupted, OpenMerge
// removes its files. If the same sources have already been merged to the directory, w is nil.
func OpenMerge(env Environment, dir string, sources []byte) (w *Writer, err error) {
	if w, err = OpenWriter(env, dir, nil); err != nil {
		return nil, err
	}
	complete, err := w.beginMerge(fmt.Appendf(nil, "%x\n", xxh3.Hash128(sources).Bytes()))
	if err != nil || complete {
		return nil, errors.Join(err, w.release())
	}
	return w, nil
}

// Source identifies the index in its present state, by its files, their checksums and its last
// commit.
func (s *Snapshot) Source() []byte {
	last := s.log.last
	return fmt.Appendf(s.manifest.encode(), "commit\t%d\t%d\t%d\n", last.Number, last.Records, s.log.length)
}
