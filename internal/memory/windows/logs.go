package windows

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// logs are the files of a memory kept in a directory; nil if it is kept nowhere.
type logs struct {
	dir     *store.Dir
	created bool        // files were created since the last commit
	ending  []*namesLog // logs of ended windows that may still receive names
	dropped []Dropped
	run     uint64 // the run whose verdicts are kept for undo; 0 if there are no runs
	before  uint64 // the newest window when that run began
	undo    int    // number of runs that can be undone
	oldest  uint64 // the oldest run that can be repeated
}

// logFiles are the logs of a window.
type logFiles struct {
	file  *store.File // log of the index; may be nil
	names *namesLog   // nil once it is complete
}

// A namesLog is the log of the names of a window's records.
type namesLog struct {
	*framelog.Writer
	file *store.File
	of   *window
	last uint64 // the last record of the window, once it has ended
}

const (
	namesHold    = "names"
	namesVersion = 1
)

func namesHeader(w *Window) framelog.Header {
	return framelog.Header{Holds: namesHold, Version: namesVersion, Numbers: [3]uint64{w.Number, w.First}}
}

// A windowNote begins the log of a window, since the headers of two windows' logs are equal.
type windowNote struct {
	Window uint64 `json:"window"`
	First  uint64 `json:"first"`
}

func (w *Window) note() windowNote { return windowNote{w.Number, w.First} }

// create creates the logs of a window, and its index.
func (l *logs) create(w *window, begin Begin) error {
	l.created = true
	file, err := l.dir.Create(w.logName())
	if err != nil {
		return err
	}
	if w.index, err = memory.Load(begin, l.dir.Path(), file, 0, nil); err != nil {
		return errors.Join(err, file.Close())
	}
	text, err := json.Marshal(w.note())
	if err == nil {
		err = w.index.Note(text)
	}
	w.files.file = file
	if err == nil {
		w.files.names, err = createNames(l.dir, w)
	}
	if err != nil {
		return errors.Join(err, w.index.Close(), file.Close())
	}
	return nil
}

func createNames(dir *store.Dir, w *window) (*namesLog, error) {
	file, err := dir.Create(w.namesName())
	if err != nil {
		return nil, err
	}
	return openNames(file, 0, w)
}

// openNames opens the name log of a window for appending.
func openNames(file *store.File, length int64, w *window) (*namesLog, error) {
	log, err := framelog.NewWriter(file, length, namesHeader(&w.Window))
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &namesLog{Writer: log, file: file, of: w}, nil
}

// noter returns where names of the window are noted; nil means nowhere.
func (f logFiles) noter() memory.Noter {
	if f.names == nil {
		return nil
	}
	return f.names
}

func (f logFiles) close() error {
	var errs []error
	if f.file != nil {
		errs = append(errs, f.file.Close())
	}
	if f.names != nil {
		errs = append(errs, f.names.file.Close())
	}
	return errors.Join(errs...)
}

// end makes the log of a window that has ended durable.
func (l *logs) end(w *window, last uint64) (err error) {
	if l == nil {
		return nil
	}
	w.files.names.last = last
	l.ending, w.files.names = append(l.ending, w.files.names), nil
	w.Bytes, err = w.index.Sync()
	return err
}

// complete completes the name logs whose last record is before next, which has another log.
func (l *logs) complete(next uint64) error {
	if l == nil {
		return nil
	}
	for len(l.ending) > 0 && l.ending[0].last < next {
		if err := l.ending[0].complete(); err != nil {
			return err
		}
		l.ending = l.ending[1:]
	}
	return nil
}

// complete makes the log durable and closes it.
func (n *namesLog) complete() (err error) {
	n.of.NameBytes, err = n.Sync()
	return errors.Join(err, n.file.Close())
}

// drop removes a window, whose memory is closed. Its files stay until a commit no longer needs
// them.
func (l *logs) drop(w *window) error {
	if l == nil {
		return nil
	}
	if l.run > 0 {
		last := len(l.dropped) - 1
		if last < 0 || l.dropped[last].Run != l.run {
			l.dropped = append(l.dropped, Dropped{From: w.Number, Run: l.run})
			last++
		}
		d := &l.dropped[last]
		if d.To = w.Number; l.undo > 0 && w.Number <= l.before {
			d.Logs = w.Number
		}
	}
	return w.files.close()
}

// needed returns the dropped windows whose files a commit of this run has to name.
func (l *logs) needed() []Dropped {
	var kept []Dropped
	for _, d := range l.dropped {
		if d.Run+uint64(l.undo) <= l.run {
			d.Logs = 0
		}
		if l.run > 0 && (d.Logs > 0 || d.Run >= min(l.oldest, l.run)) {
			kept = append(kept, d)
		}
	}
	return kept
}

// A Run identifies the run that the records belong to, if a journal of verdicts is kept.
type Run struct {
	Number    uint64 // from 1; 0 if there are no runs
	Continues bool   // the run has made a commit before
	Undo      int    // number of runs that can be undone
	Oldest    uint64 // the oldest run whose verdicts can be repeated, at most Number
}

// OfRun sets the run that the next records belong to. Without it there are no runs.
func (m *Memory) OfRun(r Run) {
	l := m.logs
	if l == nil {
		return
	}
	if !r.Continues {
		l.before = m.newest().Number
		if m.newest().Bytes == 0 { // nothing of it is committed
			l.before--
		}
	}
	l.run, l.undo, l.oldest = r.Number, r.Undo, r.Oldest
}

// Sync makes what is remembered, and the names of records, durable, and returns the state to
// commit.
func (m *Memory) Sync() (*State, error) {
	l, newest := m.logs, m.newest()
	if err := m.names.Switch(); err != nil {
		return nil, err
	}
	if err := m.names.Note(); err != nil {
		return nil, err
	}
	if err := l.complete(m.names.Records() + 1); err != nil {
		return nil, err
	}
	if len(l.ending) > 0 || m.names.Records() != m.records() {
		return nil, fmt.Errorf("internal error: %d of %d records have a name", m.names.Records(), m.records())
	}
	var err error
	if newest.Bytes, err = newest.index.Sync(); err != nil {
		return nil, err
	}
	if newest.NameBytes, err = newest.files.names.Sync(); err != nil {
		return nil, err
	}
	if l.created {
		if err := l.dir.Sync(); err != nil {
			return nil, err
		}
		l.created = false
	}
	return m.state(), nil
}

func (m *Memory) state() *State {
	l := m.logs
	l.dropped = l.needed()
	s := &State{counted: m.dropped, Dropped: l.dropped, Before: l.before}
	if m.params.byTime() {
		clock := m.clock
		s.Clock = &clock
	} else {
		s.Capacity = m.params.Capacity
	}
	s.Remembered = m.Windows()
	return s
}

func (l *logs) close() (err error) {
	if l == nil {
		return nil
	}
	for _, n := range l.ending {
		err = errors.Join(err, n.file.Close())
	}
	l.ending = nil
	return err
}
