package memory_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memorytest"
	"github.com/mithril-stream/mithril-stream/stream"
)

// TestForgottenRecords checks that an index that has forgotten records answers like one that never
// remembered them, even after its log was rewritten.
func TestForgottenRecords(t *testing.T) {
	fixedseed.Quarter(t)
	for name, kind := range memorytest.Kinds {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) { checkForgotten(rt, t.TempDir(), kind) })
		})
	}
}

func checkForgotten(t *rapid.T, dir string, kind memorytest.Kind) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	sketches := make([][]uint64, rapid.SampledFrom([]int{5, 60, 600}).Draw(t, "records"))
	for i := range sketches {
		sketches[i] = kind.Sketch(memorytest.WordsOf(rng))
	}
	file := create(t, dir, "log")
	defer file.Close()
	length := remember(t, kind, file, sketches)

	// In two steps, since a log can be added to more than once.
	var forgotten []uint64
	for range 2 {
		var part []uint64
		for range rapid.IntRange(0, len(sketches)/2).Draw(t, "forgotten") {
			part = append(part, 1+rng.Uint64N(uint64(len(sketches))))
		}
		var err error
		length, err = memory.Forget(file, length, part, nil)
		must(t, err)
		forgotten = append(forgotten, part...)
	}

	wanted := without(t, kind, file, length, sketches, forgotten)
	defer wanted.Close()
	begin := func(memorytest.Kind) (memory.Index, error) { return kind.Begin() }
	got, err := memory.Read(begin, kind, file, length, nil)
	must(t, err)
	defer got.Close()
	rewritten, err := kind.Begin()
	must(t, err)
	defer rewritten.Close()
	must(t, rewritten.Absorb(file, length, func(note []byte, _ uint64) error {
		for _, record := range forgotten {
			if strings.Contains(string(note), fmt.Sprintf(`"id %d."`, record)) {
				t.Fatalf("the id of record %d is still there", record)
			}
		}
		return nil
	}, nil))
	for name, x := range map[string]memory.Index{"read": got, "rewritten": rewritten} {
		if a, b := x.Stats(), wanted.Stats(); a.Entries != b.Entries || a.Records != b.Records {
			t.Fatalf("%s: %+v, want %+v", name, a, b)
		}
		asked := append(sketches[:min(len(sketches), 100)], kind.Sketch(memorytest.WordsOf(rng)))
		if kind.HasFamilies {
			compareAnswers(t, name, x, got, asked)
			checkNoneOf(t, x, forgotten, asked)
			continue
		}
		compareAnswers(t, name, x, wanted, asked)
	}
}

// checkNoneOf queries an index for some sketches: no answer may be a forgotten record.
func checkNoneOf(t *rapid.T, x memory.Index, forgotten []uint64, asked [][]uint64) {
	for i, s := range asked {
		match := make([]memory.Match, 1)
		must(t, x.Query(s, match))
		near, err := x.Near(match, s, 50)
		must(t, err)
		for _, m := range near {
			if slices.Contains(forgotten, m.Record) {
				t.Fatalf("record %d resembles record %d, which is forgotten", i+1, m.Record)
			}
		}
	}
}

func create(t *rapid.T, dir, name string) *os.File {
	file, err := os.Create(filepath.Join(dir, name))
	must(t, err)
	return file
}

func must(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// remember makes an index with a log observe some records and name them.
func remember(t *rapid.T, kind memorytest.Kind, file *os.File, sketches [][]uint64) (length int64) {
	x, err := memory.Load(func(memorytest.Kind) (memory.Index, error) { return kind.Begin() }, kind, file, 0, nil)
	must(t, err)
	names := memory.Names{WithIDs: true}
	names.NoteTo(x.Note)
	for i, s := range sketches {
		_, err := x.Observe(s, make([]memory.Match, 1))
		must(t, err)
		id := fmt.Appendf(nil, `"id %d."`, i+1)
		must(t, names.Observe(&stream.Decided{Input: "in", Record: uint64(i) + 1, ID: id}))
	}
	must(t, names.Note())
	length, err = x.Flush()
	must(t, err)
	must(t, x.Close())
	return length
}

// without returns an index that remembers exactly the records that have an entry in a log and are
// not forgotten.
func without(
	t *rapid.T, kind memorytest.Kind, file *os.File, length int64, sketches [][]uint64, forgotten []uint64,
) memory.Index {
	x, err := kind.Begin()
	must(t, err)
	numbers, err := x.ReadNumbers(file, length, nil)
	must(t, err)
	must(t, x.Close())
	x, err = kind.Begin()
	must(t, err)
	for i, s := range sketches {
		record := uint64(i) + 1
		if !slices.Contains(numbers.Entries, record) || slices.Contains(forgotten, record) {
			x.Pass(1)
			continue
		}
		_, err := x.Observe(s, make([]memory.Match, 1))
		must(t, err)
	}
	return x
}

func compareAnswers(t *rapid.T, name string, x, wanted memory.Index, asked [][]uint64) {
	for i, s := range asked {
		got, want := make([]memory.Match, 1), make([]memory.Match, 1)
		must(t, x.Query(s, got))
		must(t, wanted.Query(s, want))
		if got[0] != want[0] {
			t.Fatalf("%s: record %d resembles %+v, want %+v", name, i+1, got[0], want[0])
		}
		near, err := x.Near(nil, s, 5)
		must(t, err)
		nearest, err := wanted.Near(nil, s, 5)
		must(t, err)
		if a, b := fmt.Sprint(near), fmt.Sprint(nearest); a != b {
			t.Fatalf("%s: near record %d are %s, want %s", name, i+1, a, b)
		}
	}
}
