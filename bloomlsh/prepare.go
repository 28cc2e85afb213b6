package bloomlsh

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// An index can be one of several that commit together, as in a two-phase commit: by Prepare its
// part becomes durable; another system then decides; if it has decided for the commit, Confirm says
// so here. A crash between the two leaves the last commit undecided. The next OpenPrepared asks,
// and takes the index back to the commit before if the decision was against it. Any other program
// that reads the index meanwhile finds it as of the commit before.

// Decide returns whether the last commit of an index counts, which was prepared at the given
// position. before is the position of the commit before it, with which the index is found if not.
type Decide func(prepared, before Position) (counts bool, err error)

// OpenPrepared is Open for an index whose commits are made by Prepare and Confirm. decide is called
// if the last commit is undecided; an error of it is returned.
func OpenPrepared(dir string, p Params, identity []Parameter, decide Decide) (*Store, error) {
	return openPrepared(system, dir, p, identity, decide)
}

// settle asks about a commit that is undecided. If it does not count, it is cut off like everything
// else after the last one that does.
func (decide Decide) settle(d *directory) error {
	undecided := d.state.prepared
	if undecided == nil {
		return nil
	}
	if decide == nil {
		return fmt.Errorf("%s: %w: start the program that has written it again, which asks about it", d.files.Path(),
			ErrUndecided)
	}
	counts, err := decide(undecided.position, d.state.last.position)
	if err != nil {
		return err
	}
	if counts {
		d.state.confirm()
	}
	return nil
}

// Prepare makes everything observed so far durable, together with the position of the run, as
// Commit does; but it does not count before Confirm. Until then nothing can be observed or
// committed. The index must have been opened by OpenPrepared.
func (s *Store) Prepare(position Position) error {
	if s.decide == nil {
		return errors.New("the index was not opened for commits that are prepared")
	}
	if err := errors.Join(s.ready(), position.check()); err != nil {
		return err
	}
	if s.failed = s.CheckNotMoved(); s.failed != nil {
		return s.failed
	}
	c, err := s.logCommit(s.index, framelog.Prepared, position)
	if s.failed = err; err == nil {
		s.prepared = &c
	}
	return err
}

// IsSettled reports whether the directory holds what Committed says: nothing has failed, which
// leaves open whether a commit is there, and none is prepared.
func (s *Store) IsSettled() bool { return s.failed == nil && s.prepared == nil }

// Confirm says that the prepared commit counts. The files say so as soon as the next commit is
// there, or when the index is closed. A log that has become long is folded here, since new base
// files cannot be taken back.
func (s *Store) Confirm() error {
	if s.failed != nil || s.prepared == nil {
		return s.failed
	}
	s.last, s.prepared = *s.prepared, nil
	if s.foldDue() {
		s.failed = s.fold(s.last.position)
	}
	return s.failed
}
