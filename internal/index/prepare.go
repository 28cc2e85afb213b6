package index

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// An index can take part in a two-phase commit. Prepare makes its part durable; another system then
// decides; if it approves, Confirm is called. A crash between the two leaves the last commit
// undecided. The next Writer that has a Decide calls it and, if the decision was against the
// commit, takes the index back to the previous one. Until then, any other program that reads the
// index sees the previous commit.

// A Decide reports whether the last commit of an index counts, which was prepared at the given
// position. before is the position of the previous commit, to which the index returns if it does
// not.
type Decide func(prepared, before Position) (counts bool, err error)

// settle decides about an undecided commit. If the commit does not count, it is cut off like
// anything else after the last one that does.
func (decide Decide) settle(s *Snapshot) error {
	undecided := s.log.prepared
	if undecided == nil {
		return nil
	}
	if decide == nil {
		return fmt.Errorf("%s: %w: start again the program that wrote it, which finds that out", s.files.Path(),
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

// Prepare makes everything so far durable, together with the position of the run, as Commit does,
// but the commit does not count before Confirm. Until then nothing can be appended or committed.
// The Writer must have been opened with a Decide.
func (w *Writer) Prepare(position Position) error {
	if w.decide == nil {
		return errors.New("the index was not opened for commits that are prepared")
	}
	return w.commit(framelog.Prepared, position)
}

// IsSettled reports whether the directory holds exactly what Committed returns. It does unless an
// operation has failed, so that a commit may or may not exist, or a commit is prepared.
func (w *Writer) IsSettled() bool { return w.failed == nil && w.prepared == nil }

// Confirm declares that the prepared commit counts. The files record that with the next commit, or
// when the index is closed. A log that has become long is folded here and not by Prepare, since new
// sealed files cannot be taken back.
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
