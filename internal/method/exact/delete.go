package exact

import (
	"errors"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/counts"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
)

// A Stored is an exact memory in an index that is modified, but not by a run. Its records are not
// loaded.
type Stored struct {
	Index *index.Writer
	kind  *Kind
	state State // for the next commit
}

// OpenStored opens the exact memory of that kind in dir.
func OpenStored(dir string, kind *Kind) (*Stored, error) {
	w, err := index.OpenExisting(index.System, dir, nil)
	if err != nil {
		return nil, err
	}
	s, err := loadStored(w, kind)
	if err != nil {
		return nil, errors.Join(err, w.Abandon())
	}
	return s, nil
}

// loadStored loads the exact memory of an index, which becomes a section of it.
func loadStored(w *index.Writer, kind *Kind) (s *Stored, err error) {
	s = &Stored{Index: w, kind: kind}
	if err = loadPlain(w); err == nil {
		s.state, err = StateIn(w.LastCommit(), w.Path())
	}
	w.Add(s)
	return s, err
}

// Name implements index.Section.
func (*Stored) Name() string { return sectionName }

// State implements index.Section.
func (s *Stored) State() ([]byte, error) { return jsonout.Marshal(s.state) }

// Close closes the index.
func (s *Stored) Close() error { return s.Index.Close() }

// Found is what a memory knows about the records with some names.
type Found struct {
	Records   []uint64 // those that it has not forgotten yet, in their order
	Entries   uint64   // how many of these are remembered by themselves, and not as copies of others
	Forgotten uint64   // how many it has forgotten before

	areCounted bool // the groups of its records are counted
}

// Find looks for the records for whose names, as JSON, wanted returns true.
func (s *Stored) Find(wanted func(name []byte) bool) (found Found, err error) {
	var names memory.Names
	var known memory.Numbers
	switch w := s.state.Windows; {
	case w != nil:
		known, err = windows.Numbers(s.Index, s.kind.Begin, &names, w, s.state.Records, s.state.Signatures)
		err = advised(err)
	case s.state.Records == 0:
		return found, nil
	default:
		known, found.areCounted, err = s.numbers(&names)
	}
	if err != nil {
		return found, err
	}
	names.Each(func(record uint64, name []byte) {
		if !wanted(name) {
			return
		}
		if _, isGone := known.Forgotten[record]; isGone {
			found.Forgotten++
			return
		}
		found.Records = append(found.Records, record)
		if _, has := slices.BinarySearch(known.Entries, record); has {
			found.Entries++
		}
	})
	return found, nil
}

// numbers reads the records of the log, with their names, and whether their groups are counted.
func (s *Stored) numbers(names *memory.Names) (known memory.Numbers, areCounted bool, err error) {
	file, length, err := s.Index.ReadLog(s.state.logName())
	if err != nil {
		return known, false, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	x, err := s.kind.Begin("")
	if err != nil {
		return known, false, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	known, err = x.ReadNumbers(file, length, func(note []byte) error {
		if counts.IsNote(note) {
			areCounted = true
			return nil
		}
		return names.Load(note)
	})
	if err == nil {
		err = names.Check(s.state.Records)
	}
	if err != nil {
		err = damaged(file.Name(), err)
	}
	return known, areCounted, err
}

// Forget notes in the log that a run forgets the records that were found, in counted groups as
// well. It takes effect with the next commit. run is 0 if there are no runs, as with a consumer.
func (s *Stored) Forget(found Found, run uint64) (err error) {
	if w := s.state.Windows; w != nil {
		next, entries, err := windows.Forget(s.Index, s.kind.Begin, w, found.Records)
		if err != nil {
			return advised(err)
		}
		s.state.Windows, s.state.Deleted = next, next.Deleted()
		s.state.Signatures -= entries
		return nil
	}
	log, length, err := s.Index.OpenLog(s.state.logName())
	if err != nil {
		return err
	}
	var notes [][]byte
	if found.areCounted {
		notes = counts.DeletionNotes(s.state.Records, run, found.Records)
	}
	if length, err = memory.Forget(log, length, found.Records, notes); err != nil {
		return err
	}
	log.EndAt(length)
	s.state.Signatures -= found.Entries
	s.state.Deleted += uint64(len(found.Records))
	return nil
}

// loadPlain loads an index without filters.
func loadPlain(w *index.Writer) error { return w.Load(index.NoBase{}, index.VerifyFrames) }

// rewrite writes a new log without deleted records, which takes the place of the current one with
// the next commit.
func (s *Stored) rewrite(maxMemory uint64) error {
	if maxMemory > 0 {
		if err := s.kind.Limit(maxMemory); err != nil {
			return err
		}
	}
	if err := s.kind.CheckRoom(s.state.Signatures, s.kind.Entries+" that it has"); err != nil {
		return err
	}
	if w := s.state.Windows; w != nil {
		next, err := windows.Rewrite(s.Index, s.kind.Begin, w, s.state.Records, s.state.Signatures)
		if err != nil {
			return advised(err)
		}
		s.state.Windows, s.state.Deleted = next, 0
		return nil
	}
	old, next := s.state, State{Rewritten: s.state.Rewritten + 1}
	return s.Index.ReplaceLog(old.logName(), next.logName(), func(from *index.File, length int64, to *index.Log) (
		longer int64, err error,
	) {
		s.state, longer, err = writeUnion(to, []committedLog{{from, length, old}}, s.kind, s.Index.Path())
		s.state.Rewritten = next.Rewritten
		return longer, err
	})
}

// Compact removes deleted records from the memory of that kind in dir, and what the index does not
// need from the log of its commits.
func Compact(dir string, kind *Kind, maxMemory uint64, kept index.Undo) error {
	return index.Compact(index.System, dir, kept, func(w *index.Writer) error {
		s, err := loadStored(w, kind)
		if err == nil && s.state.Deleted > 0 {
			err = s.rewrite(maxMemory)
		}
		return err
	})
}
