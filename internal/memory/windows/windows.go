package windows

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/windowclock"
)

// Params says when a window ends and how many are kept.
type Params struct {
	Keep        int           // maximum number of windows, 2 or more
	ForgetAfter time.Duration // length by the times of records, in whole seconds; 0 counts records
	Capacity    uint64        // entries of all windows but the newest, if records are counted
	UnseenOnly  bool          // duplicates are not remembered

	// Exact means that the memory of a window knows the times of its records (package keytimes),
	// and finds exactly those that are younger than ForgetAfter.
	Exact bool
	Least uint64 // with Exact: minimum records of a window before another one begins
}

// byTime reports whether windows end by time.
func (p Params) byTime() bool { return p.ForgetAfter > 0 }

// entries returns the number of entries of a window that ends by number.
func (p Params) entries() uint64 {
	others := uint64(p.Keep - 1)
	return max(1, (p.Capacity+others-1)/others)
}

// seconds returns the length of a window that ends by time. With Exact, one more window is kept
// than the age fills, so that a record that is late by up to a window still finds all that is
// younger.
func (p Params) seconds() int64 {
	if p.Exact {
		return windowclock.Seconds(p.ForgetAfter, p.Keep-1)
	}
	return windowclock.Seconds(p.ForgetAfter, p.Keep)
}

// ExactParams returns the parameters of a memory that knows times to the second. The age fills four
// windows. If there are few records, a window covers more time, so that there are not many files.
func ExactParams(age time.Duration) Params {
	return Params{Keep: 6, ForgetAfter: age, Exact: true, Least: 1 << 16}
}

// Begin returns an empty memory for a window. If it exceeds its memory, the rest goes to files in
// dir.
type Begin func(dir string) (memory.Index, error)

// A Memory consists of one memory for each window. Only one goroutine may use it at a time.
type Memory struct {
	params  Params
	begin   Begin
	names   *memory.Names // of all records
	logs    *logs         // nil if nothing is kept
	windows []*window     // the last one takes records
	clock   windowclock.Clock
	early   early
	times   times
	dropped counted
	cut     uint64 // Stats.Cut of windows that this run has dropped

	found []memory.Match // scratch buffer
}

// counted sums the statistics of dropped windows.
type counted struct {
	Duplicates uint64 `json:"duplicates,omitempty"`
	Copies     uint64 `json:"copies,omitempty"`
}

// A window is a remembered window with its memory.
type window struct {
	Window
	index memory.Index
	files logFiles
}

// New returns an empty memory that is not kept in files. names receives the names of its records.
func New(p Params, begin Begin, names *memory.Names) (*Memory, error) {
	m := empty(p, begin, names)
	if err := m.open(1); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

func empty(p Params, begin Begin, names *memory.Names) *Memory {
	return &Memory{params: p, begin: begin, names: names, clock: windowclock.Clock{Window: windowclock.None},
		times: times{isKept: p.Exact, present: windowclock.None}}
}

// newest returns the window that takes records.
func (m *Memory) newest() *window { return m.windows[len(m.windows)-1] }

// records returns the number of records observed or passed.
func (m *Memory) records() uint64 {
	w := m.newest()
	return w.First - 1 + w.index.Stats().Records
}

// open opens a window that begins with record first.
func (m *Memory) open(first uint64) (err error) {
	w := &window{Window: Window{Number: 1, First: first, Window: m.clock.Window}}
	if len(m.windows) > 0 {
		w.Number = m.newest().Number + 1
	}
	if m.logs == nil {
		w.index, err = m.begin("")
	} else {
		err = m.logs.create(w, m.begin)
	}
	if err == nil {
		m.windows = append(m.windows, w)
	}
	return err
}

// Next returns how many of the next records belong to one window, at least one, and opens that
// window if needed. times holds the second in which each record was made; it is nil if windows do
// not end by time. Observe or Pass these records, then call Next with the rest.
func (m *Memory) Next(times []int64, records int) (n int, err error) {
	if !m.params.byTime() {
		room := m.params.entries() - min(m.params.entries(), m.newest().index.Stats().Entries)
		if room == 0 {
			room, err = m.params.entries(), m.openWindow(nil)
		}
		return int(min(room, uint64(records))), err
	}
	if len(times) != records {
		return 0, fmt.Errorf("%d times are given for %d records", len(times), records)
	}
	length := m.params.seconds()
	m.times.next = m.times.next[:0]
	for i, second := range times {
		window := windowclock.Of(second, length)
		switch {
		case !m.clock.IsEarly(window):
			m.pass(window, second)
		case i > 0:
			return i, nil
		default:
			m.early.isNext, m.early.window, m.early.second = true, window, second
			return 1, nil
		}
	}
	return records, nil
}

// pass passes a record that is not early. Early records that it proves wrong stay in the newest
// window.
func (m *Memory) pass(window, second int64) {
	hasEarly := len(m.clock.Early) > 0
	m.clock.Pass(window)
	if m.times.isKept {
		m.times.pass(second, m.params)
		if hasEarly {
			m.correct(m.clock.Early)
		}
	}
}

// openWindow opens a window and drops those that are too old. The new window begins with the first
// of the given early records, which the last window has as well.
func (m *Memory) openWindow(early []windowclock.Early) error {
	ended, last := m.newest(), m.records()
	earliest := ended.First + 1
	if ended.Window.Window == windowclock.None { // all of its records were early, and it is dropped below
		earliest = ended.First
	}
	early = slices.DeleteFunc(early, func(e windowclock.Early) bool { return e.Record < earliest })
	first := last + 1
	if len(early) > 0 {
		first = early[0].Record
	}
	if err := m.open(first); err != nil {
		return err
	}
	if err := m.logs.end(ended, last); err != nil {
		return err
	}
	m.begins(early)
	if err := m.enter(early, last); err != nil {
		return err
	}
	for m.params.isOutdated(m.windows[0], len(m.windows), m.clock) {
		if err := m.drop(); err != nil {
			return err
		}
	}
	newest := m.newest()
	m.names.Turn(last, first, newest.files.noter(), m.windows[0].First-1)
	return m.logs.complete(m.names.Records())
}

// isOutdated reports whether the oldest of the given number of windows must be forgotten.
func (p Params) isOutdated(oldest *window, windows int, now windowclock.Clock) bool {
	if p.byTime() {
		return oldest.Window.Window < windowclock.Oldest(now.Window, p.Keep)
	}
	return windows > p.Keep
}

// drop forgets the oldest window.
func (m *Memory) drop() error {
	w := m.windows[0]
	s := w.index.Stats()
	m.dropped.Duplicates += s.Duplicates
	m.dropped.Copies += s.Copies
	m.cut += s.Cut
	m.windows = m.windows[1:]
	return errors.Join(w.index.Close(), m.logs.drop(w))
}

// Query implements memory.Searcher. With Params.Exact, the records count as made in the present.
func (m *Memory) Query(sketches []uint64, matches []memory.Match) error {
	return m.queryAll(m.times.ofPresent(sketches, len(matches)), matches)
}

// QueryAt is like Query for records that were made in the given seconds, which must be alike
// (Alike). Records ahead of the current window are compared only with what is young enough for
// them.
func (m *Memory) QueryAt(times []int64, sketches []uint64, matches []memory.Match) error {
	switch {
	case m.times.isKept || !m.params.byTime() || len(times) == 0:
		return m.queryAll(m.times.at(times, sketches), matches)
	case m.Alike(times) < len(times):
		return errors.New("internal error: records that are compared with different windows are queried at once")
	}
	return m.queryFrom(m.reach(times[0]), sketches, matches)
}

// Alike returns how many of the first records, made in the given seconds, are compared with the
// same windows, so that one call of QueryAt may take them.
func (m *Memory) Alike(times []int64) (n int) {
	if m.times.isKept || !m.params.byTime() || len(times) == 0 {
		return len(times)
	}
	oldest := m.reach(times[0])
	for n = 1; n < len(times) && m.reach(times[n]) == oldest; {
		n++
	}
	return n
}

func (m *Memory) queryAll(sketches []uint64, matches []memory.Match) error {
	for _, w := range m.windows {
		if err := m.query(w, sketches, matches); err != nil {
			return err
		}
	}
	return m.queryAllEarly(sketches, matches)
}

// query queries a window.
func (m *Memory) query(w *window, sketches []uint64, matches []memory.Match) error {
	m.found = slices.Grow(m.found[:0], len(matches))[:len(matches)]
	clear(m.found)
	if m.times.isKept {
		return m.queryTimed(w, sketches, matches)
	}
	if err := w.index.Query(sketches, m.found); err != nil {
		return err
	}
	for i := range matches {
		matches[i] = memory.Closer(matches[i], w.inStream(m.found[i]))
	}
	return nil
}

// inStream converts a match of the window to record numbers of the stream.
func (w *window) inStream(m memory.Match) memory.Match {
	if m.Record > 0 {
		m.Record += w.First - 1
	}
	return m
}

// Observe implements memory.Remembering.
func (m *Memory) Observe(sketches []uint64, matches []memory.Match) (observed int, err error) {
	clear(matches)
	return m.ObserveBeside(sketches, matches)
}

// ObserveBeside implements memory.Remembering, for records of the current window.
func (m *Memory) ObserveBeside(sketches []uint64, matches []memory.Match) (observed int, err error) {
	if m.early.isNext {
		return m.observeEarly(sketches, matches)
	}
	sketches = m.times.at(m.times.next, sketches)
	newest := m.newest()
	for _, w := range m.windows[:len(m.windows)-1] {
		if err := m.query(w, sketches, matches); err != nil {
			return 0, err
		}
	}
	before := append(m.found[:0], matches...)
	m.found = before
	observed, err = newest.index.ObserveBeside(sketches, matches)
	for i, was := range before[:observed] {
		if matches[i] != was {
			matches[i] = newest.inStream(matches[i])
		}
	}
	return observed, err
}

// Pass implements memory.Remembering.
func (m *Memory) Pass(records int) { m.newest().index.Pass(records) }

// Stats implements memory.Searcher. Duplicates and copies include those of dropped windows.
func (m *Memory) Stats() memory.Stats {
	all := memory.Stats{Records: m.records(), Duplicates: m.dropped.Duplicates, Copies: m.dropped.Copies, Cut: m.cut}
	for _, w := range m.windows {
		s := w.index.Stats()
		all.Entries += s.Entries
		all.Duplicates += s.Duplicates
		all.Copies += s.Copies
		all.Forgotten += s.Forgotten
		all.Cut += s.Cut
		all.Lists += s.Lists
		all.Bytes += s.Bytes
		all.Sealed += s.Sealed
		all.FileBytes += s.FileBytes
		all.LogBytes += s.LogBytes
	}
	all.Cut = min(all.Cut, all.Records-all.Duplicates) // a record may count in several windows
	return all
}

// Windows describes the remembered windows, the oldest first.
func (m *Memory) Windows() (list []Window) {
	for _, w := range m.windows {
		x := w.index.Stats()
		w.Records, w.Entries = x.Records, x.Entries
		list = append(list, w.Window)
	}
	return list
}

// Close implements memory.Searcher.
func (m *Memory) Close() (err error) {
	for _, w := range m.windows {
		err = errors.Join(err, w.index.Close(), w.files.close())
	}
	m.windows = nil
	return errors.Join(err, m.early.close())
}
