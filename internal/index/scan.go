package index

import (
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// A logState describes the contents of a log.
type logState struct {
	last     Commit
	length   int64     // length up to the end of the last good commit
	prepared *prepared // the commit that follows; nil if nothing is undecided
	good     int64     // end of the last good frame
	size     int64     // size of the file, which may extend beyond the last commit
}

// A prepared commit is one at the end of a log that another system decides on.
type prepared struct {
	Commit
	length int64 // length of the log up to its end
}

// due returns the number of the next commit.
func (s *logState) due() uint64 {
	if s.prepared != nil {
		return s.prepared.Number + 1
	}
	return s.last.Number + 1
}

// confirm makes the prepared commit the last commit.
func (s *logState) confirm() {
	if s.prepared != nil {
		s.last, s.length, s.prepared = s.prepared.Commit, s.prepared.length, nil
	}
}

// logError adds the path of a log to an error of its reader.
func logError(path string, err error) error {
	if damage := new(framelog.Damage); errors.As(err, &damage) {
		return Corrupt(fmt.Sprintf("%s:%d", path, damage.At), "%s", damage.What)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// scanLog finds the last good commit. It returns ErrCorrupt if the log is damaged within the first
// known bytes, which were flushed.
func scanLog(f *store.File, path string, print xxh3.Uint128, series uint64, known int64) (s logState, err error) {
	if s.size, err = f.Size(); err != nil {
		return s, err
	}
	if err := commitsHeader(print, series).Check(f); err != nil {
		return s, logError(path, err)
	}
	r := framelog.NewReader(f, s.size)
	for s.good = framelog.HeaderBytes; ; {
		f, err := r.At(s.good)
		if err != nil && !errors.Is(err, framelog.ErrCorrupt) {
			return s, logError(path, err)
		}
		first := s.length == 0
		if err != nil || first && f.Kind != framelog.Commit || !first && f.Number != s.due() {
			break
		}
		if err := s.take(f, known); err != nil {
			return s, Corrupt(fmt.Sprintf("%s:%d", path, f.Offset), "%v", err)
		}
		s.good = f.End
	}
	if s.length < known || s.length == 0 {
		return s, Corrupt(fmt.Sprintf("%s:%d", path, s.good),
			"there is no good frame here, and the file was committed up to %d", known)
	}
	if err := r.CheckLost(s.good, s.due()); err != nil {
		return s, logError(path, err)
	}
	return s, nil
}

// take processes the next frame of a log that was committed up to at least known.
func (s *logState) take(f framelog.Frame, known int64) error {
	switch f.Kind {
	case framelog.Entries, framelog.Generation:
		return nil
	case framelog.Commit, framelog.Prepared:
	default:
		return fmt.Errorf("a frame of kind %d", f.Kind)
	}
	c, err := decodeCommit(f)
	if err != nil {
		return err
	}
	s.confirm() // a commit follows another one only once that is decided
	s.prepared = &prepared{c, f.End}
	if f.Kind == framelog.Commit || f.End <= known {
		s.confirm()
	}
	return nil
}
