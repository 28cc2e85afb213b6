package prefixes

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestCandidatesAreTakenInOrder compares a heap of candidates with a sorted list.
func TestCandidatesAreTakenInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var heap byBound
		for entry := range rapid.IntRange(0, 100).Draw(t, "candidates") {
			most := float64(rapid.IntRange(0, 5).Draw(t, "most")) / 5
			heap = append(heap, candidate{entry: uint32(entry), most: most})
		}
		heap = rapid.Permutation(heap).Draw(t, "heap")
		want := slices.SortedFunc(slices.Values(heap), func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.most, a.most), cmp.Compare(a.entry, b.entry))
		})
		heap.order()
		for i := range want {
			if got := heap.take(); got != want[i] {
				t.Fatalf("candidate %d is %v, want %v", i, got, want[i])
			}
		}
		if len(heap) != 0 {
			t.Fatalf("%d candidates are left", len(heap))
		}
	})
}
