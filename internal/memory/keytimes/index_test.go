package keytimes

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// A model keeps all that was remembered, in order, and finds keys by going through it.
type model struct {
	age       int64
	events    []event
	forgotten []uint64
}

// An event is what the log has of a record.
type event struct {
	record uint64
	key    uint64
	second int64
	renews bool
}

// find returns the record that a key was first seen in, if that is young enough; 0 for none.
func (m *model) find(key uint64, second int64) (record uint64) {
	var last int64
	for _, e := range m.events {
		isForgotten := slices.Contains(m.forgotten, e.record)
		switch {
		case e.key != key, e.renews && isForgotten:
		case e.renews:
			last = max(last, e.second)
		case isForgotten:
			record = 0
		default:
			record, last = e.record, e.second
		}
	}
	if record > 0 && last > second-m.age {
		return record
	}
	return 0
}

// observe is what the memory is to answer.
func (m *model) observe(record, key uint64, second int64, unseenOnly bool) (found uint64) {
	found = m.find(key, second)
	if found == 0 || !unseenOnly {
		m.events = append(m.events, event{record, key, second, found > 0})
	}
	return found
}

// entries counts those that are no renewals and not forgotten.
func (m *model) entries() (n uint64) {
	for _, e := range m.events {
		if !e.renews && !slices.Contains(m.forgotten, e.record) {
			n++
		}
	}
	return n
}

func must(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func sketchOf(key uint64, second int64) []uint64 {
	rng := rand.New(rand.NewPCG(key, 1))
	return []uint64{rng.Uint64(), rng.Uint64(), uint64(second)}
}

// TestIndexIsTheModel checks that an index finds what a model finds: for any records in any order,
// while its log is read again, has records forgotten, or is rewritten without them.
func TestIndexIsTheModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) { checkModel(rt, t.TempDir()) })
}

func checkModel(t *rapid.T, dir string) {
	p := Params{Age: rapid.Int64Range(1, 50).Draw(t, "age"), UnseenOnly: rapid.Bool().Draw(t, "unseen only")}
	m := &model{age: p.Age}
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	create := func() *os.File {
		file, err := os.CreateTemp(dir, "log")
		must(t, err)
		t.Cleanup(func() { file.Close() })
		return file
	}
	file := create()
	x, err := memory.Load(New, p, file, 0, nil)
	must(t, err)
	now := int64(1_700_000_000)
	for record := uint64(1); record < 200; record++ {
		now += rng.Int64N(4)
		if rng.IntN(20) == 0 {
			x.Pass(1)
			continue
		}
		key, second, found := rng.Uint64N(20), now-rng.Int64N(9), make([]memory.Match, 1)
		_, err := x.Observe(sketchOf(key, second), found)
		must(t, err)
		if want := m.observe(record, key, second, p.UnseenOnly); found[0].Record != want {
			t.Fatalf("record %d of %d s is found to be %d, want %d", record, second, found[0].Record, want)
		}
		if rng.IntN(30) > 0 {
			continue
		}
		length, err := x.Flush()
		must(t, err)
		must(t, x.Close())
		if rng.IntN(2) == 0 {
			gone := []uint64{1 + rng.Uint64N(record), record}
			m.forgotten = append(m.forgotten, gone...)
			length, err = memory.Forget(file, length, gone, nil)
			must(t, err)
		}
		if rng.IntN(2) == 0 {
			anew := create()
			x, err = memory.Load(New, p, anew, 0, nil)
			must(t, err)
			must(t, x.Absorb(file, length, nil, nil))
			file = anew
			length, err = x.Flush()
			must(t, err)
			must(t, x.Close())
			dropForgotten(m)
		}
		x, err = memory.Load(New, p, file, length, nil)
		must(t, err)
		if got := x.Stats(); got.Entries != m.entries() || got.Records != record {
			t.Fatalf("after record %d it has %+v, want %d entries", record, got, m.entries())
		}
	}
	must(t, x.Close())
}

// dropForgotten drops what rewriting the log drops: forgotten records, and their renewals.
func dropForgotten(m *model) {
	var rest []event
	isGone := map[uint64]bool{} // keys
	for _, e := range m.events {
		isForgotten := slices.Contains(m.forgotten, e.record)
		if !e.renews {
			isGone[e.key] = isForgotten
		}
		if !isForgotten && !isGone[e.key] {
			rest = append(rest, e)
		}
	}
	m.events = rest
}

// Many keys are all there, at the memory that the plan says, and each takes at most 39 bytes.
func TestMemoryOfManyKeys(t *testing.T) {
	x, err := New(Params{Age: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	const keys = 300_000
	for i := range uint64(keys) {
		if _, err := x.Observe(sketchOf(i, 5), make([]memory.Match, 1)); err != nil {
			t.Fatal(err)
		}
		if n := i + 1; n > 20_000 && x.Stats().Bytes > 40*n {
			t.Fatalf("%d keys take %d bytes", n, x.Stats().Bytes)
		}
	}
	if peak := (Params{}).PeakBytes(keys); x.Stats().Bytes > peak {
		t.Errorf("%d keys take %d bytes, and %d are planned", keys, x.Stats().Bytes, peak)
	}
	for i := range uint64(keys) {
		found := make([]memory.Match, 1)
		if err := x.Query(sketchOf(i, 14), found); err != nil || found[0].Record != i+1 {
			t.Fatal(i, found, err)
		}
	}
	found := make([]memory.Match, 1)
	if err := x.Query(sketchOf(7, 15), found); err != nil || found[0].Record != 0 {
		t.Fatal("a key is found at its age", found, err)
	}
}

// Times that are further apart than a table can tell are as far apart as it can: what is to come
// is remembered.
func TestTimesFarApart(t *testing.T) {
	x, err := New(Params{Age: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	const first = 1_700_000_000
	for i, second := range []int64{first, math.MaxInt64 / 4, math.MinInt64 / 4, first + 1<<40} {
		if _, err := x.Observe(sketchOf(uint64(i), second), make([]memory.Match, 1)); err != nil {
			t.Fatal(err)
		}
	}
	for _, at := range []struct {
		key    uint64
		second int64
		record uint64
	}{{0, first + 99, 1}, {0, first + 100, 0}, {1, first, 2}, {1, first + 1<<31, 2}, {2, first, 0}, {3, first, 4},
		{0, Any, 1}, {2, Any, 3}, {9, Any, 0}} {
		found := make([]memory.Match, 1)
		if err := x.Query(sketchOf(at.key, at.second), found); err != nil || found[0].Record != at.record {
			t.Errorf("key %d at %d: %+v, %v, want record %d", at.key, at.second, found[0], err, at.record)
		}
	}
}

// A renewal of a key that no record had is damage.
func TestRenewalOfNothing(t *testing.T) {
	x, err := New(Params{Age: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	var entry []byte
	for _, word := range []uint64{1, 5<<1 | 1, 8, 9} {
		entry = binary.LittleEndian.AppendUint64(entry, word)
	}
	k := kind{x}
	if _, _, err := k.Decode(entry[:len(entry)-1], 0); !errors.Is(err, memory.ErrCorrupt) {
		t.Error("a part of an entry:", err)
	}
	record, rest, err := k.Decode(entry, 0)
	if record != 1 || len(rest) > 0 || err != nil || !k.IsRenewal() {
		t.Fatal(record, rest, err)
	}
	if err := k.Renew(record, nil); !errors.Is(err, memory.ErrCorrupt) {
		t.Error(err)
	}
}
