package windows_test

import (
	"cmp"
	"slices"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
	"github.com/mithril-stream/mithril-stream/internal/memorytest"
	"github.com/mithril-stream/mithril-stream/internal/windowclock"
)

// A model has a memory for each window, and one for each early record. It knows of no batches, logs
// and commits.
type model struct {
	t       *rapid.T
	kind    memorytest.Kind
	p       windows.Params
	clock   windowclock.Clock
	windows []*modelWindow
	records uint64
	oldest  []uint64 // after each record, the first one that is remembered
}

type modelWindow struct {
	index memory.Index
	of    int64
	first uint64
	has   []uint64 // the records of the stream that index has
}

func (m *model) begin(first uint64) {
	x, err := m.kind.Begin()
	must(m.t, err)
	m.windows = append(m.windows, &modelWindow{index: x, of: m.clock.Window, first: first})
}

// remember has a window remember a record.
func (w *modelWindow) remember(t *rapid.T, record uint64, sketch []uint64) {
	_, err := w.index.Observe(sketch, make([]memory.Match, 1))
	must(t, err)
	w.has = append(w.has, record)
}

// query returns the closest record of a window, as it is numbered in the stream.
func (w *modelWindow) query(t *rapid.T, sketch []uint64) memory.Match {
	var found [1]memory.Match
	must(t, w.index.Query(sketch, found[:]))
	if found[0].Record > 0 {
		found[0].Record = w.has[found[0].Record-1]
	}
	return found[0]
}

func (m *model) newest() *modelWindow { return m.windows[len(m.windows)-1] }

func (m *model) observe(r record) memory.Match {
	m.records++
	defer func() { m.oldest = append(m.oldest, m.windows[0].first) }()
	switch {
	case r.sketch == nil:
		return memory.Match{}
	case m.p.ForgetAfter == 0:
		m.turn()
		return m.compare(r.sketch, windowclock.None)
	}
	window := windowclock.Of(r.second, windowclock.Seconds(m.p.ForgetAfter, m.p.Keep))
	if !m.clock.IsEarly(window) {
		m.clock.Pass(window)
		return m.compare(r.sketch, windowclock.None)
	}
	best := m.compare(r.sketch, windowclock.Oldest(window, m.p.Keep))
	settled, begins := m.clock.Advance(windowclock.Early{Window: window, Record: m.records, Sketch: r.sketch}, m.p.Keep)
	if begins {
		early := append(slices.Clone(settled), m.clock.Early...)
		slices.SortFunc(early, func(a, b windowclock.Early) int { return cmp.Compare(a.Record, b.Record) })
		m.beginTime(early)
	}
	return best
}

// compare compares the next record with windows and early records from a window on, and remembers
// it.
func (m *model) compare(sketch []uint64, oldest int64) memory.Match {
	best := m.nearest(sketch, oldest)
	m.newest().remember(m.t, m.records, sketch)
	return best
}

// ask returns what a record is compared with that is not remembered.
func (m *model) ask(r record) memory.Match {
	window := windowclock.Of(r.second, windowclock.Seconds(m.p.ForgetAfter, m.p.Keep))
	if !m.clock.IsEarly(window) {
		return m.nearest(r.sketch, windowclock.None)
	}
	return m.nearest(r.sketch, windowclock.Oldest(window, m.p.Keep))
}

// nearest compares a record with windows and early records from a window on.
func (m *model) nearest(sketch []uint64, oldest int64) (best memory.Match) {
	newest := m.newest()
	for _, w := range m.windows[:len(m.windows)-1] {
		if w.of >= oldest {
			best = memory.Closer(best, w.query(m.t, sketch))
		}
	}
	if oldest != windowclock.None {
		early := &modelWindow{}
		x, err := m.kind.Begin()
		must(m.t, err)
		defer x.Close()
		early.index = x
		for _, e := range m.clock.Early {
			if e.Window >= oldest {
				early.remember(m.t, e.Record, e.Sketch)
			}
		}
		best = memory.Closer(best, early.query(m.t, sketch))
	}
	if newest.of >= oldest {
		best = memory.Closer(best, newest.query(m.t, sketch))
	}
	return best
}

// turn begins a window of records before the next one, if the newest is full.
func (m *model) turn() {
	size := (m.p.Capacity + uint64(m.p.Keep) - 2) / uint64(m.p.Keep-1)
	if m.newest().index.Stats().Entries == size {
		m.begin(m.records)
		m.windows = m.windows[max(0, len(m.windows)-m.p.Keep):]
	}
}

// beginTime begins a window of time, with the records that were early or still are.
func (m *model) beginTime(early []windowclock.Early) {
	last := m.newest()
	earliest := last.first + 1
	if last.of == windowclock.None {
		earliest = last.first
	}
	early = slices.DeleteFunc(early, func(e windowclock.Early) bool { return e.Record < earliest })
	first := m.records + 1
	if len(early) > 0 {
		first = early[0].Record
	}
	m.begin(first)
	for _, e := range early {
		m.newest().remember(m.t, e.Record, e.Sketch)
	}
	for m.windows[0].of <= m.clock.Window-int64(m.p.Keep) {
		m.windows = m.windows[1:]
	}
}
