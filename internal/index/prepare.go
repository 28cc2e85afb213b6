package index

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// An index can be one of several that commit together, as in a two-phase commit: by Prepare its
// part becomes durable; another system then decides; if it has decided for the commit, Confirm says
// so here. A crash between the two leaves the last commit undecided. The next Writer with a Decide
// asks, and takes the index back to the commit before if the decision was against it. Any other
// program that reads the index meanwhile finds it as of the commit before.

// Decide returns whether the last commit of an index counts, which was prepared at the given
// position. before is the position of the commit before it, with which the index is found if not.
type Decide func(prepared, before Position) (counts bool, err error)

// settle asks about a commit that is undecided. If it does not count, it is cut off like everything
// else after the last one that does.
func (decide Decide) settle(s *Snapshot) error {
	undecided := s.log.prepared
	if undecided == nil {
		return nil
	}
	if decide == nil {
		return fmt.Errorf("%s: %w: start the program that has written it again, which asks about it", s.files.Path(),
			ErrUndecided)
	}
	counts, err := decide(undecided.Position, s.log.last.Position)
	if err != nil {
		return err
	}
	if counts {
		s.log.confirm()
	}
	return nil
}

// Prepare makes everything so far durable, together with the position of the run, as Commit does;
// but it does not count before Confirm. Until then nothing can be appended or committed. The Writer
// must have been opened with a Decide.
func (w *Writer) Prepare(position Position) error {
	if w.decide == nil {
		return errors.New("the index was not opened for commits that are prepared")
	}
	return w.commit(framelog.Prepared, position)
}

// IsSettled reports whether the directory holds what Committed says: nothing has failed, which
// leaves open whether a commit is there, and none is prepared.
func (w *Writer) IsSettled() bool { return w.failed == nil && w.prepared == nil }

// Confirm says that the prepared commit counts. The files say so as soon as the next commit is
// there, or when the index is closed. A log that has become long is folded here, since new sealed
// files cannot be taken back.
func (w *Writer) Confirm() error {
	if w.failed != nil || w.prepared == nil {
		return w.failed
	}
	c := *w.prepared
	w.prepared = nil
	w.counts(c, w.last.logs)
	if w.foldDue() {
		c.Number++
		w.failed = w.fold(c)
	}
	return w.failed
}
