package report

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// longestByTable is the length of a longest common subsequence, by the textbook's table.
func longestByTable(a, b []int32) int {
	above := make([]int, len(b)+1)
	for i := range a {
		row := make([]int, len(b)+1)
		for j := range b {
			row[j+1] = max(row[j], above[j+1])
			if a[i] == b[j] {
				row[j+1] = above[j] + 1
			}
		}
		above = row
	}
	return above[len(b)]
}

// TestCommonIsLongest: what is found stands in both lists, in order, and is as long as can be.
func TestCommonIsLongest(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for range 20_000 {
		values := 1 + random.IntN(12)
		list := func() (list []int32) {
			for range random.IntN(40) {
				list = append(list, int32(random.IntN(values)))
			}
			return list
		}
		a, b := list(), list()
		length, end := 0, common{}
		for _, c := range commonOf(a, b) {
			if c.n < 1 || c.a < end.a || c.b < end.b || c.a == end.a && c.b == end.b && length > 0 {
				t.Fatalf("%v, %v: %+v comes after what ends at %+v", a, b, c, end)
			}
			if !slices.Equal(a[c.a:c.a+c.n], b[c.b:c.b+c.n]) {
				t.Fatalf("%v, %v: %+v is not the same", a, b, c)
			}
			length, end = length+c.n, common{c.a + c.n, c.b + c.n, 0}
		}
		if want := longestByTable(a, b); length != want {
			t.Fatalf("%v, %v: %d, want %d", a, b, length, want)
		}
	}
}
