package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/kafka"
	"github.com/mithril-stream/mithril-stream/internal/written"
)

// pastRuns are the committed runs of an index.
type pastRuns struct {
	of    *journal.Journal
	name  string        // what the user calls the index
	place written.Place // where the index is
}

// readPastRuns returns the runs of the indexes that this run only reads. The caller closes them. An
// index without a journal, such as that of a Kafka consumer, has none.
func (j job) readPastRuns() (all []pastRuns, err error) {
	dirs := slices.Clone(j.Config.Memory.Against)
	if j.Config.Memory.ReadOnly && j.Config.Memory.Index != "" {
		dirs = append(dirs, j.Config.Memory.Index)
	}
	for _, dir := range dirs {
		of, err := readJournal(dir)
		if err != nil {
			return all, err
		}
		if of != nil {
			name := j.indexes.name(dir)
			all = append(all, pastRuns{of, name, files.PlaceOf(dir, name)})
		}
	}
	return all, nil
}

// readJournal opens the journal of an index that another program may be writing to. It returns nil
// if the index has none.
func readJournal(dir string) (of *journal.Journal, err error) {
	err = index.Read(dir, func(s *index.Snapshot) error {
		if of != nil { // the index has changed meanwhile
			if err := of.Close(); err != nil {
				return err
			}
			of = nil
		}
		at := s.Committed().Position
		if kafka.StateOf(at) != nil {
			return nil
		}
		last, err := StateOf(at, dir)
		if err != nil || last == nil || last.NoJournal {
			return err
		}
		if of, err = JournalOf(dir, last); err == nil && last.Run != nil {
			of.Runs = append(of.Runs, *last.Run)
		}
		return err
	})
	return of, err
}

// compare says how a file that is about to be written relates to the output of a run. If that
// output was being rewritten, the file may hold anything.
func (p *pastRuns) compare(now files.Target, run *journal.Run, of written.Output) files.Likeness {
	is := now.Compare(of, p.place, run.Place)
	if is == files.Changed && run.Rewriting && run.Place == p.place && of.Path == now.Path && of.Start == 0 {
		return files.Identical
	}
	return is
}

// writerOf returns the newest run that has written to a file, or nil if none has. hasChanged says
// that the file no longer contains what the run wrote.
func (p *pastRuns) writerOf(now files.Target) (run *journal.Run, hasChanged bool) {
	run, _ = p.of.Writer(func(run *journal.Run, of written.Output) bool {
		is := p.compare(now, run, of)
		hasChanged = is == files.Changed
		wasEmpty := of.IsEmpty() && (now.IsOpen || now.IsEmpty())
		return is >= files.Changed && !wasEmpty
	})
	return run, hasChanged
}

// undo returns the command that undoes a run, and its consequences.
func (p *pastRuns) undo(run *journal.Run) string {
	text := fmt.Sprintf("mithril-stream index undo --to %d %s", run.Number-1, p.name)
	var later []string
	for _, other := range p.of.Runs {
		if other.Number > run.Number {
			later = append(later, fmt.Sprintf("%d (%s)", other.Number, other.Input))
		}
	}
	switch more := len(later) - mostNamed; {
	case len(later) == 0:
		return text
	case more > 0:
		later = append(later[:mostNamed], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%s, which takes back the later runs too: %s", text, strings.Join(later, ", "))
}

// mostNamed bounds the number of runs that a message names.
const mostNamed = 3

func closePastRuns(all []pastRuns) error {
	var errs []error
	for _, p := range all {
		errs = append(errs, p.of.Close())
	}
	return errors.Join(errs...)
}
