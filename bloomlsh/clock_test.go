package bloomlsh

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
	"github.com/mithril-stream/mithril-stream/internal/windowclock"
)

// timely are the parameters of an index that forgets after 30 days, in windows of 10.
var timely = Params{Bands: 2, Capacity: 1000, FPRate: 1e-6, Filter: FilterPaged, Remember: RememberAll,
	OnFull: OnFullGrow, KeepGenerations: 4, ForgetAfter: 30 * 24 * time.Hour}

const day = 24 * 60 * 60

// observeAt observes a new record made at the given time, and returns its keys.
func observeAt(t *testing.T, x *Index, stream *keyStream, second int64) []Key {
	t.Helper()
	keys := make([]Key, timely.Bands)
	stream.fill(keys)
	if _, err := x.ObserveAt([]int64{second}, nil, keys, make([]uint16, 1)); err != nil {
		t.Fatal(err)
	}
	return keys
}

// TestForgetsByTime checks that what is not older than ForgetAfter is remembered, and that what is
// older by more than a window is not.
func TestForgetsByTime(t *testing.T) {
	x, stream := mustNew(t, timely), &keyStream{7}
	type made struct {
		keys   []Key
		second int64
	}
	var all []made
	for hour := range int64(200 * 24) {
		second := 1_700_000_000 + hour*3600
		all = append(all, made{observeAt(t, x, stream, second), second})
		if hour%500 != 0 {
			continue
		}
		for _, m := range all {
			age, has := second-m.second, hasRecord(x, m.keys)
			if age <= 30*day && !has || age > 41*day && has { // a window starts 16 hours late
				t.Fatalf("hour %d: a record that is %.1f days old is remembered: %v", hour, float64(age)/day, has)
			}
		}
	}
	s := x.Stats()
	if len(s.Generations) > 4 || s.Forgotten < 15 || s.FPRateAtCapacity > timely.FPRate {
		t.Errorf("%d generations, %d forgotten, rate %g", len(s.Generations), s.Forgotten, s.FPRateAtCapacity)
	}
	if since := s.Generations[len(s.Generations)-1].Since; since%(10*day) != 0 || since > all[len(all)-1].second {
		t.Errorf("the last generation begins at %d", since)
	}
}

// TestWrongTimes gives one record in five a time in another century. The clock must follow the
// others. Records with wrong times are remembered as long as those that came with them, except if
// the very first record has one, since its time may be right.
func TestWrongTimes(t *testing.T) {
	for name, wrong := range map[string]int64{"future": 4_102_444_800, "past": -1 << 40, "odd": 1 << 62, "none": 0} {
		x, stream := mustNew(t, timely), &keyStream{7}
		right := observeAt(t, x, stream, 1_700_000_000-3600)
		for range windowclock.Believed {
			observeAt(t, x, stream, 1_700_000_000-3600)
		}
		first := observeAt(t, x, stream, wrong)
		for hour := range int64(29 * 24) {
			observeAt(t, x, stream, 1_700_000_000+hour*3600)
			if hour%4 == 0 {
				observeAt(t, x, stream, wrong)
			}
		}
		if !hasRecord(x, first) || !hasRecord(x, right) {
			t.Errorf("%s: a record of 29 days ago is forgotten", name)
		}
		for hour := range int64(60 * 24) {
			observeAt(t, x, stream, 1_710_000_000+hour*3600)
		}
		if hasRecord(x, first) || hasRecord(x, right) {
			t.Errorf("%s: the clock has stopped", name)
		}
	}
}

// TestMoreRecordsThanPlanned checks that more records than planned for are remembered as long, in
// additional generations, each twice as large as the one before. The next window starts with a
// generation of the planned size.
func TestMoreRecordsThanPlanned(t *testing.T) {
	x, stream := mustNew(t, timely), &keyStream{7}
	var first []Key
	for i := range int64(20_000) {
		keys := observeAt(t, x, stream, 1_700_000_000+i)
		if first == nil {
			first = keys
		}
	}
	for range windowclock.Believed + 1 {
		observeAt(t, x, stream, 1_700_000_000+10*day)
	}
	var capacities []uint64
	s := x.Stats()
	for _, g := range s.Generations {
		capacities = append(capacities, g.Capacity)
	}
	want := []uint64{334, 668, 1336, 2672, 5344, 10688, 334}
	if !hasRecord(x, first) || !slices.Equal(capacities, want) {
		t.Errorf("the first record is remembered: %v, in generations of %d", hasRecord(x, first), capacities)
	}
	if most := timely.keyRate(timely.FPRate) / 4 * 7; s.BandRate > most {
		t.Errorf("a band errs at %g, more than %g", s.BandRate, most)
	}
}

// TestWindowsDoNotDependOnBatches checks that the division into batches does not change what is
// remembered (I2), even if the records before a new window need another generation in the old one.
func TestWindowsDoNotDependOnBatches(t *testing.T) {
	fixedseed.Quarter(t)
	p := timely
	p.Capacity = 20 // generations of 7 records
	rapid.Check(t, func(t *rapid.T) {
		const records = 400
		stream, keys, times := &keyStream{3}, make([]Key, records*p.Bands), make([]int64, records)
		stream.fill(keys)
		hours := rapid.Int64Range(1, 20).Draw(t, "hours between records")
		for i := range times {
			times[i] = 1_700_000_000 + int64(i)*hours*3600
			if from := i - rapid.IntRange(0, 300).Draw(t, "back"); from >= 0 { // some records recur
				copy(keys[i*p.Bands:(i+1)*p.Bands], keys[from*p.Bands:(from+1)*p.Bands])
			}
		}
		var votes [2][records]uint16
		var windows [2][]int64
		for n, draw := range []func() int{func() int { return 1 }, func() int {
			return rapid.IntRange(1, 150).Draw(t, "batch")
		}} {
			x, err := New(p)
			if err != nil {
				t.Fatal(err)
			}
			for from := 0; from < records; {
				to := min(records, from+draw())
				some := keys[from*p.Bands : to*p.Bands]
				if _, err := x.ObserveAt(times[from:to], nil, some, votes[n][from:to]); err != nil {
					t.Fatal(err)
				}
				from = to
			}
			for _, g := range x.generations {
				windows[n] = append(windows[n], g.window, int64(g.capacity), int64(g.inserted))
			}
		}
		if votes[0] != votes[1] || !slices.Equal(windows[0], windows[1]) {
			t.Fatalf("one at a time generations are %v, in batches %v", windows[0], windows[1])
		}
	})
}

// TestStoreWithClockEqualsIndex checks that a store with a clock, which is committed, abandoned,
// compacted and reopened, equals an index that observed the same records in one go.
func TestStoreWithClockEqualsIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := storetest.New(t)
		env := testEnvironment(rapid.SampledFrom([]int64{1, 20_000, 1 << 30}).Draw(t, "minLog"))
		want, err := New(timely)
		if err != nil {
			t.Fatal(err)
		}
		defer want.Close()
		stream, second := &keyStream{9}, int64(1_700_000_000)
		for run := range rapid.IntRange(1, 8).Draw(t, "runs") {
			s, err := openStore(env, files.Path("idx"), timely, nil)
			if err != nil {
				t.Fatal(err)
			}
			if run > 0 {
				if got, want := digest(s.index, Position{}), digest(want, Position{}); got != want {
					t.Fatalf("run %d: reopened\n%s, want\n%s", run, got, want)
				}
				if !reflect.DeepEqual(s.index.clock, want.clock) {
					t.Fatalf("run %d: the clock is %+v, want %+v", run, s.index.clock, want.clock)
				}
			}
			for range rapid.IntRange(1, 3).Draw(t, "commits") {
				n := rapid.IntRange(0, 70).Draw(t, "records")
				keys, times := make([]Key, n*timely.Bands), make([]int64, n)
				for i := range times {
					stream.fill(keys[i*timely.Bands : (i+1)*timely.Bands])
					second += rapid.Int64Range(-day, 2*day).Draw(t, "later")
					times[i] = second
				}
				got, votes := make([]uint16, n), make([]uint16, n)
				_, err := s.ObserveAt(times, nil, keys, got)
				_, failed := want.ObserveAt(times, nil, keys, votes)
				if err = errors.Join(err, failed, s.Commit(Position{})); err != nil {
					t.Fatal(err)
				}
			}
			if rapid.Bool().Draw(t, "killed") {
				s.ObserveAt([]int64{1 << 40}, nil, make([]Key, timely.Bands), make([]uint16, 1))
				s.Abandon()
			} else if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "compact") {
				if err := compact(env, files.Path("idx"), index.Undo{}); err != nil {
					t.Fatal(err)
				}
			}
			if err := verify(env, files.Path("idx")); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestLookupAtIsAsObserveAt: what is only asked about is compared with what it would be compared
// with if it were inserted.
func TestLookupAtIsAsObserveAt(t *testing.T) {
	tagged := timely
	tagged.Filter, tagged.Bands, tagged.Votes = FilterTagged, 8, 4
	for name, p := range map[string]Params{"paged": timely, "tagged": tagged} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { checkLookupAt(t, p) })
		})
	}
}

func checkLookupAt(t *rapid.T, p Params) {
	second, stream := int64(1_700_000_000), &keyStream{rapid.Uint64().Draw(t, "keys")}
	var keys []Key
	var times []int64
	for range rapid.IntRange(1, 60).Draw(t, "records") {
		second += rapid.Int64Range(-day, 4*day).Draw(t, "later")
		times, keys = append(times, second), append(keys, make([]Key, p.Bands)...)
		stream.fill(keys[len(keys)-p.Bands:])
	}
	build := func() *Index {
		x, err := New(p)
		if err == nil {
			_, err = x.ObserveAt(times, nil, keys, make([]uint16, len(times)))
		}
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	var asked []Key
	var at []int64
	var want []uint16
	for range rapid.IntRange(1, 6).Draw(t, "asked") {
		i := rapid.IntRange(0, len(times)-1).Draw(t, "copy of")
		asked = append(asked, keys[i*p.Bands:(i+1)*p.Bands]...)
		at = append(at, second+day*rapid.Int64Range(-5, 60).Draw(t, "days later"))
		var votes [1]uint16
		if _, err := build().ObserveAt(at[len(at)-1:], nil, asked[len(asked)-p.Bands:], votes[:]); err != nil {
			t.Fatal(err)
		}
		want = append(want, votes[0])
	}
	var all Answers
	all.Reset(p.Bands)
	if err := build().LookupAt(at, asked, &all); err != nil {
		t.Fatal(err)
	}
	for i, votes := range want {
		if got := all.Votes(i); got != votes {
			t.Fatalf("record %d of %d at %d: %d votes, want %d", i, len(at), at[i], got, votes)
		}
	}
}

// TestForgottenBaseWithKeysInTheLog checks that keys that were logged for the generation of a base
// file, which was forgotten by the end of the run, are not added to a later generation by anything
// that reads the directory.
func TestForgottenBaseWithKeysInTheLog(t *testing.T) {
	files := storetest.New(t)
	env := testEnvironment(1 << 30)
	want := mustNew(t, timely)
	stream := &keyStream{9}
	observe := func(s *Store, from, to int) {
		keys, times := make([]Key, (to-from)*timely.Bands), make([]int64, to-from)
		for i := range times {
			stream.fill(keys[i*timely.Bands : (i+1)*timely.Bands])
			times[i] = 1_700_000_000 + int64(from+i)*day/10
		}
		_, err := s.ObserveAt(times, nil, keys, make([]uint16, len(times)))
		_, failed := want.ObserveAt(times, nil, keys, make([]uint16, len(times)))
		if err = errors.Join(err, failed, s.Commit(Position{})); err != nil {
			t.Fatal(err)
		}
	}
	reopen := func() *Store {
		s, err := openStore(env, files.Path("idx"), timely, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := reopen()
	observe(s, 0, 100)
	if err := errors.Join(s.Close(), compact(env, files.Path("idx"), index.Undo{})); err != nil {
		t.Fatal(err)
	}
	s = reopen()
	observe(s, 100, 3000)
	forgotten := s.index.forgotten
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if forgotten == 0 {
		t.Fatal("nothing was forgotten")
	}
	if err := verify(env, files.Path("idx")); err != nil {
		t.Error(err)
	}
	if d, err := inspected(env, files.Path("idx")); err != nil || d.Forgotten != forgotten {
		t.Errorf("inspect finds %d forgotten generations, %v, want %d", d.Forgotten, err, forgotten)
	}
	r, err := openReader(env, files.Path("idx"), timely.Bands, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := digest(r.index, Position{}), digest(want, Position{}); got != want {
		t.Errorf("the reader has\n%s, want\n%s", got, want)
	}
	s = reopen()
	observe(s, 3000, 3100)
	if err := errors.Join(s.Close(), compact(env, files.Path("idx"), index.Undo{})); err != nil {
		t.Fatal(err)
	}
	if s = reopen(); digest(s.index, Position{}) != digest(want, Position{}) {
		t.Error("after another fold the index is another one")
	}
	s.Abandon()
}

// TestVerifyComparesTimes checks that what a commit says about generations is compared with those
// that exist before anything is opened: verify must reject what a run would reject.
func TestVerifyComparesTimes(t *testing.T) {
	for name, spoil := range map[string]func(*times){
		"forgotten": func(t *times) { t.forgotten++ },
		"windows":   func(t *times) { t.windows = append(t.windows, 1) },
	} {
		files := storetest.New(t)
		env := testEnvironment(1 << 30)
		s, err := openStore(env, files.Path("idx"), timely, nil)
		if err != nil {
			t.Fatal(err)
		}
		keys := make([]Key, timely.Bands)
		if _, err := s.ObserveAt([]int64{day}, nil, keys, make([]uint16, 1)); err != nil {
			t.Fatal(err)
		}
		c := countedOf(s.index)
		spoil(c.times)
		if err := errors.Join(s.Commit(Position{}), s.Abandon()); err != nil {
			t.Fatal(err)
		}
		commitState(t, env, files.Path("idx"), c.append(nil))
		verified := verify(env, files.Path("idx"))
		_, opened := openStore(env, files.Path("idx"), timely, nil)
		for _, err := range []error{verified, opened} {
			if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "claims generations") {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
}

// TestDamagedTimes checks that the times in a commit are compared with the existing generations.
func TestDamagedTimes(t *testing.T) {
	x := mustNew(t, timely)
	stream := &keyStream{7}
	for i := range int64(100) {
		observeAt(t, x, stream, i*day)
	}
	good := x.times()
	if again, err := decodeTimes(good.append(nil)); err != nil || !reflect.DeepEqual(again.Clock, good.Clock) ||
		len(again.windows) != len(good.windows) {
		t.Fatalf("%+v becomes %+v, %v", good, again, err)
	}
	for name, spoil := range map[string]func(*times){
		"forgotten": func(t *times) { t.forgotten++ },
		"windows":   func(t *times) { t.windows = t.windows[1:] },
	} {
		bad := *good
		spoil(&bad)
		if err := x.restoreTimes(&bad); err == nil || !strings.Contains(err.Error(), "claims generations") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := x.restoreTimes(nil); err == nil {
		t.Error("a commit without times is accepted")
	}
	for _, b := range [][]byte{make([]byte, 8), make([]byte, 40), make([]byte, 48),
		append(make([]byte, 32), 255, 255, 255, 255, 255, 255, 255, 127, 0, 0, 0, 0, 0, 0, 0, 0)} {
		if _, err := decodeTimes(b); err == nil {
			t.Errorf("%x is decoded", b)
		}
	}
}
