package windows

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// Open returns the memory kept in an index, in the state of its last commit, or an empty one if the
// state is nil. It appends to the logs, after cutting off what follows their lengths. names
// receives the names of the records. The state must match the given numbers of records and entries.
func Open(
	of *index.Writer, p Params, begin Begin, names *memory.Names, s *State, records, entries uint64,
) (*Memory, error) {
	m := empty(p, begin, names)
	m.logs = &logs{index: of, read: of.ReadLog, dir: of.Path()}
	if s == nil {
		if err := m.open(1); err != nil {
			return nil, errors.Join(err, m.Close())
		}
		names.NoteTo(m.newest().files.names.Note)
		return m, nil
	}
	if err := s.checkFor(p, records, entries); err != nil {
		return nil, fmt.Errorf("%s: %w", of.Path(), err)
	}
	m.restore(s)
	err := m.load(s, func(w *window, notes func([]byte) error) (memory.Index, error) {
		if w.Number < s.newest().Number {
			return m.logs.readIndex(w, func(file *index.File, length int64) (memory.Index, error) {
				return memory.Read(begin, of.Path(), file, length, notes)
			})
		}
		log, length, err := of.OpenLog(w.logName())
		if err != nil {
			return nil, err
		}
		x, err := memory.Load(begin, of.Path(), log, length, notes)
		if err == nil {
			w.files.log = log
			log.FlushBy(x.Flush)
		}
		return x, err
	})
	if err == nil {
		err = m.resumeNames()
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// Read returns the memory kept in an index, in the state of a commit, for queries only. read opens
// the logs.
func Read(
	read index.ReadLog, dir string, p Params, begin Begin, names *memory.Names, s *State, records, entries uint64,
) (*Memory, error) {
	if err := s.checkFor(p, records, entries); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	m := empty(p, begin, names)
	m.logs = &logs{read: read, dir: dir}
	m.restore(s)
	err := m.load(s, func(w *window, notes func([]byte) error) (memory.Index, error) {
		return m.logs.readIndex(w, func(file *index.File, length int64) (memory.Index, error) {
			return memory.Read(begin, "", file, length, notes)
		})
	})
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// readIndex opens the log of a window for reading. The log stays open as long as the memory of the
// window.
func (l *logs) readIndex(
	w *window, read func(file *index.File, length int64) (memory.Index, error),
) (memory.Index, error) {
	file, length, err := l.read(w.logName())
	if err != nil {
		return nil, err
	}
	w.files.read = file
	return read(file, length)
}

// checkFor is like Check, but also requires that the state fits the parameters of this program.
func (s *State) checkFor(p Params, records, entries uint64) error {
	switch err := s.Check(records, entries); {
	case err != nil:
		return err
	case (s.Clock != nil) != p.byTime():
		return damage("the commit has a clock, and the parameters have none, or the reverse")
	case (s.Present != nil) != p.Exact:
		return damage("the commit has times of keys, and the parameters have none, or the reverse")
	case len(s.Remembered) > p.Keep:
		return damage("the commit names %d windows, and there are %d at most", len(s.Remembered), p.Keep)
	case !p.byTime() && s.Capacity != p.Capacity:
		return damage("the commit is of a memory of %d records, and not of %d", s.Capacity, p.Capacity)
	}
	return nil
}

func (s *State) newest() Window { return s.Remembered[len(s.Remembered)-1] }

// restore copies everything from a state but the remembered windows.
func (m *Memory) restore(s *State) {
	m.dropped, m.logs.dropped, m.logs.before = s.counted, s.Dropped, s.Before
	if s.Clock != nil {
		m.clock = *s.Clock
	}
	m.times.restore(s)
}

// load reads the logs of the remembered windows.
func (m *Memory) load(s *State, read func(w *window, notes func([]byte) error) (memory.Index, error)) error {
	m.names.Begin(s.Remembered[0].First - 1)
	for _, of := range s.Remembered {
		w := &window{Window: of}
		var err error
		begins := beginning{Window: &w.Window}
		w.index, err = read(w, begins.take)
		if err == nil {
			m.windows = append(m.windows, w)
			if x := w.index.Stats(); x.Records != w.Records || x.Entries != w.Entries || begins.notes == 0 {
				err = damage("it has %d records and %d entries, and the commit says %d and %d", x.Records, x.Entries,
					w.Records, w.Entries)
			}
		} else {
			err = errors.Join(err, w.files.close())
		}
		if err != nil {
			return m.logs.named(w.logName(), err)
		}
		m.names.Rewind(w.First - 1)
		if err := m.logs.loadNames(m.names, &w.Window); err != nil {
			return err
		}
		if err := m.names.Check(w.next() - 1); err != nil {
			return m.logs.named(w.namesName(), err)
		}
	}
	return nil
}

// A beginning checks the notes in the log of a window, which has one, at its beginning.
type beginning struct {
	*Window
	notes int // so far
}

// take takes the next note of the log.
func (b *beginning) take(text []byte) error {
	b.notes++
	var note windowNote
	if err := json.Unmarshal(text, &note); err != nil || note != b.note() || b.notes > 1 {
		return damage("it is of another window than number %d, from record %d on", b.Number, b.First)
	}
	return nil
}

// named adds the path of a log to an error that does not have it.
func (l *logs) named(name string, err error) error { return named(l.dir, name, err) }

func named(dir, name string, err error) error {
	if errors.Is(err, index.ErrCorrupt) || errors.As(err, new(*fs.PathError)) {
		return err
	}
	return fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
}

// loadNames reads the names of the records of a window from their log.
func (l *logs) loadNames(names *memory.Names, w *Window) error { return readNames(l.read, names, w) }

func readNames(read index.ReadLog, names *memory.Names, w *Window) error {
	file, length, err := read(w.namesName())
	if err != nil {
		return err
	}
	err = framelog.Read(file, length, framelog.Contents{Header: namesHeader(w), Notes: names.Load})
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("%s: %w", file.Name(), err)
	}
	return nil
}

// resumeNames opens the name log of the newest window again, and notes further names there.
func (m *Memory) resumeNames() error {
	w := m.newest()
	log, length, err := m.logs.index.OpenLog(w.namesName())
	if err != nil {
		return err
	}
	if w.files.names, err = openNames(log, length, w); err != nil {
		return err
	}
	m.names.NoteTo(w.files.names.Note)
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
			w, err := l.describeNames(n)
			if err != nil {
				return fmt.Errorf("the names of records that run %d has found are not there: %w", run, err)
			}
			if isFirst {
				all.Begin(w.First - 1)
				isFirst = false
			}
			all.Rewind(w.First - 1)
			if err := all.Check(w.First - 1); err != nil {
				return l.named(w.namesName(), err)
			}
			if err := l.loadNames(all, w); err != nil {
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
			return l.named(w.namesName(), err)
		}
		if err := l.loadNames(all, &w.Window); err != nil {
			return err
		}
	}
	all.NoteTo(m.newest().files.names.Note)
	*m.names = *all
	return nil
}

// describeNames returns which records the name log of a dropped window covers.
func (l *logs) describeNames(number uint64) (w *Window, err error) {
	w = &Window{Number: number}
	for _, name := range l.index.Logs() {
		if of, ofNames, ok := parseName(name); ok && ofNames && of.Number == number {
			w.Rewritten = of.Rewritten
		}
	}
	file, _, err := l.read(w.namesName())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	header, err := framelog.ReadHeader(file, namesHold)
	if err == nil && (header.Version != namesVersion || header.Numbers[0] != number || header.Numbers[1] == 0) {
		err = damage("it is of version %d and of window %d", header.Version, header.Numbers[0])
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	w.First = header.Numbers[1]
	return w, nil
}
