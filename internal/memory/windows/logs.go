package windows

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// logs manages the logs of a memory that is kept in an index.
type logs struct {
	index   *index.Writer // nil if the memory is only read
	read    index.ReadLog
	dir     string      // directory of the index
	ending  []*namesLog // logs of ended windows that may still receive names
	gone    []Window    // windows dropped since the last commit
	dropped []Dropped
	run     uint64 // the run whose verdicts are kept for undo; 0 if there are no runs
	before  uint64 // the newest window when that run began
	undo    int    // number of runs that can be undone
	oldest  uint64 // the oldest run that can be repeated
}

// logFiles holds the logs of a window.
type logFiles struct {
	read  *index.File // log of records that are only read; may be nil
	log   *index.Log  // log of records that are appended to; may be nil
	names *namesLog   // nil once it is complete
}

// A namesLog is the log of the names of a window's records.
type namesLog struct {
	*framelog.Writer
	log  *index.Log
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
func (l *logs) create(w *window, begin Begin) (err error) {
	if w.files.log, err = l.index.CreateLog(w.logName()); err != nil {
		return err
	}
	if w.index, err = memory.Load(begin, l.dir, w.files.log, 0, nil); err != nil {
		return err
	}
	w.files.log.FlushBy(w.index.Flush)
	text, err := json.Marshal(w.note())
	if err == nil {
		err = w.index.Note(text)
	}
	if err == nil {
		var names *index.Log
		if names, err = l.index.CreateLog(w.namesName()); err == nil {
			w.files.names, err = openNames(names, 0, w)
		}
	}
	if err != nil {
		return errors.Join(err, w.index.Close())
	}
	return nil
}

// openNames opens the name log of a window for appending.
func openNames(log *index.Log, length int64, w *window) (*namesLog, error) {
	names, err := framelog.NewWriter(log, length, namesHeader(&w.Window))
	if err != nil {
		return nil, err
	}
	log.FlushBy(names.Flush)
	return &namesLog{Writer: names, log: log}, nil
}

// noter returns the function that notes names of the window, or nil if there is none.
func (f logFiles) noter() memory.Noter {
	if f.names == nil {
		return nil
	}
	return f.names.Note
}

func (f logFiles) close() error {
	if f.read == nil {
		return nil
	}
	return f.read.Close()
}

// end ends the log of a window. Names up to that of record last may still be noted.
func (l *logs) end(w *window, last uint64) error {
	if l == nil {
		return nil
	}
	w.files.names.last = last
	l.ending, w.files.names = append(l.ending, w.files.names), nil
	return w.files.log.End()
}

// complete ends the name logs whose last record precedes next, since that has another log.
func (l *logs) complete(next uint64) error {
	if l == nil {
		return nil
	}
	for len(l.ending) > 0 && l.ending[0].last < next {
		if err := l.ending[0].log.End(); err != nil {
			return err
		}
		l.ending = l.ending[1:]
	}
	return nil
}

// drop drops a window whose memory is closed. The next commit gives up its logs, unless they are
// still needed.
func (l *logs) drop(w *window) error {
	if l == nil {
		return nil
	}
	l.gone = append(l.gone, w.Window)
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

// needed returns the dropped windows whose files a commit of this run still needs.
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
		if _, isCommitted := l.index.LastCommit().Log(m.newest().logName()); !isCommitted {
			l.before--
		}
	}
	l.run, l.undo, l.oldest = r.Number, r.Undo, r.Oldest
}

// Commit returns the state for the next commit, after noting the names of all records. It drops the
// logs that the commit does not need.
func (m *Memory) Commit() (*State, error) {
	l := m.logs
	if err := m.names.Switch(); err != nil {
		return nil, err
	}
	if err := m.names.Note(); err != nil {
		return nil, err
	}
	if err := l.complete(m.names.Records() + 1); err != nil {
		return nil, err
	}
	if err := memory.CheckCommit(m.records(), m.names.Records(), "names"); err != nil {
		return nil, fmt.Errorf("%s: %w", l.dir, err)
	}
	if len(l.ending) > 0 {
		return nil, fmt.Errorf("internal error: the names up to record %d are not all noted", l.ending[0].last)
	}
	for _, w := range l.gone {
		err := errors.Join(l.index.DropLog(w.logName(), true), l.index.DropLog(w.namesName(), true))
		if err != nil {
			return nil, err
		}
	}
	l.gone = nil
	s := m.state()
	l.index.KeepLogs(s.Needs)
	return s, nil
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
	if m.times.isKept {
		present := m.times.present
		s.Present = &present
	}
	s.Remembered = m.Windows()
	return s
}
