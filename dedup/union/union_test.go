package union

import (
	"fmt"
	"slices"
	"testing"
)

func TestGroupsInTheOrderOfTheirFirstRecords(t *testing.T) {
	var g Groups
	a, b, c, d := g.Add(), g.Add(), g.Add(), g.Add()
	g.Pass()
	g.AddTo(c)
	e := g.Add()
	g.Join(d, b)
	g.Join(e, d)
	g.Join(b, e) // again
	var got [][]uint64
	for records := range g.All() {
		got = append(got, slices.Clone(records))
	}
	if want := "[[2 4 7] [3 6]]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	if g.EntryOf(5) != None || g.EntryOf(6) != c || g.Root(e) != b || g.Root(a) != a {
		t.Error(g)
	}
	if g.Records() != 7 || g.Entries() != 5 || g.Bytes() != 48 {
		t.Error(g.Records(), g.Entries(), g.Bytes())
	}
}

func TestSplitByTheFirstLeader(t *testing.T) {
	near := func(a, b uint64) bool { return max(a, b)-min(a, b) <= 2 }
	got := Split([]uint64{5, 1, 7, 3, 2, 9, 100}, near)
	if want := "[[5 7 3] [1 2]]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// A group of records that are all unlike is not compared pair by pair.
func TestSplitForgetsLeaders(t *testing.T) {
	records, asked := make([]uint64, 5*mostLeaders), 0
	for i := range records {
		records[i] = uint64(i + 1)
	}
	groups := Split(records, func(_, _ uint64) bool { asked++; return false })
	if len(groups) != 0 || asked > 2*mostLeaders*len(records) || asked < mostLeaders*len(records)/2 {
		t.Error(len(groups), asked)
	}
}
