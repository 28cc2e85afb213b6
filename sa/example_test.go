package sa_test

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/sa"
)

// The suffixes of a text in their order, and how long each has its beginning in common with the one
// before.
func ExampleSort() {
	text := []byte("banana")
	array := make([]int32, len(text))
	if err := sa.Sort(text, array); err != nil {
		panic(err)
	}
	common, err := sa.LCP(text, array)
	if err != nil {
		panic(err)
	}
	for i, at := range array {
		fmt.Println(common[i], string(text[at:]))
	}
	// Output:
	// 0 a
	// 1 ana
	// 3 anana
	// 0 banana
	// 0 na
	// 2 nana
}
