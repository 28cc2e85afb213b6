package index

import (
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"
)

// OpenMerge opens a directory for the union of several indexes, which may be new. sources is what
// tells these indexes from others, and from what they will be later. Of a merge that was cut off
// nothing is left; if the same sources were merged to the directory already, w is nil.
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

// Source is what tells the index from others, and from what it will be later: its files with their
// checksums, and its last commit.
func (s *Snapshot) Source() []byte {
	last := s.log.last
	return fmt.Appendf(s.manifest.encode(), "commit\t%d\t%d\t%d\n", last.Number, last.Records, s.log.length)
}
