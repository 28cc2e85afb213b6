package union_test

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/dedup/union"
)

// Four records, of which two pairs resemble each other.
func ExampleGroups() {
	var groups union.Groups
	for range 4 {
		groups.Add()
	}
	groups.Join(3, 1) // entries, from 0
	groups.Join(1, 0)
	fmt.Println(groups.Root(3) == groups.Root(0), groups.Root(3), groups.Root(2))
	for records := range groups.All() { // records, from 1
		fmt.Println(records)
	}
	// Output:
	// true 0 2
	// [1 2 4]
}

// Records that are copies share an entry, and what has nothing to compare is in no group.
func ExampleGroups_AddTo() {
	var groups union.Groups
	page := groups.Add()
	groups.Pass()
	groups.AddTo(page)
	for records := range groups.All() {
		fmt.Println(records, groups.EntryOf(2) == union.None)
	}
	// Output:
	// [1 3] true
}
