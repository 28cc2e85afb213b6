package bloomlsh

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// A changeLog is the log of what has changed an index since the last fold.
type changeLog struct {
	log     *logWriter
	logged  int // generations that there have been in base files or in the log
	last    commit
	dropped bool // uncommitted keys were dropped from the log, so only new base files can make the next commit
}

// logGenerations logs the generations that were opened since it was last called.
func (l *changeLog) logGenerations(x *Index) error {
	for l.logged < x.number(len(x.generations))-1 {
		if err := l.log.generation(l.logged+1, x.geometryOf(l.logged)); err != nil {
			return err
		}
		l.logged++
	}
	return nil
}

// logKeys logs the keys of a record that has changed the index.
func (l *changeLog) logKeys(x *Index, keys []Key) error {
	if err := l.logGenerations(x); err != nil {
		return err
	}
	return l.log.keys(keys)
}

// logCommit logs the state in memory as a commit of a kind.
func (l *changeLog) logCommit(x *Index, kind framelog.Kind, position Position) (commit, error) {
	c := l.commitAt(x, position)
	if c.times != nil { // a generation that a window has opened may still be empty
		if err := l.logGenerations(x); err != nil {
			return c, err
		}
	}
	return c, l.log.commit(kind, c)
}

// commitAt describes the state in memory as the next commit.
func (l *changeLog) commitAt(x *Index, position Position) commit {
	position.Meta = append([]byte(nil), position.Meta...)
	return commit{
		number:     l.last.number + 1,
		observed:   x.observed,
		duplicates: x.duplicates,
		inserted:   x.current().inserted,
		position:   position,
		times:      x.times(),
	}
}

// logChanged logs the keys of a record that has changed the index.
//
// A run that commits late would write a log longer than the filters themselves. The next commit
// will be made by a fold, so the log is not needed for it. Without room for a fold the log keeps
// growing.
func (s *Store) logChanged(keys []Key) error {
	if s.dropped {
		return nil
	}
	if s.failed = s.logKeys(s.index, keys); s.failed == nil && s.decide == nil && s.foldDue() {
		s.dropped = true
		s.failed = s.log.drop()
	}
	return s.failed
}

// Commit makes everything observed so far durable, together with the position of the run.
// Everything that the caller has written for the records observed must be on disk before. If it
// fails, the directory holds this commit or the one before.
func (s *Store) Commit(position Position) error {
	if err := errors.Join(s.ready(), position.check()); err != nil {
		return err
	}
	if s.failed = s.CheckNotMoved(); s.failed != nil {
		return s.failed
	}
	if s.dropped || s.foldDue() {
		s.failed = s.fold(position)
	} else {
		s.failed = s.append(position)
	}
	return s.failed
}

// append commits by a frame of the log.
func (s *Store) append(position Position) error {
	c, err := s.logCommit(s.index, framelog.Commit, position)
	if err != nil {
		return err
	}
	s.last = c
	if s.forgetKept(position) {
		s.removeLeftovers()
	}
	return nil
}
