package index

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// A program that writes keeps a mark in the directory until it has ended in order, so that what a
// crash leaves at the end of a log can be told from damage (framelog.Reader.CheckEnd).

// unmark says that the program has ended in order. A mark that cannot be removed says only that
// less is known of what follows the last commit.
func (w *workDir) unmark() { _ = w.files.Remove(writingName) }

// hasEnded reports whether the last program that wrote to an index has ended in order.
func hasEnded(files *store.Dir) (bool, error) {
	names, err := files.List()
	return !slices.Contains(names, writingName), err
}

// checkEnd refuses what follows the last commit of the log of commits if no program can have left
// it.
func (s *Snapshot) checkEnd() error {
	err := framelog.NewReader(s.file, s.log.size).CheckEnd(s.log.good, s.log.due())
	if damage := new(framelog.Damage); errors.As(err, &damage) {
		return fmt.Errorf("%s:%d: %s: %w", s.LogPath(), damage.At, damage.What, ErrCorrupt) // the next run repairs it
	}
	return err
}
