package bloomlsh

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// What follows the last commit of a log does not count, and the next program that writes cuts it
// off. A killed program leaves frames there, the last one possibly incomplete; a power failure may
// leave anything. Otherwise, whatever is there is damage. To tell the cases apart, a program that
// writes keeps a mark in the directory until it has ended in order.

// cutEnd cuts off what was appended since the last commit.
func (l *changeLog) cutEnd() error {
	if l.log.start <= l.log.committed {
		return nil
	}
	if err := l.log.drop(); err != nil {
		return err
	}
	return l.log.file.Sync()
}

// unmark says that the program has ended in order. A mark that cannot be removed says only that
// less is known of what follows the last commit.
func (w *workDir) unmark() { _ = w.env.files.Remove(filepath.Join(w.dir, writingName)) }

// hasEnded reports whether the last program that wrote to an index has ended in order. Programs of
// before that mark made none.
func hasEnded(files fileSystem, dir string) (bool, error) {
	names, err := files.List(dir)
	return !slices.Contains(names, writingName), err
}

// checkEnd refuses what follows on the good frames of a log if no program can have left it.
func (d *directory) checkEnd(ended bool) error {
	left := d.state.size - d.state.good
	if !ended || left == 0 {
		return nil
	}
	head, err := newLogReader(d.log, d.state.size).bytes(d.state.good, frameHeaderSize)
	if err != nil || isFramePrefix(head, d.state.due()) {
		return err
	}
	return fmt.Errorf("%s:%d: %d bytes follow here that no run has written: %w: they do not count, and the next run "+
		"that writes cuts them off", d.logPath(), d.state.good, left, ErrCorrupt)
}

// isFramePrefix reports whether b is the beginning of a frame of a commit, as far as it goes.
func isFramePrefix(b []byte, number uint64) bool {
	for kind := uint32(kindGeneration); kind <= kindPrepared; kind++ {
		begin := beginFrame(nil, kind, number)[:16] // up to its length
		n := min(len(b), len(begin))
		if strings.HasPrefix(string(begin), string(b[:n])) {
			return true
		}
	}
	return false
}
