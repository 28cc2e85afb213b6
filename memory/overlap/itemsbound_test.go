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
	record := []byte(text(30))
	var sizes []int
	for _, count := range []int{100, 3000} {
		items := make([][]byte, count)
		for i := range items {
			items[i] = []byte(text(rng.IntN(30)))
		}
		x, err := NewItems(items, 13, 1)
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
		words, _ := x.NewFinder().Append(nil, record)
		sizes = append(sizes, len(words))
	}
	if sizes[0] < 20 || sizes[1] > sizes[0]*3/2 {
		t.Errorf("the sketches have %d words", sizes)
	}
}

// Audiences that are found together are counted, and forgotten, before they are too many.
func TestTallyIsBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	x := &Items{list: make([]Item, 300), audienceOf: map[uint32]uint32{}}
	for form := range uint32(40) {
		x.audienceOf[form] = form
		var items []uint32
		for item := range uint32(300) {
			if rng.IntN(4) == 0 {
				items = append(items, item)
			}
		}
		x.audiences = append(x.audiences, items)
	}
	got, want := newTally(x), make([]uint64, 300)
	for record := range uint64(5000) {
		found := map[uint32]bool{}
		for range 1 + rng.IntN(9) {
			form := uint32(rng.IntN(40))
			got.add(form, record+1)
			for _, item := range x.audiences[form] {
				found[item] = true
			}
		}
		for item := range found {
			want[item]++
		}
		if got.end(); got.noted >= mostNoted {
			t.Fatalf("%d are noted", got.noted)
		}
	}
	if got.settle(); !slices.Equal(got.counts, want) {
		t.Errorf("got %v, want %v", got.counts, want)
	}
}
