package windows_test

import (
	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
	"github.com/mithril-stream/mithril-stream/internal/memorytest"
	"github.com/mithril-stream/mithril-stream/internal/windowclock"
)

// A model has a memory for each window, and knows of no batches, logs and commits.
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
}

func (m *model) begin() {
	x, err := m.kind.Begin()
	must(m.t, err)
	m.windows = append(m.windows, &modelWindow{index: x, of: m.clock.Window, first: m.records + 1})
}

func (m *model) observe(r record) memory.Match {
	if r.sketch != nil {
		m.turn(r.second)
	}
	last := m.windows[len(m.windows)-1]
	m.records++
	best := memory.Match{}
	if r.sketch == nil {
		last.index.Pass(1)
	} else {
		for _, w := range m.windows {
			var own [1]memory.Match
			must(m.t, w.index.Query(r.sketch, own[:]))
			if own[0].Record > 0 {
				own[0].Record += w.first - 1
				best = memory.Closer(best, own[0])
			}
		}
		_, err := last.index.Observe(r.sketch, make([]memory.Match, 1))
		must(m.t, err)
	}
	m.oldest = append(m.oldest, m.windows[0].first)
	return best
}

// turn begins a window where the record is of one.
func (m *model) turn(second int64) {
	last := m.windows[len(m.windows)-1]
	if m.p.ForgetAfter == 0 {
		size := (m.p.Capacity + uint64(m.p.Keep) - 2) / uint64(m.p.Keep-1)
		if last.index.Stats().Entries == size {
			m.begin()
			m.windows = m.windows[max(0, len(m.windows)-m.p.Keep):]
		}
		return
	}
	length := windowclock.Seconds(m.p.ForgetAfter, m.p.Keep)
	if !m.clock.Advance(windowclock.Of(second, length)) {
		return
	}
	if last.of == windowclock.None {
		last.of = m.clock.Window
		return
	}
	m.begin()
	for m.windows[0].of <= m.clock.Window-int64(m.p.Keep) {
		m.windows = m.windows[1:]
	}
}
