package windows_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/indextest"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
	"github.com/mithril-stream/mithril-stream/internal/memorytest"
	"github.com/mithril-stream/mithril-stream/internal/windowclock"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A record is what a memory is given. One without a sketch is passed.
type record struct {
	sketch []uint64
	second int64
}

// recordsOf draws records whose times go on, are late, and are wrong now and then.
func recordsOf(t *rapid.T, kind memorytest.Kind, n int) []record {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	step := rapid.SampledFrom([]int64{1, 20, 300}).Draw(t, "seconds between records")
	list := make([]record, n)
	for i := range list {
		second := 1_000_000 + int64(i)*step - rng.Int64N(2*step)
		switch rng.IntN(12) {
		case 0:
			second = rng.Int64N(1 << 40)
		case 1:
			second -= 5000
		}
		list[i].second = second
		if rng.IntN(15) > 0 {
			list[i].sketch = kind.Sketch(memorytest.WordsOf(rng))
		}
	}
	return list
}

func must(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A kept memory is in a directory, with names, and is given records in batches.
type kept struct {
	t      *rapid.T
	dir    string
	kind   memorytest.Kind
	p      windows.Params
	index  *index.Writer
	x      *windows.Memory
	names  memory.Names
	state  []byte // of the last commit
	stats  memory.Stats
	taken  int
	commit int // records in it
}

func (k *kept) begin(string) (memory.Index, error) { return k.kind.Begin() }

func (k *kept) open() {
	k.names = memory.Names{WithIDs: true}
	var state *windows.State
	if k.state != nil {
		state = &windows.State{}
		must(k.t, json.Unmarshal(k.state, state))
	}
	k.index = indextest.Open(k.t, k.dir)
	k.index.Add(indextest.State{Section: "exact", Bytes: func() ([]byte, error) {
		state, err := k.x.Commit()
		if err != nil {
			return nil, err
		}
		return json.Marshal(state)
	}})
	var err error
	k.x, err = windows.Open(k.index, k.p, k.begin, &k.names, state, k.stats.Records, k.stats.Entries)
	must(k.t, err)
	k.x.OfRun(windows.Run{Number: 1, Continues: k.state != nil, Oldest: 1})
	k.taken = k.commit
}

// observe gives the memory the next records at once, and then their names.
func (k *kept) observe(batch []record) (matches []memory.Match) {
	for i := 0; i < len(batch); {
		if batch[i].sketch == nil {
			k.x.Pass(1)
			matches = append(matches, memory.Match{})
			i++
			continue
		}
		end := i
		var times []int64
		for end < len(batch) && batch[end].sketch != nil {
			times = append(times, batch[end].second)
			end++
		}
		n, err := k.x.Next(times, end-i)
		must(k.t, err)
		var sketches []uint64
		for _, r := range batch[i : i+n] {
			sketches = append(sketches, r.sketch...)
		}
		found := make([]memory.Match, n)
		_, err = k.x.ObserveBeside(sketches, found)
		must(k.t, err)
		matches = append(matches, found...)
		i += n
	}
	for _, m := range matches {
		k.taken++
		if name := string(k.names.Append(nil, m.Record)); m.Record > 0 && int(m.Record) < k.taken &&
			name != nameOf(m.Record) {
			k.t.Fatalf("record %d resembles record %d, which is called %s", k.taken, m.Record, name)
		}
		must(k.t, k.names.Observe(&stream.Decided{Input: fmt.Sprint("in", k.taken/50), Record: uint64(k.taken % 50),
			ID: idOf(uint64(k.taken))}))
	}
	return matches
}

// idOf is the id of a record: every third has none.
func idOf(record uint64) []byte {
	if record%3 == 0 {
		return nil
	}
	return fmt.Appendf(nil, `"id %d"`, record)
}

func nameOf(record uint64) string {
	if id := idOf(record); id != nil {
		return string(id)
	}
	return fmt.Sprintf(`"in%d:%d"`, record/50, record%50)
}

func (k *kept) sync() {
	indextest.Commit(k.t, k.index)
	k.state = k.index.LastCommit().State("exact")
	k.stats, k.commit = k.x.Stats(), k.taken
	var state windows.State
	must(k.t, json.Unmarshal(k.state, &state))
	for _, file := range list(k.t, k.dir) {
		if strings.HasPrefix(file, "exact") && !state.Needs(file) {
			k.t.Fatalf("%s is still there, and not needed", file)
		}
	}
	must(k.t, indextest.Verify(k.dir))
}

func (k *kept) close() { must(k.t, errors.Join(k.x.Close(), k.index.Close())) }

// read opens the memory to be asked only.
func (k *kept) read(names *memory.Names, s *windows.State, entries uint64) *windows.Memory {
	x, err := index.Open(index.System, k.dir, func(from *index.Snapshot) (*windows.Memory, error) {
		return windows.Read(from.OpenLog, k.dir, k.p, k.begin, names, s, k.stats.Records, entries)
	})
	must(k.t, err)
	return x
}

func list(t *rapid.T, dir string) (names []string) {
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestAnswersAreThoseOfTheWindows: however many records come at once, and wherever the memory is
// committed, left and read again, each record is compared with those of the windows before it, and
// these alone. What a record is called is known as long as it is remembered, and goes then.
func TestAnswersAreThoseOfTheWindows(t *testing.T) {
	fixedseed.Quarter(t)
	for name, kind := range memorytest.Kinds {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) { checkWindows(rt, t.TempDir(), kind) })
		})
	}
}

func paramsOf(t *rapid.T) windows.Params {
	p := windows.Params{Keep: rapid.IntRange(2, 5).Draw(t, "keep")}
	if rapid.Bool().Draw(t, "by time") {
		p.ForgetAfter = time.Duration(rapid.IntRange(100, 20_000).Draw(t, "seconds")) * time.Second
	} else {
		p.Capacity = uint64(rapid.IntRange(8, 200).Draw(t, "capacity"))
	}
	return p
}

func checkWindows(t *rapid.T, dir string, kind memorytest.Kind) {
	p := paramsOf(t)
	records := recordsOf(t, kind, 220)
	m := &model{t: t, kind: kind, p: p, clock: windowclock.Clock{Window: windowclock.None}}
	m.begin(1)
	var want []memory.Match
	for _, r := range records {
		want = append(want, m.observe(r))
	}
	k := &kept{t: t, dir: dir, kind: kind, p: p}
	k.open()
	for k.taken < len(records) {
		start := k.taken
		end := min(len(records), start+rapid.IntRange(1, 120).Draw(t, "batch"))
		got := k.observe(records[start:end])
		if !slices.Equal(got, want[start:end]) {
			t.Fatalf("records %d to %d: %v, want %v", start+1, end, got, want[start:end])
		}
		switch rapid.IntRange(0, 5).Draw(t, "then") {
		case 0: // rarely, since the disk is waited for
			k.sync()
		case 1:
			if rapid.Bool().Draw(t, "after a commit") {
				k.sync()
			}
			k.close()
			k.open()
		}
	}
	k.sync()
	checkNames(t, k, m)
	must(t, k.x.NameDropped(1)) // as where the run is repeated
	for r := range uint64(len(records)) {
		if name := string(k.names.Append(nil, r+1)); name != nameOf(r+1) {
			t.Fatalf("in a run that is repeated record %d is called %s", r+1, name)
		}
	}
	k.close()
	checkRead(t, k, m, records)
	checkDeleted(t, k, m, records)
}

// checkDeleted has records deleted from the logs, and these written anew: no answer has them, and
// all others are as before.
func checkDeleted(t *rapid.T, k *kept, m *model, records []record) {
	var state windows.State
	must(t, json.Unmarshal(k.state, &state))
	var names memory.Names
	w := indextest.Open(t, k.dir)
	defer func() { must(t, w.Close()) }()
	known, err := windows.Numbers(w, k.begin, &names, &state, k.stats.Records, k.stats.Entries)
	must(t, err)
	first := m.windows[0].first
	var gone []uint64
	for n := rapid.IntRange(0, 20).Draw(t, "deleted"); n > 0; n-- {
		gone = append(gone, first+uint64(n)*(m.records-first)/21)
	}
	gone = slices.Compact(slices.Sorted(slices.Values(gone)))
	lines, entries := uint64(0), uint64(0) // of all windows: a record that was early may be in two
	for _, record := range gone {
		for _, w := range state.Remembered {
			if record >= w.First && record < w.First+w.Records {
				lines++
			}
		}
		for _, entry := range known.Entries {
			if entry == record {
				entries++
			}
		}
	}
	deleted, freed, err := windows.Forget(w, k.begin, &state, gone)
	must(t, err)
	indextest.Commit(t, w)
	rest := k.stats.Entries - entries
	answers := []string{answersWithout(t, k, deleted, rest, gone, records)}
	if freed != entries {
		t.Fatalf("%d entries are deleted, want %d", freed, entries)
	}
	anew, err := windows.Rewrite(w, k.begin, deleted, k.stats.Records, rest)
	must(t, err)
	indextest.Commit(t, w)
	if deleted.Deleted() != lines || anew.Deleted() != 0 {
		t.Fatalf("%d and %d are deleted, want %d and 0", deleted.Deleted(), anew.Deleted(), lines)
	}
	must(t, indextest.Verify(k.dir))
	answers = append(answers, answersWithout(t, k, anew, rest, gone, records))
	if answers[0] != answers[1] {
		t.Fatalf("logs that are written anew answer\n%s, and before\n%s", answers[1], answers[0])
	}
}

// answersWithout is what a memory in a state answers, which has lost some records.
func answersWithout(
	t *rapid.T, k *kept, s *windows.State, entries uint64, gone []uint64, records []record,
) (all string) {
	var names memory.Names
	x := k.read(&names, s, entries)
	for _, r := range records[len(records)-60:] {
		if r.sketch == nil {
			continue
		}
		near, err := x.Near(nil, r.sketch, 9)
		must(t, err)
		for _, n := range near {
			if slices.Contains(gone, n.Record) {
				t.Fatalf("record %d is deleted, and an answer", n.Record)
			}
		}
		all += fmt.Sprintln(near)
	}
	must(t, x.Close())
	return all
}

// checkNames looks which records have names: those that are remembered.
func checkNames(t *rapid.T, k *kept, m *model) {
	for r := range m.records {
		name, first := string(k.names.Append(nil, r+1)), m.windows[0].first
		if r+1 >= first && name != nameOf(r+1) || r+1 < first && name != "null" {
			t.Fatalf("record %d is called %s, and %d is the first that is remembered", r+1, name, first)
		}
	}
}

// checkRead compares a memory that is only asked with one of each window.
func checkRead(t *rapid.T, k *kept, m *model, records []record) {
	var state windows.State
	must(t, json.Unmarshal(k.state, &state))
	var names memory.Names
	x := k.read(&names, &state, k.stats.Entries)
	defer x.Close()
	if a, b := x.Stats(), k.stats; a.Records != b.Records || a.Entries != b.Entries {
		t.Fatalf("it has %+v, want %+v", a, b)
	}
	for i, r := range records[len(records)-50:] {
		if r.sketch == nil {
			continue
		}
		best, near := memory.Match{}, []memory.Match{}
		for _, w := range m.windows {
			var own [1]memory.Match
			must(t, w.index.Query(r.sketch, own[:]))
			if own[0].Record > 0 {
				own[0].Record = w.has[own[0].Record-1]
				best = memory.Closer(best, own[0])
			}
			all, err := w.index.Near(nil, r.sketch, 4)
			must(t, err)
			for _, n := range all {
				n.Record = w.has[n.Record-1]
				near = append(near, n)
			}
		}
		slices.SortStableFunc(near, func(a, b memory.Match) int {
			return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Record, b.Record))
		})
		near = slices.CompactFunc(near, func(a, b memory.Match) bool { return a.Record == b.Record })
		got := make([]memory.Match, 1)
		must(t, x.Query(r.sketch, got))
		nearest, err := x.Near(nil, r.sketch, 4)
		must(t, err)
		if near = near[:min(4, len(near))]; got[0] != best || !slices.Equal(nearest, near) {
			t.Fatalf("text %d resembles %v of %v, want %v of %v", i, got[0], nearest, best, near)
		}
	}
	checkReadAt(t, x, m, records)
}

// checkReadAt asks about records of other times, some of them far ahead, several at once.
func checkReadAt(t *rapid.T, x *windows.Memory, m *model, records []record) {
	if m.p.ForgetAfter == 0 {
		return
	}
	var times []int64
	var sketches []uint64
	var want []memory.Match
	length := windowclock.Seconds(m.p.ForgetAfter, m.p.Keep)
	for _, r := range records[len(records)-50:] {
		if r.sketch == nil {
			continue
		}
		r.second += length * rapid.Int64Range(-1, 2*int64(m.p.Keep)).Draw(t, "windows later")
		times, sketches = append(times, r.second), append(sketches, r.sketch...)
		want = append(want, m.ask(r))
	}
	got := make([]memory.Match, len(times))
	size := len(sketches) / max(1, len(times))
	for start := 0; start < len(times); {
		end := start + x.Alike(times[start:])
		must(t, x.QueryAt(times[start:end], sketches[start*size:end*size], got[start:end]))
		start = end
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("question %d, at %d: %v, want %v", i, times[i], got[i], want[i])
		}
	}
}
