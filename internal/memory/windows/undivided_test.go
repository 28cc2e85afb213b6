package windows_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
	"github.com/mithril-stream/mithril-stream/internal/memorytest"
)

// TestNothingDroppedIsOneMemory: as long as no window is dropped, all of them find what a memory
// finds that is not divided. Samples are not among these kinds, since weights of hashes depend on
// what else a memory has.
func TestNothingDroppedIsOneMemory(t *testing.T) {
	for name, kind := range memorytest.Kinds {
		if name == "samples" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				const records = 160
				p := windows.Params{Keep: 5, Capacity: rapid.Uint64Range(records, 2*records).Draw(rt, "capacity")}
				x, err := windows.New(p, func(string) (memory.Index, error) { return kind.Begin() }, &memory.Names{})
				must(rt, err)
				defer x.Close()
				one, err := kind.Begin()
				must(rt, err)
				defer one.Close()
				for i, r := range recordsOf(rt, kind, records) {
					if r.sketch == nil {
						x.Pass(1)
						one.Pass(1)
						continue
					}
					_, err := x.Next(nil, 1)
					must(rt, err)
					got, want := make([]memory.Match, 1), make([]memory.Match, 1)
					_, err = x.Observe(r.sketch, got)
					must(rt, err)
					_, err = one.Observe(r.sketch, want)
					must(rt, err)
					if !slices.Equal(got, want) {
						rt.Fatalf("record %d resembles %v, want %v", i+1, got, want)
					}
				}
				if a, b := x.Stats(), one.Stats(); a.Records != b.Records || a.Duplicates != b.Duplicates {
					rt.Fatalf("it has counted %+v, want %+v", a, b)
				}
			})
		})
	}
}
