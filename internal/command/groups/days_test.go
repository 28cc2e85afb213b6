package groups

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/indextest"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/days"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// TestDaysGoOn: the groups of a day go on from those of the days before, with pairs that these have
// joined.
func TestDaysGoOn(t *testing.T) {
	p := sketch.Default()
	s, err := sketch.New(p)
	if err != nil {
		t.Fatal(err)
	}
	signed := sketch.Signed{Sketcher: s}
	sketchOf := func(text string) []uint64 {
		words, ok := signed.Append(nil, []byte(text))
		if !ok {
			t.Fatal(text, "has no sketch")
		}
		return words
	}
	of := indextest.Open(t, t.TempDir())
	defer of.Close()
	var committed []days.Day
	for i, texts := range [][]string{{"one", "two", "one"}, {"two", "three"}, {"three", "four"}} {
		groups, err := signatures.NewGroups(signatures.Params{NumPerm: p.NumPerm, Bands: p.Bands, Rows: p.Rows,
			Votes: 1, Threshold: .5})
		if err != nil {
			t.Fatal(err)
		}
		defer groups.Close()
		d := &groupDays{dayIndex: dayIndex{index: of, committed: committed}, groups: groups, content: xxh3.New(),
			merges: dayMerges{joined: map[uint64]bool{}}}
		if d.today, err = days.Create(of, i+1); err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			if err := d.add(sketchOf(text), 0); err != nil {
				t.Fatal(err)
			}
		}
		var names memory.Names
		names.NoteTo(d.today.Note)
		if err := errors.Join(d.load(&names, files.Streams{}, true), groups.Find(context.Background()),
			d.today.Pairs(groups.Joins())); err != nil {
			t.Fatal(err)
		}
		want := [][][]uint64{{{1, 3}}, {{1, 3}, {2, 4}}, {{1, 3}, {2, 4}, {5, 6}}}[i]
		var got [][]uint64
		for group := range groups.All() {
			got = append(got, slices.Clone(group))
		}
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("day %d: %v, want %v", i+1, got, want)
		}
		if joins := groups.Joins(); len(joins) != 1 {
			t.Errorf("day %d has joined %v", i+1, joins)
		}
		indextest.Commit(t, of)
		committed = append(committed, days.Day{Records: uint64(len(texts)), Content: uint64(i)})
	}
}
