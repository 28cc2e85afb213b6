package windows

import (
	"cmp"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/windowclock"
)

// early holds the records whose times are ahead of the current window (windowclock.Clock). Such a
// record is compared with the windows that its own time reaches back to, and with the early records
// before it. The newest window remembers it, although that is an earlier one, and so does each
// window that opens while it is early; the last of them covers its time.
type early struct {
	isNext bool         // whether the next record is early
	window int64        // window of that record
	second int64        // second in which that record was made
	index  memory.Index // early records that the last one was compared with; nil if there are none
	has    []uint64     // numbers of the records in index
	isOld  bool         // whether the time of one of them has been corrected since
}

// observeEarly observes one early record.
func (m *Memory) observeEarly(sketch []uint64, matches []memory.Match) (observed int, err error) {
	window := m.early.window
	m.early.isNext = false
	sketch = m.times.of(sketch, m.early.second)
	oldest, newest := windowclock.Oldest(window, m.params.Keep), m.newest()
	for _, w := range m.windows[:len(m.windows)-1] {
		if w.Window.Window < oldest {
			continue
		}
		if err := m.query(w, sketch, matches); err != nil {
			return 0, err
		}
	}
	if err := m.queryEarly(oldest, sketch, matches); err != nil {
		return 0, err
	}
	switch {
	case m.times.isKept:
		err = m.observeTimed(newest.Window.Window >= oldest, sketch, matches)
	case newest.Window.Window >= oldest:
		before := matches[0]
		if _, err = newest.index.ObserveBeside(sketch, matches); matches[0] != before {
			matches[0] = newest.inStream(matches[0])
		}
	default:
		if err = newest.index.Enter(sketch); matches[0].Record > 0 {
			m.dropped.Duplicates++
		}
	}
	if err != nil {
		return 0, err
	}
	next := windowclock.Early{Window: window, Record: m.records()}
	if !m.params.UnseenOnly || matches[0].Record == 0 {
		next.Sketch = slices.Clone(sketch)
	}
	settled, begins := m.clock.Advance(next, m.params.Keep)
	m.correct(settled)
	m.correct(m.clock.Early)
	switch {
	case !begins:
		return 1, nil
	case m.isSmall():
		return 1, m.extend(settled)
	}
	return 1, m.openWindow(inOrder(settled, m.clock.Early))
}

// reach returns the oldest window that a record made in the given second is compared with.
func (m *Memory) reach(second int64) int64 {
	return m.clock.Reach(windowclock.Of(second, m.params.seconds()), m.params.Keep)
}

// queryFrom queries windows from oldest on, in the order of observeEarly.
func (m *Memory) queryFrom(oldest int64, sketches []uint64, matches []memory.Match) error {
	last := len(m.windows) - 1
	for i, w := range m.windows {
		if i == last && oldest != windowclock.None {
			if err := m.queryEarly(oldest, sketches, matches); err != nil {
				return err
			}
		}
		if w.Window.Window < oldest {
			continue
		}
		if err := m.query(w, sketches, matches); err != nil {
			return err
		}
	}
	return nil
}

// queryEarly queries the early records that belong to oldest or a later window.
func (m *Memory) queryEarly(oldest int64, sketches []uint64, matches []memory.Match) error {
	var all []windowclock.Early
	for _, e := range m.clock.Early {
		if e.Window >= oldest && e.Sketch != nil {
			all = append(all, e)
		}
	}
	if len(all) == 0 {
		return m.early.close()
	}
	if err := m.early.fill(m.begin, all); err != nil {
		return err
	}
	found := make([]memory.Match, len(matches))
	if err := m.early.index.Query(sketches, found); err != nil {
		return err
	}
	for i := range matches {
		if found[i].Record > 0 {
			found[i].Record = m.early.has[found[i].Record-1]
		}
		matches[i] = memory.Closer(matches[i], found[i])
	}
	return nil
}

// fill makes the index contain exactly the given records.
func (e *early) fill(begin Begin, all []windowclock.Early) (err error) {
	isMore := len(e.has) <= len(all) && !e.isOld
	for i := 0; isMore && i < len(e.has); i++ {
		isMore = e.has[i] == all[i].Record
	}
	if !isMore {
		if err := e.close(); err != nil {
			return err
		}
	}
	if e.index == nil {
		if e.index, err = begin(""); err != nil {
			return err
		}
	}
	for _, each := range all[len(e.has):] {
		if err := e.index.Enter(each.Sketch); err != nil {
			return err
		}
		e.has = append(e.has, each.Record)
	}
	return nil
}

func (e *early) close() (err error) {
	if e.index != nil {
		err = e.index.Close()
	}
	e.index, e.has, e.isOld = nil, nil, false
	return err
}

// inOrder returns the early records of both lists, sorted by number.
func inOrder(a, b []windowclock.Early) []windowclock.Early {
	return slices.SortedFunc(slices.Values(slices.Concat(a, b)), func(a, b windowclock.Early) int {
		return cmp.Compare(a.Record, b.Record)
	})
}

// enter makes the newest window, which is empty, remember some early records and pass the other
// ones up to last.
func (m *Memory) enter(early []windowclock.Early, last uint64) error {
	w := m.newest()
	for _, e := range early {
		if e.Sketch == nil || e.Record <= m.records() {
			continue
		}
		w.index.Pass(int(e.Record - m.records() - 1))
		if err := w.index.Enter(m.asRemembered(e)); err != nil {
			return err
		}
	}
	w.index.Pass(int(last - m.records()))
	return nil
}
