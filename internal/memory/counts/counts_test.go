package counts

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// notes is a log that has notes alone.
type notes [][]byte

func (n *notes) Note(note []byte) error {
	*n = append(*n, bytes.Clone(note))
	return nil
}

func loaded(t interface{ Fatal(...any) }, log notes) *Counts {
	var c *Counts
	for _, note := range log {
		var err error
		if c, err = Load(c, note); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func groupsOf(t interface{ Fatal(...any) }, c *Counts, at Moment) (list []Group) {
	if err := c.Each(at, func(g Group) error { list = append(list, g); return nil }); err != nil {
		t.Fatal(err)
	}
	return list
}

// A record is what the model knows of one.
type record struct {
	root    int // its number, from 1
	time    int64
	isTimed bool
	value   string

	deletedBy int // a run, or 0
}

// model counts the groups of the marked records.
func model(what Selection, records []record, marked map[int]bool) (list []Group) {
	for _, root := range slices.Sorted(maps.Keys(marked)) {
		g, by := Group{Record: uint64(root)}, map[string]uint64{}
		if records[root-1].deletedBy > 0 {
			continue
		}
		for _, r := range records {
			if r.root != root || r.deletedBy > 0 {
				continue
			}
			g.Size++
			by[r.value]++
			if r.isTimed && what.Time != "" {
				if !g.IsTimed {
					g.First, g.Last, g.IsTimed = r.time, r.time, true
				}
				g.First, g.Last = min(g.First, r.time), max(g.Last, r.time)
			}
		}
		if len(what.By) > 0 {
			var counts []Count
			for _, value := range slices.Sorted(maps.Keys(by)) {
				counts = append(counts, Count{value, by[value]})
			}
			g.By = [][]Count{counts}
		}
		list = append(list, g)
	}
	return list
}

// Whatever is read, in however many runs and from however many notes, the groups are those of a
// model that looks at all records.
func TestGroupsAreThoseOfAModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var what Selection
		if rapid.Bool().Draw(t, "timed") {
			what.Time = "t"
		}
		if rapid.Bool().Draw(t, "by") {
			what.By = []string{"source"}
		}
		var log notes
		c := New(what)
		c.NoteTo(log.Note)
		defer func() { c.Close() }()
		var records []record
		var runs []aRun
		for run := range rapid.IntRange(1, 4).Draw(t, "runs") {
			c.BeginRun()
			marked := map[int]bool{}
			for range rapid.IntRange(0, 40).Draw(t, "records") {
				r := record{root: len(records) + 1}
				original := 0
				if len(records) > 0 && rapid.Bool().Draw(t, "removed") {
					original = rapid.IntRange(1, len(records)).Draw(t, "original")
					r.root = records[original-1].root
					marked[r.root] = true
				}
				var fields [][]byte
				for range what.By {
					if r.value = rapid.SampledFrom([]string{"", "a", "b", "7"}).Draw(t, "value"); r.value == "7" {
						fields = append(fields, []byte(r.value))
					} else {
						fields = append(fields, jsontext.AppendQuoted(nil, []byte(r.value)))
					}
				}
				if r.isTimed = rapid.Bool().Draw(t, "is timed"); what.Time != "" && r.isTimed {
					r.time = rapid.Int64Range(1e8, 1e11-1).Draw(t, "time")
					if rapid.Bool().Draw(t, "is before 1970") {
						r.time = -r.time
					}
					fields = append(fields, fmt.Append(nil, r.time))
				}
				records = append(records, r)
				if err := c.Add(uint64(original), fields); err != nil {
					t.Fatal(err)
				}
				if rapid.IntRange(0, 9).Draw(t, "checkpoint") == 0 {
					if err := c.Note(); err != nil {
						t.Fatal(err)
					}
					c.Close()
					c = loaded(t, log)
					c.NoteTo(log.Note)
				}
			}
			if len(records) > 0 && rapid.Bool().Draw(t, "again") { // a record of an earlier run is repeated
				original := rapid.IntRange(1, len(records)).Draw(t, "repeated for")
				if err := c.Mark(uint64(original)); err != nil {
					t.Fatal(err)
				}
				marked[records[original-1].root] = true
			}
			if err := c.Note(); err != nil {
				t.Fatal(err)
			}
			want := slices.DeleteFunc(model(what, records, marked), func(g Group) bool { return g.Size < 2 })
			again := loaded(t, log)
			for _, have := range []*Counts{c, again} {
				if got := groupsOf(t, have, have.Now()); len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
					t.Fatalf("%+v\nwant %+v", got, want)
				}
			}
			again.Close()
			runs = append(runs, aRun{Moment{uint64(len(records)), uint64(2*run + 1)}, marked, want})
			deleted := drawDeleted(t, records, 2*run+2)
			log = append(log, DeletionNotes(uint64(len(records)), uint64(2*run+2), deleted)...)
			c.Close()
			c = loaded(t, log)
			c.NoteTo(log.Note)
		}
		checkRepeated(t, log, runs)
		checkUnion(t, log, model(what, records, runs[len(runs)-1].marked))
	})
}

// Tallies are at any time what Each says of the groups that copies came to since, also of an index
// of which records were deleted.
func TestTalliesAreGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var log notes
		c := New(Selection{Time: MessageTime})
		c.NoteTo(log.Note)
		add := func() {
			for range rapid.IntRange(0, 30).Draw(t, "records") {
				var fields [][]byte
				if rapid.Bool().Draw(t, "is timed") {
					fields = [][]byte{fmt.Append(nil, 1_700_000_000+rapid.IntRange(0, 99).Draw(t, "time"))}
				}
				original := rapid.IntRange(0, int(c.Records())).Draw(t, "original")
				if err := c.Add(uint64(original), fields); err != nil {
					t.Fatal(err)
				}
			}
		}
		add()
		if err := c.Note(); err != nil {
			t.Fatal(err)
		}
		var deleted []uint64
		for record := range c.Records() {
			if rapid.IntRange(0, 5).Draw(t, "deleted") == 0 {
				deleted = append(deleted, record+1)
			}
		}
		log = append(log, DeletionNotes(c.Records(), 0, deleted)...)
		c.Close()
		c = loaded(t, log)
		defer func() { c.Close() }()
		tallies := NewTallies(c)
		for range 3 {
			c.BeginRun()
			add()
			var got []Group
			if err := tallies.EachGrown(func(g Group) error { got = append(got, g); return nil }); err != nil {
				t.Fatal(err)
			}
			if want := groupsOf(t, c, c.Now()); len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
				t.Fatalf("%+v\nwant %+v", got, want)
			}
		}
	})
}

// An aRun is what a run has found.
type aRun struct {
	ended  Moment
	marked map[int]bool
	groups []Group
}

// drawDeleted has a run of that number delete some records.
func drawDeleted(t *rapid.T, records []record, number int) (deleted []uint64) {
	for i := range records {
		if records[i].deletedBy == 0 && rapid.IntRange(0, 4).Draw(t, "deleted") == 0 {
			records[i].deletedBy = number
			deleted = append(deleted, uint64(i+1))
		}
	}
	return deleted
}

// checkRepeated: a run that is repeated finds what it had found, whatever was deleted since.
func checkRepeated(t *rapid.T, log notes, runs []aRun) {
	for _, run := range runs {
		c := loaded(t, log)
		c.BeginRun()
		for root := range run.marked {
			if err := c.Mark(uint64(root)); err != nil {
				t.Fatal(err)
			}
		}
		if got := groupsOf(t, c, run.ended); len(got)+len(run.groups) > 0 && !reflect.DeepEqual(got, run.groups) {
			t.Fatalf("repeated: %+v\nwas %+v", got, run.groups)
		}
		c.Close()
	}
}

// checkUnion: a log that is written anew has the groups that were in the old one.
func checkUnion(t *rapid.T, log notes, want []Group) {
	var anew notes
	c := loaded(t, log)
	defer c.Close()
	u := New(c.Selection())
	defer u.Close()
	u.NoteTo(anew.Note)
	if err := errors.Join(u.Absorb(c, nil), u.Note()); err != nil {
		t.Fatal(err)
	}
	again := loaded(t, anew)
	defer again.Close()
	want = slices.DeleteFunc(want, func(g Group) bool { return g.Size < 2 })
	for _, have := range []*Counts{u, again} {
		got := slices.DeleteFunc(groupsOf(t, have, have.Now()), func(g Group) bool {
			return !c.marked.has(uint32(g.Record)) // a log that is written anew marks all groups
		})
		if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("anew: %+v\nwant %+v", got, want)
		}
	}
}

// Of a record that was deleted a log that is written anew says nothing but that it was there.
func TestDeletedLeavesTheLog(t *testing.T) {
	var log, anew notes
	c := New(Selection{By: []string{"s"}, Time: "t"})
	c.NoteTo(log.Note)
	for i, value := range []string{"open", "secret", "secret"} {
		fields := [][]byte{jsontext.AppendQuoted(nil, []byte(value)), fmt.Append(nil, i)}
		if err := c.Add(uint64(min(i, 1)), fields); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Note(); err != nil {
		t.Fatal(err)
	}
	c.Close()
	c = loaded(t, append(log, DeletionNotes(3, 2, []uint64{2, 3})...))
	defer c.Close()
	u := New(c.Selection())
	defer u.Close()
	u.NoteTo(anew.Note)
	if err := errors.Join(u.Absorb(c, nil), u.Note()); err != nil {
		t.Fatal(err)
	}
	text := bytes.Join(anew, nil)
	if !bytes.Contains(text, []byte("open")) || bytes.Contains(text, []byte("secret")) {
		t.Errorf("%q", text)
	}
}

// Notes of what cannot be deleted are refused.
func TestDeletionsAreChecked(t *testing.T) {
	for name, note := range map[string][]byte{
		"none before":  []byte("g\x04\x01\x00\x01\x01"),
		"not there":    []byte("g\x04\x00\x00\x01\x01"),
		"record 0":     []byte("g\x04\x00\x00\x01\x00"),
		"too short":    []byte("g\x04\x00\x00\x05\x01"),
		"bytes follow": []byte("g\x04\x00\x00\x00\x00"),
		"two kinds":    []byte("g\x05\x00\x00\x00"),
	} {
		if c, err := Load(New(Selection{}), note); !errors.Is(err, memory.ErrCorrupt) {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	c := New(Selection{})
	defer c.Close()
	if err := c.Add(0, nil); err != nil {
		t.Fatal(err)
	}
	for i, note := range append(DeletionNotes(1, 0, []uint64{1}), DeletionNotes(1, 0, []uint64{1})...) {
		if _, err := Load(c, note); (err != nil) != (i == 1) {
			t.Errorf("deletion %d: %v", i, err)
		}
	}
}

// As of an earlier record the groups are what they were then.
func TestGroupsOfAnEarlierRun(t *testing.T) {
	c := New(Selection{})
	defer c.Close()
	for _, original := range []uint64{0, 1, 0, 3} {
		if err := c.Add(original, nil); err != nil {
			t.Fatal(err)
		}
	}
	then := groupsOf(t, c, Moment{Records: 4})
	for _, original := range []uint64{1, 2, 4} {
		if err := c.Add(original, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := groupsOf(t, c, Moment{Records: 4}); !reflect.DeepEqual(got, then) || len(then) != 2 || then[0].Size != 2 {
		t.Errorf("%+v, was %+v", got, then)
	}
	if got := groupsOf(t, c, c.Now()); got[0].Size != 4 || got[1].Size != 3 {
		t.Errorf("%+v", got)
	}
}

// Values beyond the bounds stand under an empty name, and the sum stays.
func TestValuesAreBounded(t *testing.T) {
	c := New(Selection{By: []string{"host"}})
	defer c.Close()
	c.BeginRun()
	long := append(append([]byte{'"'}, bytes.Repeat([]byte("x"), mostLength+1)...), '"')
	for i := range mostValues + 2 {
		value := []byte(fmt.Sprint(i))
		if i == 1 {
			value = long
		}
		if err := c.Add(uint64(min(i, 1)), [][]byte{value}); err != nil {
			t.Fatal(err)
		}
	}
	g := groupsOf(t, c, c.Now())[0]
	if list := g.By[0]; len(list) != mostValues+1 || list[0] != (Count{"", 2}) || g.Size != mostValues+2 {
		t.Errorf("%d values, %v first, of %d", len(list), list[0], g.Size)
	}
	if c.Overflow() != 2 || len(c.values[0].names.list) != mostValues {
		t.Error(c.Overflow(), len(c.values[0].names.list))
	}
}

// In a union a record that the first index knows is one of its copies there, with its group.
func TestUnion(t *testing.T) {
	what := Selection{By: []string{"s"}, Time: "t"}
	begin := func(value string, originals ...uint64) *Counts {
		c := New(what)
		for i, original := range originals {
			fields := [][]byte{jsontext.AppendQuoted(nil, []byte(value)), fmt.Append(nil, i)}
			if err := c.Add(original, fields); err != nil {
				t.Fatal(err)
			}
		}
		return c
	}
	a, b := begin("a", 0, 1, 0), begin("b", 0, 1, 0, 3, 0)
	defer b.Close()
	var log notes
	a.NoteTo(log.Note)
	defer a.Close()
	// Record 1 of b is record 3 of a; record 4 of b, which it has removed for 3, is record 1 of a.
	if err := a.Absorb(b, []Known{{Record: 4, First: 3}, {Record: 7, First: 1}}); err != nil {
		t.Fatal(err)
	}
	var sizes []string
	for _, g := range groupsOf(t, a, a.Now()) {
		sizes = append(sizes, fmt.Sprint(g.Record, ":", g.Size, g.By))
	}
	want := "[1:2 [[{a 2}]] 3:3 [[{a 1} {b 2}]] 6:2 [[{b 2}]]]"
	if fmt.Sprint(sizes) != want {
		t.Errorf("%v, want %s", sizes, want)
	}
	if err := a.Absorb(b, []Known{{Record: 99, First: 1}}); err == nil {
		t.Error("a record that is not there is known")
	}
}

// FuzzLoad has no bytes of a log do more harm than an error.
func FuzzLoad(f *testing.F) {
	var log notes
	c := New(Selection{By: []string{"s", "u"}, Time: "t"})
	c.NoteTo(log.Note)
	for i, original := range []uint64{0, 1, 0, 3, 2} {
		fields := [][]byte{fmt.Append(nil, i%2), []byte(`"x"`), fmt.Append(nil, 1700000000+i)}
		if err := c.Add(original, fields); err != nil {
			f.Fatal(err)
		}
	}
	if err := errors.Join(c.Note(), c.Mark(1)); err != nil {
		f.Fatal(err)
	}
	c.BeginRun()
	if err := errors.Join(c.Mark(4), c.Add(3, nil), c.Note()); err != nil {
		f.Fatal(err)
	}
	f.Add(log[0], log[1])
	f.Add(log[0], DeletionNotes(5, 2, []uint64{1, 4})[0])
	f.Add([]byte("g\x02\x0f{\"prefer\":\"x\"}\x00\x00\x00"), []byte{})
	f.Add([]byte("g\x02\x02{}\x00\x00\x01\x00"), []byte("g\x00\x01\x00\x01\x01"))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var c *Counts
		defer func() { c.Close() }()
		for _, note := range [][]byte{first, second} {
			var err error
			if c, err = Load(c, note); err != nil {
				if !errors.Is(err, memory.ErrCorrupt) {
					t.Fatal(err)
				}
				return
			}
		}
		groupsOf(t, c, c.Now())
	})
}
