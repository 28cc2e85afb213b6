package windows

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/windowclock"
)

// Numbers returns the records in the logs that a commit names, by their numbers in the stream, and
// their names. It remembers nothing.
func Numbers(
	of *index.Writer, begin Begin, names *memory.Names, s *State, records, entries uint64,
) (all memory.Numbers, err error) {
	if err := s.Check(records, entries); err != nil {
		return all, fmt.Errorf("%s: %w", of.Path(), err)
	}
	names.Begin(s.Remembered[0].First - 1)
	all.Forgotten = map[uint64]struct{}{}
	for _, w := range s.Remembered {
		numbers, err := numbersOf(of, begin, &w)
		names.Rewind(w.First - 1)
		if err == nil {
			err = readNames(of.ReadLog, names, &w)
		}
		if err == nil {
			err = names.Check(w.next() - 1)
		}
		if err != nil {
			return all, err
		}
		all.Entries = append(all.Entries, numbers.Entries...)
		maps.Copy(all.Forgotten, numbers.Forgotten)
	}
	slices.Sort(all.Entries) // a record that was early may be in two windows
	return all, nil
}

// numbersOf is Numbers for one window.
func numbersOf(of *index.Writer, begin Begin, w *Window) (n memory.Numbers, err error) {
	file, length, err := of.ReadLog(w.logName())
	if err != nil {
		return n, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	x, err := begin("")
	if err != nil {
		return n, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	own, err := x.ReadNumbers(file, length, nil)
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

// Forget marks records as forgotten in the logs of an index. It returns the state to commit, and
// the number of entries that are gone. Nothing changes before that commit.
func Forget(of *index.Writer, begin Begin, s *State, records []uint64) (next *State, entries uint64, err error) {
	copied := *s
	next = &copied
	next.Remembered, next.Clock = slices.Clone(s.Remembered), clockWithout(s.Clock, records)
	for i := range next.Remembered {
		gone, err := next.Remembered[i].forget(of, begin, records)
		if err != nil {
			return nil, 0, err
		}
		entries += gone
	}
	return next, entries, nil
}

// clockWithout returns a copy of a clock without the sketches of some records.
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
func (w *Window) forget(of *index.Writer, begin Begin, records []uint64) (entries uint64, err error) {
	var own []uint64
	for _, record := range records {
		if w.has(record) {
			own = append(own, record)
		}
	}
	if len(own) == 0 {
		return 0, nil
	}
	known, err := numbersOf(of, begin, w)
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
	log, length, err := of.OpenLog(w.logName())
	if err != nil {
		return 0, err
	}
	if length, err = memory.Forget(log, length, own, nil); err == nil {
		log.EndAt(length)
	}
	return entries, err
}

// Rewrite replaces the logs of an index that contain deleted records with logs without them, and
// returns the state to commit. The old logs remain until then.
func Rewrite(of *index.Writer, begin Begin, s *State, records, entries uint64) (*State, error) {
	if err := s.Check(records, entries); err != nil {
		return nil, fmt.Errorf("%s: %w", of.Path(), err)
	}
	next := *s
	next.Remembered = slices.Clone(s.Remembered)
	for i := range next.Remembered {
		if w := &next.Remembered[i]; w.Deleted > 0 {
			if err := w.rewrite(of, begin); err != nil {
				return nil, err
			}
		}
	}
	return &next, nil
}

func (w *Window) rewrite(of *index.Writer, begin Begin) error {
	old := *w
	numbers, err := numbersOf(of, begin, &old)
	if err != nil {
		return err
	}
	w.Rewritten, w.Deleted = w.Rewritten+1, 0
	err = of.ReplaceLog(old.logName(), w.logName(), func(from *index.File, length int64, to *index.Log) (int64, error) {
		return w.absorb(of.Path(), begin, from, length, to)
	})
	if err != nil {
		return named(of.Path(), old.logName(), err)
	}
	err = of.ReplaceLog(old.namesName(), w.namesName(), func(from *index.File, length int64, to *index.Log) (
		int64, error,
	) {
		return w.rewriteNames(from, length, &old, to, numbers.Forgotten)
	})
	if err != nil {
		return named(of.Path(), old.namesName(), err)
	}
	return nil
}

// absorb writes the contents of the first bytes of an old log, without deleted records, to a new
// one, and returns its length.
func (w *Window) absorb(dir string, begin Begin, from *index.File, bytes int64, to *index.Log) (
	length int64, err error,
) {
	x, err := memory.Load(begin, dir, to, 0, nil)
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
	return x.Flush()
}

// rewriteNames writes a log of names without the ids of deleted records, and returns its length.
func (w *Window) rewriteNames(
	from *index.File, bytes int64, old *Window, to *index.Log, deleted map[uint64]struct{},
) (length int64, err error) {
	log, err := framelog.NewWriter(to, 0, namesHeader(w))
	if err != nil {
		return 0, err
	}
	err = framelog.Read(from, bytes, framelog.Contents{
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
	return log.Flush()
}
