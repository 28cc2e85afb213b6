package windows

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// Open returns the memory kept in dir, in the state of a commit, or an empty one if the state is
// nil. It appends to the logs, and cuts off what follows the lengths in the state. names receives
// the names of the records; the state must match the given numbers of records and entries.
func Open(
	dir *store.Dir, p Params, begin Begin, names *memory.Names, s *State, records, entries uint64,
) (*Memory, error) {
	m := empty(p, begin, names)
	m.logs = &logs{dir: dir}
	if s == nil {
		if err := m.open(1); err != nil {
			return nil, errors.Join(err, m.Close())
		}
		names.NoteTo(m.newest().files.names)
		return m, nil
	}
	if err := s.checkFor(p, records, entries); err != nil {
		return nil, fmt.Errorf("%s: %w", dir.Path(), err)
	}
	m.restore(s)
	err := m.load(s, os.O_RDWR, func(w *window, notes func([]byte) error) (memory.Index, error) {
		if w.Number < s.newest().Number {
			return memory.Read(begin, dir.Path(), w.files.file, w.Bytes, notes)
		}
		return memory.Load(begin, dir.Path(), w.files.file, w.Bytes, notes)
	})
	if err == nil {
		err = m.logs.resumeNames(m.newest(), m.names)
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// Read returns the memory kept in dir, in the state of a commit, for queries only; another process
// may be writing. If that process has since dropped a window, its log is gone and the error is
// fs.ErrNotExist.
func Read(
	dir *store.Dir, begin Begin, names *memory.Names, s *State, records, entries uint64,
) (*Memory, error) {
	if err := s.Check(records, entries); err != nil {
		return nil, fmt.Errorf("%s: %w", dir.Path(), err)
	}
	m := empty(Params{}, begin, names)
	m.logs = &logs{dir: dir}
	err := m.load(s, os.O_RDONLY, func(w *window, notes func([]byte) error) (memory.Index, error) {
		return memory.Read(begin, "", w.files.file, w.Bytes, notes)
	})
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// checkFor is Check with the parameters of this program.
func (s *State) checkFor(p Params, records, entries uint64) error {
	switch err := s.Check(records, entries); {
	case err != nil:
		return err
	case (s.Clock != nil) != p.byTime():
		return damage("the commit has a clock, and the parameters have none, or the reverse")
	case len(s.Remembered) > p.Keep:
		return damage("the commit names %d windows, and there are %d at most", len(s.Remembered), p.Keep)
	case !p.byTime() && s.Capacity != p.Capacity:
		return damage("the commit is of a memory of %d records, and not of %d", s.Capacity, p.Capacity)
	}
	return nil
}

func (s *State) newest() Window { return s.Remembered[len(s.Remembered)-1] }

// restore copies from a state all that is not about remembered windows.
func (m *Memory) restore(s *State) {
	m.dropped, m.logs.dropped, m.logs.before = s.counted, s.Dropped, s.Before
	if s.Clock != nil {
		m.clock = *s.Clock
	}
}

// load reads the logs of the remembered windows.
func (m *Memory) load(
	s *State, flags int, read func(w *window, notes func([]byte) error) (memory.Index, error),
) error {
	m.names.Begin(s.Remembered[0].First - 1)
	for _, of := range s.Remembered {
		w := &window{Window: of}
		path := filepath.Join(m.logs.dir.Path(), w.logName())
		var err error
		if w.files.file, err = m.logs.dir.OpenWith(w.logName(), flags); err != nil {
			return missing(err)
		}
		noted := 0
		w.index, err = read(w, func(text []byte) error {
			noted++
			var note windowNote
			if err := json.Unmarshal(text, &note); err != nil || note != w.note() || noted > 1 {
				return damage("it is of another window than number %d, from record %d on", w.Number, w.First)
			}
			return nil
		})
		if err == nil {
			m.windows = append(m.windows, w)
			if x := w.index.Stats(); x.Records != w.Records || x.Entries != w.Entries || noted == 0 {
				err = damage("it has %d records and %d entries, and the commit says %d and %d", x.Records, x.Entries,
					w.Records, w.Entries)
			}
		} else {
			err = errors.Join(err, w.files.close())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		m.names.Rewind(w.First - 1)
		if err := loadNames(m.logs.dir, m.names, &w.Window, w.NameBytes); err != nil {
			return err
		}
		if err := m.names.Check(w.next() - 1); err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(m.logs.dir.Path(), w.namesName()), err)
		}
	}
	return nil
}

// missing explains why a file that a commit names cannot be opened.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: a commit counts on it, and it is not there: %w", memory.ErrCorrupt, err)
	}
	return err
}

// loadNames reads the names of the records of a window from the first length bytes of their log.
func loadNames(dir *store.Dir, names *memory.Names, w *Window, length int64) error {
	file, err := dir.Open(w.namesName())
	if err != nil {
		return missing(err)
	}
	err = framelog.Read(file, length, framelog.Contents{Header: namesHeader(w), Notes: names.Load})
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("%s: %w", file.Name(), err)
	}
	return nil
}

// resumeNames makes the names of a window be noted in its log again.
func (l *logs) resumeNames(w *window, names *memory.Names) error {
	file, err := l.dir.OpenForWriting(w.namesName())
	if err != nil {
		return err
	}
	if w.files.names, err = openNames(file, w.NameBytes, w); err != nil {
		return err
	}
	names.NoteTo(w.files.names)
	return nil
}

// NameDropped loads the names of all records that the repeated verdicts of a run may refer to. They
// are dropped again with the next window.
func (m *Memory) NameDropped(run uint64) error {
	l := m.logs
	if l == nil {
		return nil
	}
	all := &memory.Names{WithIDs: m.names.WithIDs}
	isFirst := true
	for _, d := range l.dropped {
		for n := d.From; d.Run >= run && n <= d.To; n++ {
			w, length, err := describeNames(l.dir, n)
			if err != nil {
				return fmt.Errorf("the names of records that run %d has found are not there: %w", run, err)
			}
			path := filepath.Join(l.dir.Path(), w.namesName())
			if isFirst {
				all.Begin(w.First - 1)
				isFirst = false
			}
			all.Rewind(w.First - 1)
			if err := all.Check(w.First - 1); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if err := loadNames(l.dir, all, w, length); err != nil {
				return err
			}
		}
	}
	if isFirst {
		return nil
	}
	for _, w := range m.windows {
		all.Rewind(w.First - 1)
		if err := all.Check(w.First - 1); err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(l.dir.Path(), w.namesName()), err)
		}
		if err := loadNames(l.dir, all, &w.Window, w.NameBytes); err != nil {
			return err
		}
	}
	all.NoteTo(m.newest().files.names)
	*m.names = *all
	return nil
}

// describeNames returns which records the name log of a dropped window in dir covers, and its
// length. Nothing is appended to that log any more.
func describeNames(dir *store.Dir, number uint64) (w *Window, length int64, err error) {
	w = &Window{Number: number}
	if _, gone := dir.Stat(w.namesName()); gone != nil { // it was rewritten
		all, _ := dir.List()
		for _, name := range all {
			if of, ofNames, ok := parseName(name); ok && ofNames && of.Number == number {
				w.Rewritten = of.Rewritten
			}
		}
	}
	file, err := dir.Open(w.namesName())
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	header, err := framelog.ReadHeader(file, namesHold)
	if err == nil && (header.Version != namesVersion || header.Numbers[0] != number || header.Numbers[1] == 0) {
		err = damage("it is of version %d and of window %d", header.Version, header.Numbers[0])
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", file.Name(), err)
	}
	w.First = header.Numbers[1]
	length, err = file.Seek(0, io.SeekEnd)
	return w, length, err
}
