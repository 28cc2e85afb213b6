package overlap

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A record that shares a prompt with all items is compared with few of their passages, and its
// sketch does not grow with them.
func TestSharedPromptIsBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	text := func(words int) string {
		text := "a b c d e f g h i j k l m n o p q r s t u"
		for range words {
			text += fmt.Sprint(" w", rng.IntN(5000))
		}
		return text
	}
	var sizes []int
	for _, count := range []int{100, 3000} {
		items := make([][]byte, count)
		for i := range items {
			items[i] = []byte(text(5 + rng.IntN(25)))
		}
		record := slices.Concat(items[7], []byte(" "), items[8])
		x, err := NewItems(items, nil, 13, 1, .6)
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range x.tables {
			for i, key := range table.anchors.keys {
				compared := len(table.anchors.find(key))
				if compared == 0 || compared > 100 {
					t.Fatalf("%d items: anchor %d of %d words leads to %d passages", count, i, table.length, compared)
				}
			}
		}
		finder := x.NewFinder()
		words, _ := finder.Append(nil, record)
		if sizes = append(sizes, len(words)); len(finder.leads) > 200 {
			t.Errorf("%d items: %d leads are followed", count, len(finder.leads))
		}
	}
	if sizes[0] < 20 || sizes[1] > sizes[0]*3/2 {
		t.Errorf("the sketches have %d words", sizes)
	}
}
