package command

import (
	"iter"
	"maps"
	"slices"
	"testing"
)

// third returns the cases of a test. With -short, under the race detector, it is the first of three
// by name, and every third after it: what runs in several goroutines is the same for all.
func third[Case any](cases map[string]Case) iter.Seq2[string, Case] {
	return func(yield func(string, Case) bool) {
		for i, name := range slices.Sorted(maps.Keys(cases)) {
			if testing.Short() && i%3 > 0 {
				continue
			}
			if !yield(name, cases[name]) {
				return
			}
		}
	}
}
