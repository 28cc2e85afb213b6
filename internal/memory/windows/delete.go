package windows

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/internal/windowclock"
)

// Log returns the name of a log of records.
func (s *State) Log() string {
	if len(s.Remembered) == 0 {
		return ""
	}
	return s.Remembered[0].logName()
}

// Numbers returns the records in the logs in dir that a commit names, by their numbers in the
// stream, and their names. It remembers nothing.
func Numbers(
	dir *store.Dir, begin Begin, names *memory.Names, s *State, records, entries uint64,
) (all memory.Numbers, err error) {
	if err := s.Check(records, entries); err != nil {
		return all, fmt.Errorf("%s: %w", dir.Path(), err)
	}
	names.Begin(s.Remembered[0].First - 1)
	all.Forgotten = map[uint64]struct{}{}
	for _, w := range s.Remembered {
		of, err := numbersOf(dir, begin, &w)
		names.Rewind(w.First - 1)
		if err == nil {
			err = loadNames(dir, names, &w, w.NameBytes)
		}
		if err == nil {
			err = names.Check(w.next() - 1)
		}
		if err != nil {
			return all, err
		}
		all.Entries = append(all.Entries, of.Entries...)
		maps.Copy(all.Forgotten, of.Forgotten)
	}
	slices.Sort(all.Entries) // a record that was early may be in two windows
	return all, nil
}

// numbersOf is Numbers for one window.
func numbersOf(dir *store.Dir, begin Begin, w *Window) (n memory.Numbers, err error) {
	file, err := dir.Open(w.logName())
	if err != nil {
		return n, missing(err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	x, err := begin("")
	if err != nil {
		return n, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	own, err := x.ReadNumbers(file, w.Bytes, nil)
	if err != nil {
		return n, fmt.Errorf("%s: %w", file.Name(), err)
	}
	for _, record := range own.Entries {
		n.Entries = append(n.Entries, record+w.First-1)
	}
	n.Forgotten = map[uint64]struct{}{}
	for record := range own.Forgotten {
		n.Forgotten[record+w.First-1] = struct{}{}
	}
	return n, nil
}

// HasForgotten implements memory.Remembering.
func (m *Memory) HasForgotten(record uint64) bool {
	for _, w := range m.windows {
		if w.has(record) {
			return w.index.HasForgotten(record - (w.First - 1))
		}
	}
	return false
}

// has reports whether a record belongs to the window.
func (w *Window) has(record uint64) bool { return record >= w.First && record < w.next() }

// Forget appends to the logs in dir that records are forgotten. It returns the state to commit, and
// how many entries are gone. Nothing changes before that commit.
func Forget(dir *store.Dir, begin Begin, s *State, records []uint64) (next *State, entries uint64, err error) {
	copied := *s
	next = &copied
	next.Remembered, next.Clock = slices.Clone(s.Remembered), clockWithout(s.Clock, records)
	for i := range next.Remembered {
		gone, err := next.Remembered[i].forget(dir, begin, records)
		if err != nil {
			return nil, 0, err
		}
		entries += gone
	}
	return next, entries, nil
}

// clockWithout returns a clock that keeps no sketch of some records.
func clockWithout(c *windowclock.Clock, records []uint64) *windowclock.Clock {
	if c == nil {
		return nil
	}
	early := slices.Clone(c.Early)
	for i := range early {
		if slices.Contains(records, early[i].Record) {
			early[i].Sketch = nil
		}
	}
	return &windowclock.Clock{Window: c.Window, Early: early}
}

// forget is Forget for one window.
func (w *Window) forget(dir *store.Dir, begin Begin, records []uint64) (entries uint64, err error) {
	var own []uint64
	for _, record := range records {
		if w.has(record) {
			own = append(own, record)
		}
	}
	if len(own) == 0 {
		return 0, nil
	}
	known, err := numbersOf(dir, begin, w)
	if err != nil {
		return 0, err
	}
	for i, record := range own {
		if _, has := slices.BinarySearch(known.Entries, record); has {
			entries++
		}
		own[i] = record - w.First + 1
	}
	w.Entries -= entries
	w.Deleted += uint64(len(own))
	file, err := dir.OpenForWriting(w.logName())
	if err != nil {
		return 0, missing(err)
	}
	w.Bytes, err = memory.Forget(file, w.Bytes, own, nil)
	return entries, errors.Join(err, file.Close())
}

// Rewrite replaces the logs in dir that contain deleted records with logs without them, and returns
// the state to commit. The old logs remain until then.
func Rewrite(dir *store.Dir, begin Begin, s *State, records, entries uint64) (*State, error) {
	if err := s.Check(records, entries); err != nil {
		return nil, fmt.Errorf("%s: %w", dir.Path(), err)
	}
	next := *s
	next.Remembered = slices.Clone(s.Remembered)
	for i := range next.Remembered {
		if w := &next.Remembered[i]; w.Deleted > 0 {
			if err := w.rewrite(dir, begin); err != nil {
				return nil, err
			}
		}
	}
	return &next, dir.Sync()
}

func (w *Window) rewrite(dir *store.Dir, begin Begin) error {
	old := *w
	numbers, err := numbersOf(dir, begin, &old)
	if err != nil {
		return err
	}
	w.Rewritten, w.Deleted = w.Rewritten+1, 0
	err = dir.Derive(old.logName(), w.logName(), func(from, to *store.File) (err error) {
		w.Bytes, err = w.absorb(dir, begin, from, old.Bytes, to)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(dir.Path(), old.logName()), missing(err))
	}
	err = dir.Derive(old.namesName(), w.namesName(), func(from, to *store.File) (err error) {
		w.NameBytes, err = w.rewriteNames(from, &old, to, numbers.Forgotten)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(dir.Path(), old.namesName()), missing(err))
	}
	return nil
}

// absorb writes a log of what the first bytes of an old one hold without deleted records, and
// returns its length.
func (w *Window) absorb(dir *store.Dir, begin Begin, from *store.File, bytes int64, to *store.File) (
	length int64, err error,
) {
	x, err := memory.Load(begin, dir.Path(), to, 0, nil)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	text, err := json.Marshal(w.note())
	if err == nil {
		err = x.Note(text)
	}
	if err == nil {
		err = x.Absorb(from, bytes, nil, nil)
	}
	if err != nil {
		return 0, err
	}
	if got := x.Stats(); got.Entries != w.Entries || got.Records != w.Records {
		return 0, damage("it has %d records and %d entries that count, and the commit says %d and %d", got.Records,
			got.Entries, w.Records, w.Entries)
	}
	return x.Sync()
}

// rewriteNames writes a log of names without the ids of deleted records, and returns its length.
func (w *Window) rewriteNames(from *store.File, old *Window, to *store.File, deleted map[uint64]struct{}) (
	length int64, err error,
) {
	log, err := framelog.NewWriter(to, 0, namesHeader(w))
	if err != nil {
		return 0, err
	}
	err = framelog.Read(from, old.NameBytes, framelog.Contents{
		Header: namesHeader(old),
		Notes: func(note []byte) error {
			note, err := memory.WithoutIDs(note, deleted)
			if err != nil {
				return err
			}
			return log.Note(note)
		},
	})
	if err != nil {
		return 0, err
	}
	return log.Sync()
}
