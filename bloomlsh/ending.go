package bloomlsh

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// What follows on the last commit of a log does not count, and is cut off by the next program that
// writes. A program that is killed leaves frames there, of which the last one may be cut short; a
// loss of power leaves anything. If neither has happened, what is there is damage. So that the two
// can be told apart, a program that writes has a mark in the directory until it has ended in order.

// endInOrder cuts off what was appended since the last commit, and takes the mark away. A mark that
// stays says only that less is known of what follows on the last commit.
func (s *Store) endInOrder() error {
	if s.log.start > s.log.committed {
		if err := s.log.drop(); err != nil {
			return err
		}
		if err := s.log.file.Sync(); err != nil {
			return err
		}
	}
	_ = s.env.files.Remove(filepath.Join(s.dir, writingName))
	return nil
}

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
	if err != nil || beginsFrame(head, d.state.due()) {
		return err
	}
	return fmt.Errorf("%s:%d: %d bytes follow here that no run has written: %w: they do not count, and the next run "+
		"that writes cuts them off", d.logPath(), d.state.good, left, ErrCorrupt)
}

// beginsFrame reports whether b is the beginning of a frame of a commit, as far as it goes.
func beginsFrame(b []byte, number uint64) bool {
	for kind := uint32(kindGeneration); kind <= kindPrepared; kind++ {
		begin := beginFrame(nil, kind, number)[:16] // up to its length
		n := min(len(b), len(begin))
		if strings.HasPrefix(string(begin), string(b[:n])) {
			return true
		}
	}
	return false
}
