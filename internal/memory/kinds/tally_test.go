package kinds

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Counts are right, and in their order; of what is given up the records are counted.
func TestTally(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(2, 12).Draw(t, "most")
		tally, err := NewTally(ordinary, most)
		if err != nil {
			t.Fatal(err)
		}
		defer tally.Close()
		read := rapid.SliceOfN(rapid.IntRange(0, 8), 0, 60).Draw(t, "kinds")
		want := map[int]uint64{}
		for i, kind := range read {
			b := stream.Batch{Ends: []int{0}, Problems: make([]record.Problem, 1)}
			if kind > 0 {
				b.Words, b.Ends[0] = sketchOf(kind), ordinary.SketchWords()
			}
			want[kind]++
			if _, err := tally.Judge().Decide(b, make([]stream.Verdict, 1)); err != nil {
				t.Fatal(err)
			}
			text := fmt.Appendf(nil, "kind%d is %d", kind, i)
			if err := tally.Observe(&stream.Decided{Input: "x", Record: uint64(i + 1), Excerpt: text}); err != nil {
				t.Fatal(err)
			}
		}
		all, counts := tally.Kinds(), tally.Counts()
		sum := counts.Textless + counts.Lost
		for i, k := range all {
			sum += k.Records
			if i > 0 && (k.Records > all[i-1].Records ||
				k.Records == all[i-1].Records && k.number < all[i-1].number) {
				t.Fatalf("kind %d of %d records comes after one of %d", i, k.Records, all[i-1].Records)
			}
			var kind int
			if _, err := fmt.Sscanf(k.Template.First(), "kind%d", &kind); err != nil {
				t.Fatal(err)
			}
			if most >= 8 && k.Records != want[kind] {
				t.Fatalf("kind %d has %d records, not %d", kind, k.Records, want[kind])
			}
			if w := fmt.Sprintf("kind%d is %s", kind, Varies); k.Records > 1 && k.Template.String() != w {
				t.Fatalf("%q, not %q", k.Template.String(), w)
			}
		}
		if len(all) > most || sum != uint64(len(read)) || counts.Records != sum || most >= 8 && counts.Evicted > 0 {
			t.Fatalf("%d kinds of at most %d; %d of %d records: %+v", len(all), most, sum, len(read), counts)
		}
	})
}

// When there are too many kinds, those with the most records stay.
func TestTableKeepsTheBetterHalf(t *testing.T) {
	var gone []int
	larger := func(a, b *int) int { return *b - *a }
	table, err := NewTable(ordinary, 4, larger, func(n *int) { gone = append(gone, *n) })
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	find := func(kind int) (*int, bool) {
		of, isNew, err := table.Find(sketchOf(kind))
		if err != nil {
			t.Fatal(err)
		}
		return of, isNew
	}
	for kind, value := range []int{7, 1, 9, 2, 5} {
		of, isNew := find(kind)
		if *of = value; !isNew {
			t.Errorf("kind %d is not new", kind)
		}
	}
	if fmt.Sprint(gone) != "[1 2]" || table.Len() != 3 {
		t.Errorf("%v are gone, %d stay", gone, table.Len())
	}
	for kind, value := range map[int]int{0: 7, 2: 9, 4: 5} {
		if of, isNew := find(kind); isNew || *of != value {
			t.Errorf("kind %d is %d, and new: %v", kind, *of, isNew)
		}
	}
	if _, isNew := find(1); !isNew {
		t.Error("a kind that was given up is known")
	}
}
