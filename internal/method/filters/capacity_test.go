package filters

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// TestCapacity is for how much the filters of a run are made.
func TestCapacity(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "idx")
	store, err := bloomlsh.Open(dir, bloomlsh.Params{Bands: 4, Capacity: 77}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	unknown := []string{"unknown", "lines", "sampled n-grams", "read only", "refusing", "generations", "forgetting"}
	for name, c := range map[string]struct {
		change  func(f *spec.Method)
		records uint64 // that seem to come
		want    uint64
		guessed bool
	}{
		"unknown": {func(*spec.Method) {}, 0, 1e6, false},
		"few":     {func(*spec.Method) {}, 800_000, 1e6, false},
		"many":    {func(*spec.Method) {}, 4_321_000, 5_200_000, true},
		"said": {func(f *spec.Method) {
			f.Memory.Filters.Planned, f.Memory.Filters.Capacity = true, 10
		}, 4e6, 10, false},
		"known":       {func(f *spec.Method) { f.Memory.Index = dir }, 4e6, 77, false},
		"new":         {func(f *spec.Method) { f.Memory.Index = dir + "2" }, 4e6, 4_800_000, true},
		"read only":   {func(f *spec.Method) { f.Memory.ReadOnly = true }, 4e6, 1e6, false},
		"refusing":    {func(f *spec.Method) { f.Memory.Filters.OnFull = bloomlsh.OnFullRefuse }, 4e6, 1e6, false},
		"generations": {func(f *spec.Method) { f.Memory.Forget.Generations = 3 }, 4e6, 1e6, false},
		"forgetting": {func(f *spec.Method) {
			f.Memory.Forget.After = time.Hour
		}, 4e6, 1e6, false},
		"lines":      {func(f *spec.Method) { f.Rule.Parts.Method = "line" }, 0, defaultLines, false},
		"many lines": {func(f *spec.Method) { f.Rule.Parts.Method = "line" }, 1e6, 12e6, true},
		"few n-grams": {func(f *spec.Method) {
			f.Rule.Parts.Method, f.Rule.Parts.NGram = "ngram", 13
		}, 1e3, defaultNGrams, false},
		"sampled n-grams": {func(f *spec.Method) {
			f.Rule.Parts.Method, f.Rule.Parts.NGram, f.Rule.Parts.Scale = "ngram", 13, 16
		}, 0, defaultNGrams / 16, false},
		"lines by number": {func(f *spec.Method) {
			f.Rule.Parts.Method, f.Memory.Filters.Parts = "line", 5
		}, 4e6, 5, false},
		"lines of a few": {func(f *spec.Method) {
			f.Rule.Parts.Method, f.Memory.Filters.Planned, f.Memory.Filters.Capacity = "line", true, 10
		}, 4e6, 100, false},
	} {
		f := &spec.Method{}
		f.Memory.Filters.Capacity = 1_000_000
		c.change(f)
		o := Opening{
			Method: *f, Records: func() uint64 { return c.records },
			PartsPerRecord: func() (float64, error) { return 10, nil },
		}
		got, err := o.capacity()
		if err != nil || got.guessed != c.guessed || got.records != c.want {
			t.Errorf("%s: %d, guessed: %v, %v; want %d, %v", name, got.records, got.guessed, err, c.want, c.guessed)
		}
		if blind := slices.Contains(unknown, name); blind != got.blind {
			t.Errorf("%s: the plan is blind: %v; nothing says how many will come: %v", name, got.blind, blind)
		}
	}
}

func TestRoundUp(t *testing.T) {
	for n, want := range map[uint64]uint64{
		0: 0, 7: 7, 99: 99, 100: 100, 101: 110, 1_234_567: 1_300_000, 999_999: 1_000_000,
	} {
		if got := roundUp(n); got != want {
			t.Errorf("roundUp(%d) = %d, want %d", n, got, want)
		}
	}
}
