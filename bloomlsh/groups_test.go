package bloomlsh

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// groupModel implements the rule of tagged indexes with exact maps, which hold the groups of each
// key of a band.
type groupModel struct {
	params      Params
	generations []groupModelGeneration
}

type groupModelGeneration struct {
	bands              []map[Key][]uint64 // groups, some of them repeatedly
	marks              map[groupModelMark]int
	whole              map[string][]uint64
	inserted, capacity uint64
}

type groupModelMark struct {
	band  int
	key   Key
	group uint64
}

func newGroupModel(p Params) *groupModel {
	m := &groupModel{params: p.complete()}
	m.open()
	return m
}

func (m *groupModel) open() {
	g := groupModelGeneration{whole: map[string][]uint64{}, marks: map[groupModelMark]int{}}
	g.capacity = planGeneration(m.params, len(m.generations)).capacity
	for range m.params.Bands {
		g.bands = append(g.bands, map[Key][]uint64{})
	}
	m.generations = append(m.generations, g)
}

// kept returns the generations that are not forgotten.
func (m *groupModel) kept() []groupModelGeneration {
	if m.params.forgets() {
		return m.generations[max(0, len(m.generations)-m.params.KeepGenerations):]
	}
	return m.generations
}

// groupsOf returns the groups of a band's key in some generations, without repetition.
func groupsOf(generations []groupModelGeneration, band int, key Key) (groups []uint64) {
	for _, g := range generations {
		for _, group := range g.bands[band][key] {
			if !slices.Contains(groups, group) {
				groups = append(groups, group)
			}
		}
	}
	return groups
}

// wear returns how many entries of a key are repetitions.
func (m *groupModel) wear(band int, key Key) (again int) {
	for _, g := range m.kept() {
		again += len(g.bands[band][key]) - len(groupsOf([]groupModelGeneration{g}, band, key))
	}
	return again
}

func (m *groupModel) isSure(band int, key Key, group uint64) bool {
	return slices.ContainsFunc(m.kept(), func(g groupModelGeneration) bool {
		return g.marks[groupModelMark{band, key, group}] == sureMarks
	})
}

// ask returns the votes of a record, and the group it joins if these are enough.
func (m *groupModel) ask(keys []Key) (votes int, group uint64, joins bool) {
	named, uncommon, worn, present := map[uint64]int{}, map[uint64]int{}, map[uint64]int{}, 0
	for band, key := range keys {
		groups := groupsOf(m.kept(), band, key)
		for _, g := range groups {
			named[g]++
			if len(groups) < tagHolders {
				uncommon[g]++
			}
			if m.wear(band, key) >= wornAt && !m.isSure(band, key, g) {
				worn[g]++
			}
		}
		if len(groups) > 0 {
			present++
		}
	}
	most, needed := 0, float64(m.params.Votes)
	wornVotes := needed + 5./8*(float64(len(keys))-needed)
	for g, n := range named {
		most = max(most, n)
		if present < len(keys) && uncommon[g] < max(1, m.params.Votes/4) && n < 2*m.params.Votes {
			continue
		}
		if present < len(keys) && float64(n-worn[g])+float64(worn[g])*needed/wornVotes < needed-1e-9 {
			continue
		}
		if n > votes || n == votes && g < group {
			group, votes = g, n
		}
	}
	joins = votes >= m.params.Votes
	if present < len(keys) {
		if !joins {
			votes = min(most, m.params.Votes-1)
		}
		return votes, group, joins
	}
	if !joins {
		var copies []uint64
		for _, g := range m.kept() {
			copies = append(copies, g.whole[fmt.Sprint(keys)]...)
		}
		if len(copies) > 0 {
			group, joins = slices.Min(copies), true
		}
	}
	if joins {
		votes = len(keys)
	}
	return votes, group, joins
}

func (m *groupModel) observe(keys []Key) (votes int, full bool) {
	votes, group, joins := m.ask(keys)
	p, number := m.params, uint64(0)
	for _, g := range m.kept() {
		number += g.inserted
	}
	limiting := m.kept()
	if p.forgets() {
		limiting = limiting[len(limiting)-1:]
	}
	if joins && !p.forgets() && votes == len(keys) || joins && p.Remember == RememberUnseen {
		return votes, false
	}
	if !joins {
		group = number
	}
	var into []int
	has := 0
	plan := func() {
		into, has = nil, 0
		for band, key := range keys {
			switch groups := groupsOf(limiting, band, key); {
			case slices.Contains(groups, group):
				has++
			case len(groups) < tagHolders:
				into = append(into, band)
			}
		}
	}
	plan()
	last := &m.generations[len(m.generations)-1]
	whole := has+len(into) < p.Votes
	if len(into) == 0 && (!whole || slices.Contains(last.whole[fmt.Sprint(keys)], group)) {
		return votes, false
	}
	if last.inserted >= last.capacity { // and more once a table has doubled
		if p.OnFull == OnFullRefuse {
			return votes, true
		}
		if !p.doubles() {
			m.open()
			last = &m.generations[len(m.generations)-1]
		}
		if p.forgets() {
			limiting = m.generations[len(m.generations)-1:]
			plan()
			whole = has+len(into) < p.Votes
		}
	}
	if joins && len(into) > 0 {
		into = append(into, m.again(last, keys, group, votes, limiting)...)
	}
	for _, band := range into {
		last.bands[band][keys[band]] = append(last.bands[band][keys[band]], group)
	}
	if text := fmt.Sprint(keys); whole && !slices.Contains(last.whole[text], group) {
		last.whole[text] = append(last.whole[text], group)
	}
	last.inserted++
	return votes, false
}

// again returns the bands in which a record that joins a group enters it again, or marks their
// keys.
func (m *groupModel) again(
	last *groupModelGeneration, keys []Key, group uint64, votes int, limiting []groupModelGeneration,
) (bands []int) {
	marked := 0
	draw(keys, func(band int) {
		key := keys[band]
		if !slices.Contains(groupsOf(limiting, band, key), group) || m.wear(band, key) >= wornAt ||
			m.isSure(band, key, group) {
			return
		}
		if votes < m.params.Votes+5*(len(keys)-m.params.Votes)/12 {
			bands = append(bands, band)
		} else if marked++; marked <= mostMarks {
			mark := groupModelMark{band, key, group}
			last.marks[mark] = min(sureMarks, last.marks[mark]+1)
		}
	})
	return bands
}

// drawGroups draws parameters of tagged indexes whose errors are rare. A key may still be taken for
// another one of the same group by chance, which gives a record one vote more.
func drawGroups(t *rapid.T) Params {
	p := drawParams(t)
	p.Filter, p.FPRate = FilterTagged, lsh.MinFPRate
	p.Bands = rapid.IntRange(2, 7).Draw(t, "bands of groups")
	p.Votes = rapid.IntRange(2, p.Bands).Draw(t, "votes")
	return p
}

// TestGroupsEqualModel checks that a tagged index gives the verdicts of exact maps, however it
// grows and forgets, and however its records are divided into batches. A vote by chance ends a
// drawn case, since the index may differ from the maps from then on; one in 200 may do so, and none
// of those that the fixed seed draws.
func TestGroupsEqualModel(t *testing.T) {
	cases, strays := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		cases++
		p := drawGroups(t)
		x, m := mustIndex(t, p), newGroupModel(p)
		for range rapid.IntRange(0, 25).Draw(t, "batches") {
			n := rapid.IntRange(1, 12).Draw(t, "records")
			var keys []Key
			for range n {
				keys = append(keys, drawRecord(t, p.Bands)...)
			}
			var one [1]uint16
			first := keys[:p.Bands]
			want, _, _ := m.ask(first)
			err := x.Query(first, one[:])
			if err == nil && int(one[0]) == want+1 {
				strays++
				return
			}
			if err != nil || int(one[0]) != want {
				t.Fatalf("query of %v: %d votes, want %d, %v", first, one[0], want, err)
			}
			votes := make([]uint16, n)
			observed, err := x.Observe(keys, votes)
			for i := range n {
				want, full := m.observe(keys[i*p.Bands : (i+1)*p.Bands])
				if full {
					if observed != i || !errors.Is(err, ErrFull) {
						t.Fatalf("record %d finds an index that is full: %d observed, %v", i, observed, err)
					}
					return
				}
				if observed > i && int(votes[i]) == want+1 {
					strays++
					return
				}
				if observed <= i || int(votes[i]) != want {
					t.Fatalf("record %d: %d votes, want %d, %v", i, votes[i], want, err)
				}
			}
		}
	})
	if strays > cases/200 { // none of the usual 100
		t.Errorf("%d of %d cases have a vote by chance", strays, cases)
	}
}

// TestCopiesOfGroupsAreFound checks that an exact copy of a remembered record is a duplicate with a
// vote from every band, even if other groups take up all of its keys, and that it does not change
// the index.
func TestCopiesOfGroupsAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawTagged(t)
		p.Bands, p.Votes, p.Filter = 5, 3, FilterTagged
		p.OnFull, p.KeepGenerations, p.Remember = OnFullGrow, 0, RememberAll
		x := mustIndex(t, p)
		var all [][]Key
		for range rapid.IntRange(1, 120).Draw(t, "records") {
			keys := make([]Key, p.Bands)
			for i := range keys {
				keys[i] = Key{Lo: rapid.Uint64Range(0, 3).Draw(t, "key")}
			}
			var votes [1]uint16
			if _, err := x.Observe(keys, votes[:]); err != nil || !x.Remembers(votes[0]) {
				t.Fatal("a record is not remembered", err)
			}
			all = append(all, keys)
		}
		before := x.Usage()
		for _, keys := range all {
			var votes [1]uint16
			if _, err := x.Observe(keys, votes[:]); int(votes[0]) != p.Bands || err != nil {
				t.Fatalf("a copy has %d votes, %v", votes[0], err)
			}
		}
		if after := x.Usage(); after != before {
			t.Fatalf("copies have changed %+v to %+v", before, after)
		}
	})
}

// TestPlanOfGroups checks that the promised rate holds for any numbers of votes and generations,
// that entries are as narrow as that allows, and that a record takes the promised memory under the
// default rule.
func TestPlanOfGroups(t *testing.T) {
	for _, c := range []struct {
		p     Params
		bytes int
	}{
		{Params{Bands: 32, Votes: 8}, 2},
		{Params{Bands: 32, Votes: 8, Capacity: 1_000_000, KeepGenerations: 5}, 2},
		{Params{Bands: 32, Votes: 8, Capacity: 1_000_000, KeepGenerations: 64}, 4},
		{Params{Bands: 96, Votes: 21, Capacity: 1_000_000}, 2},
		{Params{Bands: 14, Votes: 2, Capacity: 1_000_000}, 4},
	} {
		plan, err := PlanIndex(c.p, 8)
		if err != nil {
			t.Fatal(err)
		}
		if plan.Filter != FilterTagged || plan.Probes != c.bytes || plan.FPRate > plan.Params.FPRate {
			t.Errorf("%+v: %s of %d bytes an entry, a rate of %g", c.p, plan.Filter, plan.Probes, plan.FPRate)
		}
	}
	plan, err := PlanIndex(Params{Bands: 32, Votes: 8, Capacity: 1_000_000}, 8)
	if perRecord := float64(plan.Memory) / 1e6; err != nil || perRecord > 77 {
		t.Errorf("%.1f bytes a record, %v", perRecord, err)
	}
}

// crowd returns records that share keys with many others, though no two share enough.
func crowd(records, bands, values int) []Key {
	r := rand.New(rand.NewPCG(4, 2))
	keys := make([]Key, records*bands)
	for i := range keys {
		keys[i] = Key{Hi: r.Uint64(), Lo: r.Uint64()}
		if r.IntN(4) == 0 {
			keys[i] = Key{Lo: uint64(r.IntN(values))}
		}
	}
	return keys
}

// TestCrowdsAreKept checks that votes from different records do not add up. In a crowd of records
// that give each other .6 votes on average, Bloom filters remove most, and a tagged index next to
// none.
func TestCrowdsAreKept(t *testing.T) {
	const records, bands = 20_000, 32
	keys := crowd(records, bands, 250)
	removed := map[string]uint64{}
	for _, filter := range []string{FilterPaged, FilterTagged} {
		x := mustNew(t, Params{Bands: bands, Votes: 8, Capacity: records, Filter: filter})
		if _, err := x.Observe(keys, make([]uint16, records)); err != nil {
			t.Fatal(err)
		}
		removed[filter] = x.Stats().Duplicates
	}
	if removed[FilterPaged] < records/2 || removed[FilterTagged] > records/1000 {
		t.Errorf("removed of %d: %v", records, removed)
	}
}

// frame returns the keys of pages that share a frame: a band has the frame's key if the minimum
// hash of every row comes from the frame, and otherwise a key of its own.
func frame(records, bands int, share float64) []Key {
	r := rand.New(rand.NewPCG(4, 3))
	keys := make([]Key, records*bands)
	for i := range keys {
		keys[i] = Key{Hi: r.Uint64(), Lo: r.Uint64()}
		if r.Float64() < share {
			keys[i] = Key{Lo: uint64(i % bands)}
		}
	}
	return keys
}

// TestFramesAreKept checks that pages with 11 of 32 keys from a frame on average, as with J = .76,
// are kept, although one in thirty has sixteen keys that were seen.
func TestFramesAreKept(t *testing.T) {
	const records, bands = 20_000, 32
	x := mustNew(t, Params{Bands: bands, Votes: 8, Capacity: records, Filter: FilterTagged})
	if _, err := x.Observe(frame(records, bands, .33), make([]uint16, records)); err != nil {
		t.Fatal(err)
	}
	if n := x.Stats().Duplicates; n > records/1000 {
		t.Errorf("%d of %d removed", n, records)
	}
}

// TestCommonKeysSufficeIfTheyArePlenty checks that a record with only common keys and keys of its
// own needs twice as many votes as others.
func TestCommonKeysSufficeIfTheyArePlenty(t *testing.T) {
	const bands, needed, common = 32, 8, 20
	x := mustNew(t, Params{Bands: bands, Votes: needed, Capacity: 1000, Filter: FilterTagged})
	own := uint64(bands)
	observe := func(from, to int) int {
		keys := make([]Key, bands)
		for band := range keys {
			if keys[band].Lo = uint64(band); band < from || band >= to {
				own++
				keys[band].Lo = own
			}
		}
		var votes [1]uint16
		if _, err := x.Observe(keys, votes[:]); err != nil {
			t.Fatal(err)
		}
		return int(votes[0])
	}
	observe(0, bands)
	for range tagHolders - 1 {
		for from := 0; from < common; from += needed - 1 {
			observe(from, min(from+needed-1, common))
		}
	}
	if groups := x.Stats().Inserted; groups != 1+3*(tagHolders-1) || x.Stats().Duplicates > 0 {
		t.Fatalf("the crowd has %d groups", groups)
	}
	if votes := observe(0, 2*needed-1); votes >= needed {
		t.Errorf("15 common keys make a duplicate of %d votes", votes)
	}
	if votes := observe(0, 2*needed); votes != 2*needed {
		t.Errorf("16 common keys make %d votes", votes)
	}
}

// TestFirstTagsEqualTable checks that the first entries give the verdicts of the table, and leave
// the same table behind.
func TestFirstTagsEqualTable(t *testing.T) {
	testFirstTags(t, OnFullRefuse, 6_000)
	testFirstTags(t, OnFullGrow, 40_000) // a table that doubles has more first entries
}

func testFirstTags(t *testing.T, onFull string, records int) {
	t.Helper()
	p := Params{Bands: 32, Votes: 8, Capacity: 1_000_000, FPRate: 1e-8, OnFull: onFull}
	first, table := mustNew(t, p), mustNew(t, p)
	table.current().moveFirst()
	if table.current().isSmall() || !first.current().isSmall() {
		t.Fatal("there are no first entries")
	}
	keys := crowd(records, p.Bands, records/2)
	for n := 1; len(keys) > 0; n = min(2*n+1, len(keys)/p.Bands) {
		got, want := make([]uint16, n), make([]uint16, n)
		_, err := first.Observe(keys[:n*p.Bands], got)
		_, failed := table.Observe(keys[:n*p.Bands], want)
		if err != nil || failed != nil || !slices.Equal(got, want) {
			t.Fatal("votes differ", err, failed)
		}
		keys = keys[n*p.Bands:]
	}
	if first.current().isSmall() {
		t.Fatal("the first entries are not left")
	}
	if !slices.Equal(first.current().words, table.current().words) {
		t.Fatal("the tables differ")
	}
}

// TestLook checks that a lookup finds the entries with the print of a key, in its line and, as long
// as lines are full, in the following ones, for both widths of entries.
func TestLook(t *testing.T) {
	testLook(t, &narrowTags)
	testLook(t, &wideTags)
}

func testLook(t *testing.T, l *tagLayout) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 7))
	const lines = 8 * pageLines
	words := make([]uint64, lines*lineWords)
	table := tagTable{tagLayout: *l, words: words, at: &paged{words: words}}
	var entries [lines][]uint64
	for i := range entries {
		taken := r.IntN(table.perLine() + 1)
		switch i / pageLines {
		case 0: // a full page
			taken = table.perLine()
		case 1, 2:
			taken = min(taken*4, table.perLine())
		}
		for j := range taken {
			entries[i] = append(entries[i], r.Uint64N(4)<<l.tagBits|1+r.Uint64N(l.tags()))
			table.put(table.placeOf(uint64(i*lineWords), j), entries[i][j])
		}
	}
	keys := make([]pagedLine, 3000)
	for i := range keys {
		keys[i] = pagedLine{uint64(r.IntN(lines) * lineWords), r.Uint64()}
		if r.IntN(3) > 0 {
			keys[i].bits &^= (1<<l.printBits - 4) << 16 // an existing print
		}
	}
	var want []tagHit
	wantPlaces := make([]uint64, len(keys))
	for i, key := range keys {
		wantPlaces[i] = noPlace
		first := int(key.word / lineWords)
		for step := range pageLines {
			line := first/pageLines*pageLines + (first+step)%pageLines
			same := uint32(0)
			for j, entry := range entries[line] {
				if entry>>l.tagBits == table.printOf(key.bits) {
					same |= 1 << j
				}
			}
			if same != 0 {
				want = append(want, tagHit{uint64(line * lineWords), same, uint32(i)})
			}
			if n := len(entries[line]); n < table.perLine() {
				wantPlaces[i] = table.placeOf(uint64(line*lineWords), n)
				break
			}
		}
		if wantPlaces[i] == noPlace {
			want = append(want, tagHit{band: uint32(i)})
		}
	}
	places := make([]uint64, len(keys))
	got := table.lookup([]tagHit{{word: 5}}, places, keys, nil)
	if !slices.Equal(got[1:], want) || got[0] != (tagHit{word: 5}) {
		t.Errorf("entries of %d bytes: other hits, with AVX2: %v, with AVX-512: %v", l.bytes, hasAVX2, hasAVX512)
	}
	if !slices.Equal(places, wantPlaces) {
		t.Errorf("entries of %d bytes: other places, with AVX2: %v, with AVX-512: %v", l.bytes, hasAVX2, hasAVX512)
	}
}

// TestMergeOfGroupsFindsAll checks that a merge of tagged indexes contains what each of them
// contained, of which some records were in all of them, and that no entry is lost that overflowed
// its line.
func TestMergeOfGroupsFindsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawTagged(t)
		p.Bands, p.Votes, p.Filter, p.FPRate = 5, 3, FilterTagged, lsh.MinFPRate
		p.OnFull, p.KeepGenerations, p.Generations, p.Growth = OnFullRefuse, 0, 0, ""
		p.Capacity, p.Remember = 4000, RememberAll
		files, env := storetest.New(t), testEnvironment(rapid.SampledFrom([]int64{1, 1 << 30}).Draw(t, "minLog"))
		var dirs []string
		var all []Key
		stream := &keyStream{rapid.Uint64().Draw(t, "seed")}
		shared := make([]Key, p.Bands*rapid.IntRange(0, 300).Draw(t, "shared"))
		stream.fill(shared)
		all = append(all, shared...)
		for i := range rapid.IntRange(1, 4).Draw(t, "indexes") {
			dir := files.Path(fmt.Sprint("idx", i))
			s, err := openStore(env, dir, p, nil)
			if err != nil {
				t.Fatal(err)
			}
			keys := make([]Key, p.Bands*rapid.IntRange(0, 900-len(shared)/p.Bands).Draw(t, "records"))
			stream.fill(keys)
			all = append(all, keys...)
			for i := range len(shared) / p.Bands { // under other tags in each index
				at := rapid.IntRange(0, len(keys)/p.Bands).Draw(t, "at") * p.Bands
				keys = slices.Insert(keys, at, shared[i*p.Bands:][:p.Bands]...)
			}
			_, err = s.Observe(keys, make([]uint16, len(keys)/p.Bands))
			if err := errors.Join(err, s.Commit(Position{}), s.Close()); err != nil {
				t.Fatal(err)
			}
			dirs = append(dirs, dir)
		}
		if err := merge(env, dirs, files.Path("merged")); err != nil {
			t.Fatal(err)
		}
		r, err := openReader(env, files.Path("merged"), p.Bands, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		votes := make([]uint16, len(all)/p.Bands)
		if err := r.Query(all, votes); err != nil {
			t.Fatal(err)
		}
		for i, v := range votes {
			if int(v) != p.Bands {
				t.Fatalf("record %d of %d has %d votes", i, len(votes), v)
			}
		}
	})
}
