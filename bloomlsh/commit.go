package bloomlsh

import "errors"

// logChanged logs the keys of a record that has changed the index.
func (s *Store) logChanged(keys []Key) error {
	if s.dropped {
		return nil
	}
	s.failed = s.logKeys(keys)
	return s.failed
}

// logGenerations logs those that were opened since.
func (s *Store) logGenerations() error {
	for s.logged < s.index.number(len(s.index.generations))-1 {
		if err := s.log.generation(s.logged+1, s.index.geometryOf(s.logged)); err != nil {
			return err
		}
		s.logged++
	}
	return nil
}

func (s *Store) logKeys(keys []Key) error {
	if err := s.logGenerations(); err != nil {
		return err
	}
	if err := s.log.keys(keys); err != nil {
		return err
	}
	// A run that commits late would write a log longer than the filters themselves. The next commit
	// will be made by a fold, so the log is not needed for it. Without room for a fold the log
	// grows on.
	if s.decide == nil && s.log.length() > s.foldLength() && s.roomForFold() == nil {
		s.dropped = true
		return s.log.drop()
	}
	return nil
}

// Commit makes everything observed so far durable, together with the position of the run.
// Everything that the caller has written for the records observed must be on disk before. If it
// fails, the directory holds this commit or the one before.
func (s *Store) Commit(position Position) error {
	if err := errors.Join(s.ready(), position.check()); err != nil {
		return err
	}
	if s.failed = s.StillThere(); s.failed != nil {
		return s.failed
	}
	if s.dropped || s.log.length() > s.foldLength() && s.roomForFold() == nil {
		s.failed = s.fold(position)
	} else {
		s.failed = s.append(position)
	}
	return s.failed
}

// append commits by a frame of the log.
func (s *Store) append(position Position) error {
	c, err := s.logCommit(kindCommit, position)
	if err != nil {
		return err
	}
	s.last = c
	if s.forgetKept(position) {
		s.removeLeftovers()
	}
	return nil
}

// logCommit logs the state in memory as a commit of a kind.
func (s *Store) logCommit(kind uint32, position Position) (commit, error) {
	c := s.commitAt(position)
	if c.times != nil { // a generation that a window has opened may still be empty
		if err := s.logGenerations(); err != nil {
			return c, err
		}
	}
	return c, s.log.commit(kind, c)
}

// commitAt describes the state in memory as the next commit.
func (s *Store) commitAt(position Position) commit {
	position.Meta = append([]byte(nil), position.Meta...)
	return commit{
		number:     s.last.number + 1,
		observed:   s.index.observed,
		duplicates: s.index.duplicates,
		inserted:   s.index.current().inserted,
		position:   position,
		times:      s.index.times(),
	}
}
