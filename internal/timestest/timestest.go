// Package timestest makes streams of records with times, and checks what a memory that forgets by
// time makes of them. It is for tests.
package timestest

import (
	"math/rand/v2"

	"pgregory.net/rapid"
)

// A Record has a text and a time. Texts with equal numbers are equal.
type Record struct {
	Second  int64
	Text    int
	IsWrong bool // Second is

	right  int64 // the time at its place, if all times were in order
	isPast bool  // a wrong time before its place
}

// maker makes a stream.
type maker struct {
	rng     *rand.Rand
	age     int64
	now     int64
	list    []Record
	texts   int
	shares  float64 // of wrong times
	calm    int     // records to come whose times are right
	pending int     // text of a record with a wrong time, to be repeated soon; 0 for none
}

// Stream returns a stream of records, whose times are in order at changing rates, with pauses, but
// for wrong ones: single ones, or two in a row.
func Stream(t *rapid.T, age int64, records int) []Record {
	m := &maker{rng: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), age: age, now: 1_700_000_000,
		shares: rapid.SampledFrom([]float64{0, .01, .05}).Draw(t, "wrong times")}
	steps := []int64{1, age / 1000, age / 50, age / 5, age * 11 / 10, 7 * age}
	for len(m.list) < records {
		if m.rng.IntN(3) == 0 {
			m.now += m.rng.Int64N(20 * age)
		}
		step := steps[m.rng.IntN(len(steps))]
		for range 1 + m.rng.IntN(60) {
			m.now += m.rng.Int64N(2*step + 1)
			m.next()
		}
	}
	return m.list
}

// next adds a record, or before it some with wrong times.
func (m *maker) next() {
	if m.calm--; m.calm < 0 && m.rng.Float64() < m.shares {
		m.calm = 8
		for range 1 + m.rng.IntN(2) {
			m.texts++
			m.wrong()
		}
	}
	text := 0
	switch n := len(m.list); {
	case m.pending > 0 && m.rng.IntN(2) == 0:
		text, m.pending = m.pending, 0
	case n > 0 && m.rng.IntN(4) == 0:
		text = m.list[n-1-m.rng.IntN(min(n, 30))].Text
	case n > 0 && m.rng.IntN(4) == 0:
		text = m.list[m.rng.IntN(n)].Text
	default:
		m.texts++
		text = m.texts
	}
	m.list = append(m.list, Record{Second: m.now, Text: text, right: m.now})
}

// wrong adds a record with a wrong time.
func (m *maker) wrong() {
	r := Record{Text: m.texts, right: m.now, IsWrong: true}
	switch m.rng.IntN(5) {
	case 0:
		r.Second = 4_102_444_800
	case 1:
		r.Second = m.now + m.age + m.rng.Int64N(50*m.age)
	case 2:
		r.Second = m.now + m.rng.Int64N(2*m.age)
	case 3:
		r.Second = 0
	default:
		r.Second = m.now - m.rng.Int64N(50*m.age)
	}
	r.isPast = r.Second < m.now
	m.pending = r.Text
	m.list = append(m.list, r)
}

// Check fails unless the memory has found everything up to the given age, and nothing that is older
// than most. Ages are the differences of times, or for a wrong time, of what it would be
// in order. What a memory says of a record with a wrong time itself is not checked, nor how soon it
// forgets it: a time in the future may be right until later records disagree.
func Check(t *rapid.T, age, most int64, records []Record, isDuplicate []bool) {
	last := map[int]int{}      // by text, its last record
	hasWrong := map[int]bool{} // texts that a record with a wrong time had
	for i, r := range records {
		before, isKnown := last[r.Text]
		last[r.Text] = i
		if r.IsWrong {
			hasWrong[r.Text] = true
			continue
		}
		found := isDuplicate[i]
		if !isKnown {
			if found {
				t.Fatalf("record %d of %d s is new, and is called a duplicate", i, r.Second)
			}
			continue
		}
		was := records[before]
		switch passed := r.Second - was.right; {
		case passed <= age && !found && !was.isPast:
			t.Fatalf("record %d of %d s: record %d, %d s before (it says %d), is forgotten within %d s", i, r.Second,
				before, passed, r.Second-was.Second, age)
		case passed > most && found && !hasWrong[r.Text]:
			t.Fatalf("record %d of %d s: record %d, %d s before, is remembered beyond %d s", i, r.Second, before,
				passed, most)
		}
	}
}
