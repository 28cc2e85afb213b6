package bloomlsh

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// A program that writes keeps a mark in the directory until it has ended in order, so that what a
// crash leaves at the end of a log can be told from damage (framelog.Reader.CheckEnd).

// cutEnd cuts off what was appended since the last commit.
func (l *changeLog) cutEnd() error {
	if l.log.Written() <= l.log.committed {
		return nil
	}
	if err := l.log.drop(); err != nil {
		return err
	}
	return l.log.file.Sync()
}

// unmark says that the program has ended in order. A mark that cannot be removed says only that
// less is known of what follows the last commit.
func (w *workDir) unmark() { _ = w.files.Remove(writingName) }

// hasEnded reports whether the last program that wrote to an index has ended in order. Programs of
// before that mark made none.
func hasEnded(files *store.Dir) (bool, error) {
	names, err := files.List()
	return !slices.Contains(names, writingName), err
}

// checkEnd refuses what follows the last commit of a log if no program can have left it.
func (d *directory) checkEnd(ended bool) error {
	if !ended {
		return nil
	}
	err := framelog.NewReader(d.log, d.state.size).CheckEnd(d.state.good, d.state.due())
	if damage := new(framelog.Damage); errors.As(err, &damage) {
		return fmt.Errorf("%s:%d: %s: %w", d.logPath(), damage.At, damage.What, ErrCorrupt) // the next run repairs it
	}
	return err
}
