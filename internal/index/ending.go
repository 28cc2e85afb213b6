package index

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// A program that writes keeps a marker file in the directory until it exits cleanly. So what a
// crash leaves at the end of a log can be distinguished from damage (framelog.Reader.CheckEnd).

// unmark removes the marker when the program ends cleanly. An error is ignored: if the marker
// stays, readers merely know less about what follows the last commit.
func (w *workDir) unmark() { _ = w.files.Remove(writingName) }

// hasEnded reports whether the last program that wrote to the index exited cleanly.
func hasEnded(files *store.Dir) (bool, error) {
	names, err := files.List()
	return !slices.Contains(names, writingName), err
}

// checkEnd returns an error if the log of commits continues after the last commit in a way that no
// program can have caused.
func (s *Snapshot) checkEnd() error {
	err := framelog.NewReader(s.file, s.log.size).CheckEnd(s.log.good, s.log.due())
	if damage := new(framelog.Damage); errors.As(err, &damage) {
		return fmt.Errorf("%s:%d: %s: %w", s.LogPath(), damage.At, damage.What, ErrCorrupt) // the next run repairs it
	}
	return err
}
