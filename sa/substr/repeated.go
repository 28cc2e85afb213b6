package substr

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/mithril-stream/mithril-stream/sa"
)

// The second look decides. It goes through the candidates in text order with a table that holds
// each window where it occurred first. A window that is in the table, compared byte for byte, is
// repeated; one that is not is entered.
//
// The work is divided by key: a pass sees only its part of the keys, so passes need no order, run
// at the same time, and each needs only its part of the memory. A passage that is repeated costs
// one lookup, not one for each byte of it: once a window is found, the two places are compared as
// far as they agree, and the windows in there are repeated too.

// match is a window, at position at, that occurs for the first time at position first.
type match struct{ at, first int }

func (f *Finder) findRepeated(ctx context.Context) error {
	candidates := f.candidates.count()
	passes := f.options.Threads
	for windowTableBytes(candidates/passes)*int64(f.options.Threads) > f.options.Memory {
		passes += f.options.Threads
	}
	done := f.progress(0.5, 1, passes*f.spool.size())
	matches := make([][]match, passes)
	next := make(chan int, passes)
	for pass := range passes {
		next <- pass
	}
	close(next)
	var wait sync.WaitGroup
	for range f.options.Threads {
		wait.Go(func() {
			for pass := range next {
				s := &search{Finder: f, pass: pass, passes: passes,
					roller: roller{unit: f.options.Unit, count: f.options.MinLength}}
				s.reserve(candidates/passes + candidates/passes/16 + 1024)
				s.run(ctx, done)
				matches[pass] = s.matches
			}
		})
	}
	wait.Wait()
	f.matches = slices.Concat(matches...)
	f.sortMatches()
	return context.Cause(ctx)
}

func (f *Finder) sortMatches() {
	slices.SortFunc(f.matches, func(a, b match) int { return cmp.Or(a.at-b.at, a.first-b.first) })
}

// search is one pass.
type search struct {
	*Finder
	pass, passes int
	roller       roller
	windows      windows
	table        []uint64 // position + 1 above, low bits of the key below; 0 is empty
	entries      int
	text, start  int // the current text, and where it begins
	until        int // what lies before, in the current text, agrees with an earlier place
	matches      []match
	touched      uint64
}

const (
	windowLoad = 0.75
	// of the key are kept with a position, so that most unequal windows need not be compared
	tagBits = 24
	tagMask = 1<<tagBits - 1
)

func windowTableBytes(windows int) int64 { return int64(float64(windows) / windowLoad * 8) }

func (s *search) reserve(windows int) { s.table = make([]uint64, int(float64(windows)/windowLoad)+1) }

// run looks at all texts. done is called with the bytes that were worked.
func (s *search) run(ctx context.Context, done func(bytes int)) {
	reported := 0
	for i := range s.Texts() {
		start, end := s.spool.bounds(i)
		s.text, s.roller.salt = i, s.saltOf(i)
		s.search(start, end)
		if end-reported >= share || i == s.Texts()-1 {
			done(end - reported)
			reported = end
			if ctx.Err() != nil {
				return
			}
		}
	}
}

// search looks at the text from start to end. Stretches without an open candidate are jumped over.
func (s *search) search(start, end int) {
	s.start, s.until = start, start
	text := s.spool.text[:end]
	p := s.candidates.next(start, end, s.repeated)
	for p < end {
		s.roller.seek(text, p)
		if s.roller.fill(&s.windows); s.windows.n == 0 {
			return
		}
		for s.windows.n > 0 {
			s.decideBatch()
			if !s.roller.ok {
				return
			}
			from := s.roller.start
			if p = s.candidates.next(from, end, s.repeated); p > from+s.roller.count/2 {
				break // farther than it pays to roll on
			}
			s.roller.fill(&s.windows)
		}
	}
}

// decideBatch decides the windows of a batch.
func (s *search) decideBatch() {
	w := &s.windows
	for _, key := range w.key[:w.n] {
		s.touched += s.table[place(key, len(s.table))]
	}
	for k := range w.n {
		p := w.start[k]
		if w.end[k]+s.options.Unit.lookahead() <= s.until {
			s.repeated.set(p, p+1)
			continue
		}
		if s.inPass(w.key[k]) && s.candidates.has(p) && !s.repeated.has(p) {
			s.decide(p, w.end[k], w.key[k])
		}
	}
}

func (s *search) inPass(key uint64) bool { return int(key&(1<<32-1)*uint64(s.passes)>>32) == s.pass }

// decide looks the window from p to end up and enters it if it is not there.
func (s *search) decide(p, end int, key uint64) {
	i := place(key, len(s.table))
	for ; s.table[i] != 0; i = s.after(i) {
		if s.table[i]&tagMask != key&tagMask {
			continue
		}
		if q := int(s.table[i]>>tagBits) - 1; s.same(q, p, end) {
			s.repeat(p, end, q)
			return
		}
	}
	s.table[i] = uint64(p+1)<<tagBits | key&tagMask
	if s.entries++; s.entries > len(s.table)/16*15 {
		s.grow()
	}
}

func (s *search) after(i int) int {
	if i++; i < len(s.table) {
		return i
	}
	return 0
}

// same tells if the window that begins at q has the bytes from p to end. q is the beginning of a
// window; it has to end where p's does, too.
func (s *search) same(q, p, end int) bool {
	text := s.spool.text
	length := end - p
	of := s.spool.at(q)
	_, limit := s.spool.bounds(of)
	if q+length > limit || s.groupOf(of) != s.groupOf(s.text) || !bytes.Equal(text[q:q+length], text[p:end]) {
		return false
	}
	if s.options.Unit == Bytes {
		return true
	}
	return s.options.windowEnd(text[:limit], q) == q+length
}

// repeat marks the window from p to end, whose first occurrence is at q, and what follows as far as
// both places agree.
func (s *search) repeat(p, end, q int) {
	// Where the window one byte to the left is repeated too, no span begins.
	if s.options.Locate && (p == s.start || !s.repeated.has(p-1)) {
		s.matches = append(s.matches, match{p, q})
	}
	text := s.spool.text
	_, limit := s.spool.bounds(s.spool.at(q))
	length := end - p
	s.until = max(s.until, end+sa.CommonPrefix(s.roller.text[end:], text[q+length:limit]))
	if s.options.Unit == Bytes {
		s.repeated.set(p, s.until-length+1)
	} else {
		s.repeated.set(p, p+1)
	}
}

// grow doubles the table. It is needed only where keys crowd a pass.
func (s *search) grow() {
	old := s.table
	s.table = make([]uint64, 2*len(old))
	r := roller{unit: s.options.Unit, count: s.options.MinLength}
	var w windows
	for _, entry := range old {
		if entry == 0 {
			continue
		}
		q := int(entry>>tagBits) - 1
		of := s.spool.at(q)
		_, limit := s.spool.bounds(of)
		r.salt = s.saltOf(of)
		r.seek(s.spool.text[:limit], q)
		r.fill(&w)
		i := place(w.key[0], len(s.table))
		for s.table[i] != 0 {
			i = s.after(i)
		}
		s.table[i] = entry
	}
}
