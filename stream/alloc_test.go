package stream

import (
	"io"
	"runtime"
	"strings"
	"testing"
)

// allocated is what a run allocates: how often, and how much.
func allocated(t *testing.T, opts Options) (count, bytes uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := do(opts); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
}

// TestNoAllocationsARecord runs a short and a long input: what the longer one allocates more, it
// allocates for its records. Values of fields are found without allocations, too.
func TestNoAllocationsARecord(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, fields := range [][]string{nil, {"id", "meta.url"}} {
		allocations := func(times int) uint64 {
			lines := strings.ReplaceAll(family(0, 100), `{"text"`, `{"id":"a\u0062","meta":{"url":"http://a/"},"text"`)
			opts := testOptions(t, strings.NewReader(strings.Repeat(lines, times)), io.Discard)
			opts.Method.Judge, opts.Fields = KeepAll(), fields
			if fields != nil {
				opts.ID, opts.Within = fields[0], fields[1]
				made := opts.Method.NewSketcher
				opts.Method.NewSketcher = func() Sketcher { return confining{made()} }
			}
			count, _ := allocated(t, opts)
			return count
		}
		allocations(10) // warm up
		short, long := allocations(50), allocations(250)
		if perRecord := float64(long-min(short, long)) / 20_000; perRecord > 0.01 {
			t.Errorf("%.3f allocations a record with the fields %q", perRecord, fields)
		}
	}
}

// confining is a Confiner that confines nothing.
type confining struct{ Sketcher }

func (confining) Within([]byte, bool) {}

// TestLongRecordsTakeNoNewMemory runs books of two megabytes: the memory of the first ones does for
// those after them.
func TestLongRecordsTakeNoNewMemory(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	book := `{"text":"` + strings.Repeat(`a line of a book\n`, 2<<20/18) + "\"}\n"
	taken := func(books int) uint64 {
		opts := testOptions(t, strings.NewReader(strings.Repeat(book, books)), io.Discard)
		opts.Method.Judge, opts.MaxRecord = KeepAll(), 1<<30
		_, bytes := allocated(t, opts)
		return bytes
	}
	few, many := taken(20), taken(60)
	if perBook := float64(many-min(few, many)) / 40; perBook > float64(len(book))/4 {
		t.Errorf("%.0f bytes allocated for a record of %d", perBook, len(book))
	}
}
