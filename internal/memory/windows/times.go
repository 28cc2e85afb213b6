package windows

import (
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/windowclock"
)

// times adds to the sketches of records, in a memory with Params.Exact, the second in which each
// record was made, as the last word. The memory of a window compares these times, so windows only
// determine what can be dropped.
//
// A record has its own time if the clock has accepted that, or still may. The others count as made
// in the present, which is the latest time that belongs to the current window or an earlier one:
//
//   - a record that is late by the age or more, since its time may be wrong
//   - a record that is early by more than a window, until its time proves right
type times struct {
	isKept  bool
	present int64   // windowclock.None before the first window
	next    []int64 // the times of the next records, as they count

	words []uint64 // scratch buffers
	one   []uint64
}

// pass notes the time of the next record, which is not early.
func (t *times) pass(second int64, p Params) {
	t.present = max(t.present, second)
	if age := int64(p.ForgetAfter.Seconds()); second <= t.present-age {
		second = t.present
	}
	t.next = append(t.next, second)
}

// at returns sketches with the times of their records.
func (t *times) at(seconds []int64, sketches []uint64) []uint64 {
	if !t.isKept {
		return sketches
	}
	return t.with(sketches, len(seconds), func(i int) int64 { return seconds[i] })
}

// ofPresent returns sketches with the present as their time.
func (t *times) ofPresent(sketches []uint64, records int) []uint64 {
	if !t.isKept {
		return sketches
	}
	return t.with(sketches, records, func(int) int64 { return t.present })
}

// with returns sketches with times. The slice is valid until the next call.
func (t *times) with(sketches []uint64, records int, at func(i int) int64) []uint64 {
	t.words = t.words[:0]
	size := len(sketches) / max(1, records)
	for i := range records {
		t.words = append(append(t.words, sketches[i*size:(i+1)*size]...), uint64(at(i)))
	}
	return t.words
}

// of returns the sketch of a record with a time. The slice is valid until the next call.
func (t *times) of(sketch []uint64, second int64) []uint64 {
	if !t.isKept {
		return sketch
	}
	t.one = append(append(t.one[:0], sketch...), uint64(second))
	return t.one
}

// secondOf returns the time of a sketch.
func secondOf(sketch []uint64) int64 { return int64(sketch[len(sketch)-1]) }

// restore takes the present from a state.
func (t *times) restore(s *State) {
	if t.isKept = s.Present != nil; t.isKept {
		t.present = *s.Present
	}
}

// queryTimed queries a window of keys. All matches are equally similar, so the first one stays.
func (m *Memory) queryTimed(w *window, sketches []uint64, matches []memory.Match) error {
	copy(m.found, matches)
	if err := w.index.Query(sketches, m.found); err != nil {
		return err
	}
	for i := range matches {
		if matches[i].Record == 0 {
			matches[i] = w.inStream(m.found[i])
		}
	}
	return nil
}

// queryAllEarly queries the early records with their own times, which may not be in any window.
func (m *Memory) queryAllEarly(sketches []uint64, matches []memory.Match) error {
	if !m.times.isKept || len(m.clock.Early) == 0 {
		return nil
	}
	return m.queryEarly(windowclock.None, sketches, matches)
}

// observeTimed observes an early record, whose sketch has its own time. It queries the newest
// window only if isAsked, since its records may be too old. That window then remembers the record
// as asRemembered says.
func (m *Memory) observeTimed(isAsked bool, sketch []uint64, matches []memory.Match) error {
	w := m.newest()
	if isAsked {
		if err := m.query(w, sketch, matches); err != nil {
			return err
		}
	}
	isDuplicate := matches[0].Record > 0
	if isDuplicate {
		m.dropped.Duplicates++
	}
	if isDuplicate && m.params.UnseenOnly {
		w.index.Pass(1)
		return nil
	}
	return w.index.Enter(m.asRemembered(windowclock.Early{
		Window: m.early.window, Record: m.records() + 1, Sketch: sketch,
	}))
}

// asRemembered returns the sketch by which the newest window remembers a record. If the record is
// ahead by more than a window, it counts there as made in the present, unless it is the first of
// the window, since no later window begins with it.
func (m *Memory) asRemembered(e windowclock.Early) []uint64 {
	if !m.times.isKept || e.Window <= m.clock.Window+1 || m.times.present == windowclock.None ||
		e.Record == m.newest().First {
		return e.Sketch
	}
	return append(slices.Clone(e.Sketch[:len(e.Sketch)-1]), uint64(m.times.present))
}

// correct gives early records whose times others have proved wrong the last second of the window
// that these name. A record of the next window need not be wrong: if times are out of order,
// records of the window before it may follow.
func (m *Memory) correct(early []windowclock.Early) {
	if !m.times.isKept {
		return
	}
	length := m.params.seconds()
	for i := range early {
		e := &early[i]
		if len(e.Sketch) == 0 || windowclock.Of(secondOf(e.Sketch), length) <= e.Window+1 {
			continue
		}
		e.Sketch = slices.Clone(e.Sketch) // commits share it
		e.Sketch[len(e.Sketch)-1] = uint64(lastOf(e.Window, length))
		m.early.isOld = true
	}
}

// lastOf returns the last second of a window.
func lastOf(window, length int64) int64 { return (window+1)*length - 1 }

// begins notes that a window has begun with records that were early or still are. The times that
// were corrected do not count.
func (m *Memory) begins(early []windowclock.Early) {
	if !m.times.isKept {
		return
	}
	length := m.params.seconds()
	m.times.present = max(m.times.present, m.clock.Window*length)
	for _, e := range early {
		if len(e.Sketch) > 0 && !m.clock.IsEarly(e.Window) && secondOf(e.Sketch) < lastOf(e.Window, length) {
			m.times.present = max(m.times.present, secondOf(e.Sketch))
		}
	}
}

// isSmall reports whether the newest window continues although a later one is due, because it has
// few records, and so has each window that could be dropped instead.
func (m *Memory) isSmall() bool {
	if !m.times.isKept || m.newest().Window.Window == windowclock.None {
		return false
	}
	for _, w := range m.windows {
		isNewest := w == m.newest()
		if w.index.Stats().Records >= m.params.Least && (isNewest || m.params.isOutdated(w, 0, m.clock)) {
			return false
		}
	}
	return true
}

// extend makes the newest window continue as the current one. It renews the records that were
// early, or still are, with their times.
func (m *Memory) extend(settled []windowclock.Early) error {
	w := m.newest()
	w.Window.Window = m.clock.Window
	m.begins(settled)
	of, ok := w.index.(interface {
		Renew(record uint64, sketch []uint64) error
	})
	if !ok {
		return fmt.Errorf("internal error: %T knows no times", w.index)
	}
	for _, e := range slices.Concat(settled, m.clock.Early) {
		if len(e.Sketch) == 0 || e.Record < w.First {
			continue
		}
		if err := of.Renew(e.Record-(w.First-1), m.asRemembered(e)); err != nil {
			return err
		}
	}
	return nil
}
