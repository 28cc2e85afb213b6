package signatures

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

// definedGroups joins all pairs that resemble each other until nothing changes.
func definedGroups(p Params, sketches [][]uint64) (groups [][]uint64) {
	m := &model{p: p}
	return joinAll(sketches, func(i, j int) bool {
		votes, agree := m.compare(sketches[i], sketches[j])
		return votes >= p.Votes && m.similarity(agree) >= p.Threshold
	})
}

// joinAll is the groups of records that have sketches and are alike.
func joinAll(sketches [][]uint64, alike func(i, j int) bool) (groups [][]uint64) {
	of := make([]int, len(sketches)) // the smallest record of the group
	for i := range of {
		of[i] = i
	}
	for changed := true; changed; {
		changed = false
		for i, a := range sketches {
			for j, b := range sketches[:i] {
				if a == nil || b == nil || of[i] == of[j] {
					continue
				}
				if alike(i, j) {
					of[i], of[j], changed = min(of[i], of[j]), min(of[i], of[j]), true
				}
			}
		}
	}
	for root := range of {
		var group []uint64
		for i := range of {
			if of[i] == root {
				group = append(group, uint64(i+1))
			}
		}
		if len(group) >= 2 {
			groups = append(groups, group)
		}
	}
	return groups
}

func TestGroupsAreThoseOfAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Params{
			Bands: rapid.IntRange(1, 5).Draw(t, "bands"), Rows: rapid.IntRange(1, 4).Draw(t, "rows"),
			Threshold: rapid.SampledFrom([]float64{0, .3, .5, .8, 1}).Draw(t, "threshold"),
		}
		p.NumPerm = p.Bands*p.Rows + rapid.IntRange(0, 9).Draw(t, "unused slots")
		p.Votes = rapid.IntRange(1, p.Bands).Draw(t, "votes")
		g, err := NewGroups(p)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		if rapid.Bool().Draw(t, "in files") { // from any record on, and sorted in several parts
			g.params.MaxMemory = rapid.Uint64Range(1, 160*uint64(g.signatures.size)).Draw(t, "max memory")
			g.leastRoom, g.leastKept = rapid.Uint64Range(1, 1000).Draw(t, "least room"), 1<<20
		}
		values := rapid.IntRange(1, 6).Draw(t, "values")
		signature := rapid.SliceOfN(rapid.Uint64Range(0, uint64(values)), p.NumPerm, p.NumPerm)
		var sketches [][]uint64
		for range rapid.IntRange(0, 40).Draw(t, "records") {
			if rapid.IntRange(0, 9).Draw(t, "has a sketch") == 0 {
				sketches = append(sketches, nil)
				g.Pass()
				continue
			}
			words := sketchOf(p, signature.Draw(t, "signature"))
			sketches = append(sketches, words)
			if err := g.Add(words); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Find(context.Background()); err != nil {
			t.Fatal(err)
		}
		var got [][]uint64
		for group := range g.All() {
			got = append(got, slices.Clone(group))
		}
		want := definedGroups(p, sketches)
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("got %v, want %v", got, want)
		}
		for _, group := range got {
			a, b := group[0], group[len(group)-1]
			m := &model{p: p}
			_, agree := m.compare(sketches[a-1], sketches[b-1])
			if got, want := g.Similarity(a, b), float32(m.similarity(agree)); got != want {
				t.Fatalf("%d and %d: similarity %v, want %v", a, b, got, want)
			}
		}
	})
}

// TestSplit: every record resembles its leader, and no leader one that was wanted before it.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Params{NumPerm: 12, Bands: 3, Rows: 4, Votes: rapid.IntRange(1, 3).Draw(t, "votes"), Threshold: .6}
		g, err := NewGroups(p)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		if rapid.Bool().Draw(t, "in files") {
			g.params.MaxMemory, g.leastRoom, g.leastKept = 1, 1, 1<<20
		}
		signature := rapid.SliceOfN(rapid.Uint64Range(0, 1), p.NumPerm, p.NumPerm)
		var sketches [][]uint64
		for _, s := range rapid.SliceOfN(signature, 1, 40).Draw(t, "signatures") {
			sketches = append(sketches, sketchOf(p, s))
			if err := g.Add(sketches[len(sketches)-1]); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Find(context.Background()); err != nil {
			t.Fatal(err)
		}
		wanted := make([]uint64, len(sketches))
		for i := range wanted {
			wanted[i] = uint64(i + 1)
		}
		wanted = rapid.Permutation(wanted).Draw(t, "wanted")
		m := &model{p: p}
		alike := func(a, b uint64) bool {
			votes, agree := m.compare(sketches[a-1], sketches[b-1])
			return votes >= p.Votes && m.similarity(agree) >= p.Threshold
		}
		var want [][]uint64
	records:
		for _, record := range wanted {
			for i, group := range want {
				if alike(group[0], record) {
					want[i] = append(group, record)
					continue records
				}
			}
			want = append(want, []uint64{record})
		}
		want = slices.DeleteFunc(want, func(group []uint64) bool { return len(group) == 1 })
		got, err := g.Split(wanted)
		if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("got %v, %v, want %v", got, err, want)
		}
		for _, group := range got {
			for _, record := range group[1:] {
				if !g.Resemble(group[0], record) {
					t.Fatalf("%d does not resemble its leader %d", record, group[0])
				}
			}
		}
	})
}

// TestSplitForgetsLeaders where a group has very many of them: groups stay as they are.
func TestSplitForgetsLeaders(t *testing.T) {
	g, err := NewGroups(ordinary)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	g.read = newRecent(3)
	rng := rand.New(rand.NewPCG(2, 2))
	var wanted, want []uint64
	for i := range uint64(100) {
		words := sketchOf(ordinary, random(rng, ordinary))
		for range 2 { // the second one comes when two other leaders may have come between
			if err := g.Add(words); err != nil {
				t.Fatal(err)
			}
		}
		want = append(want, 2*i+1, 2*i+2)
		wanted = append(wanted, 2*i+1)
		if i > 1 {
			wanted = append(wanted, 2*i-2)
		}
	}
	groups, err := g.Split(append(wanted, 198, 200))
	if err != nil || len(groups) != 100 || !slices.Equal(slices.Concat(groups...), want) {
		t.Errorf("%v, %v", groups, err)
	}
	if groups, _ = g.Split([]uint64{1, 3, 5, 7, 9, 11, 13, 15, 2}); len(groups) != 0 {
		t.Errorf("the first leader is still known: %v", groups)
	}
}

// TestWhatCannotBeWrittenEndsAdding at once, and says where it was to go.
func TestWhatCannotBeWrittenEndsAdding(t *testing.T) {
	p := ordinary
	p.MaxMemory, p.SpillDir = leastGroupsMemory, filepath.Join(t.TempDir(), "missing")
	words := sketchOf(p, random(rand.New(rand.NewPCG(1, 1)), p))
	fill := func(g *Groups) (added int, err error) {
		for added = 0; added < 40_000 && err == nil; added++ {
			err = g.Add(words)
		}
		return added, err
	}
	g, err := NewGroups(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fill(g); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), p.SpillDir) {
		t.Errorf("no directory: %v", err)
	}
	p.SpillDir = t.TempDir()
	if g, err = NewGroups(p); err != nil {
		t.Fatal(err)
	}
	added, err := fill(g)
	if err != nil || !g.spilled {
		t.Fatalf("after %d records: %v", added, err)
	}
	g.signatures.file.Close()
	if added, err = fill(g); added > 1000 || !errors.Is(err, fs.ErrClosed) || !strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("after %d records more: %v", added, err)
	}
}

// TestGroupsNeedRoom for what is in memory whatever the number of files.
func TestGroupsNeedRoom(t *testing.T) {
	p := ordinary
	if p.MaxMemory = leastGroupsMemory - 1; p.MaxMemory > 0 {
		if _, err := NewGroups(p); err == nil {
			t.Error("too little memory is taken")
		}
	}
	p.MaxMemory = leastGroupsMemory
	g, err := NewGroups(p)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	const most = leastGroupsMemory / 2 / keptBytes
	if err := g.CheckRoom(most); err != nil {
		t.Error(err)
	}
	if err := g.CheckRoom(most + 1); !errors.Is(err, ErrRoom) {
		t.Errorf("a record more: %v", err)
	}
	words := sketchOf(p, random(rand.New(rand.NewPCG(1, 1)), p))
	for range most {
		if err := g.Add(words); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Add(words); !errors.Is(err, ErrRoom) {
		t.Errorf("a record more is added: %v", err)
	}
}

// TestTheBoundIsTheSameInFiles: which pairs of a key that very many have are not compared depends
// on the records alone, not on where they are kept and in how many parts they are sorted.
func TestTheBoundIsTheSameInFiles(t *testing.T) {
	rng, forgotten := rand.New(rand.NewPCG(6, 6)), uint64(0)
	for range 60 {
		most, room := 1+rng.IntN(4), 1+rng.Uint64N(300)
		sketches := make([][]uint64, rng.IntN(60))
		for i := range sketches {
			slots := make([]uint64, bounded.NumPerm)
			for j := range slots {
				slots[j] = rng.Uint64N(2)
			}
			sketches[i] = sketchOf(bounded, slots)
		}
		inMemory, n := groupsBounded(t, sketches, most, 0)
		inFiles, m := groupsBounded(t, sketches, most, room)
		if !slices.EqualFunc(inMemory, inFiles, slices.Equal) || n != m {
			t.Fatalf("in memory %v, %d, in files %v, %d", inMemory, n, inFiles, m)
		}
		forgotten += n
	}
	if forgotten < 500 {
		t.Errorf("%d pairs were left out", forgotten)
	}
}

var bounded = Params{NumPerm: 12, Bands: 3, Rows: 4, Votes: 1, Threshold: .6}

// groupsBounded are the groups of records that are compared with so many of a key, and how many
// pairs were left out; in files, and in parts, if there is a bound for the room.
func groupsBounded(t *testing.T, sketches [][]uint64, most int, room uint64) (all [][]uint64, forgotten uint64) {
	g, err := NewGroups(bounded)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	g.read = newRecent(most)
	if room > 0 {
		g.params.MaxMemory, g.leastRoom, g.leastKept = 1, room, 1<<20
	}
	for _, words := range sketches {
		if err := g.Add(words); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Find(t.Context()); err != nil {
		t.Fatal(err)
	}
	for group := range g.All() {
		all = append(all, slices.Clone(group))
	}
	if forgotten := g.Stats().Forgotten; (forgotten > 0) != (g.Cut() > 0) || g.Cut() > forgotten {
		t.Errorf("%d records were not compared with %d others", g.Cut(), forgotten)
	}
	return all, g.Stats().Forgotten
}

// TestSortPairs holds the sort to that of the library.
func TestSortPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, n := range []int{0, 1, 2, 255, 1000, 100_000} {
		for _, keys := range []uint64{1, 3, 1 << 16, 1 << 32} {
			pairs := make([]pair, n)
			for i := range pairs {
				pairs[i] = pairOf(uint32(rng.Uint64N(keys)*(1<<32/keys)), uint32(i))
			}
			want := slices.Sorted(slices.Values(pairs))
			sortPairs(pairs, make([]pair, n))
			if !slices.Equal(pairs, want) {
				t.Fatalf("%d pairs of %d keys are not in their order", n, keys)
			}
		}
	}
}

// TestFindEndsWhenItIsToldTo: in one key that all have, and between keys.
func TestFindEndsWhenItIsToldTo(t *testing.T) {
	g, err := NewGroups(ordinary)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	rng := rand.New(rand.NewPCG(9, 9))
	first := random(rng, ordinary)
	var oneKey []pair
	for i := range uint32(2000) {
		slots := slices.Concat(first[:ordinary.Rows], random(rng, ordinary)[ordinary.Rows:])
		if err := g.Add(sketchOf(ordinary, slots)); err != nil {
			t.Fatal(err)
		}
		oneKey = append(oneKey, pairOf(7, i))
	}
	errStop := errors.New("stop")
	ctx, stop := context.WithCancelCause(t.Context())
	compared := 0
	err = g.eachOf(ctx, oneKey, func(_, _ uint32, _, _ []uint64) (bool, error) {
		compared++
		stop(errStop)
		return false, nil
	})
	if err != errStop || compared > looksUp*looksUp {
		t.Errorf("after %d pairs of a key: %v", compared, err)
	}
	if err := g.Find(ctx); err != errStop {
		t.Errorf("it has begun: %v", err)
	}

	ctx, stop = context.WithCancelCause(t.Context())
	runs := 0
	var pairs []pair
	for i := range uint32(400_000) {
		pairs = append(pairs, pairOf(i/2, i))
	}
	part := sortedPart{pairs: pairs}
	err = part.eachRun(ctx, func(int, []pair) error {
		runs++
		stop(errStop)
		return nil
	})
	if err != errStop || runs > 1<<16 {
		t.Errorf("after %d keys: %v", runs, err)
	}
}

// TestChainIsOneGroup: neighbours resemble each other, the ends have nothing in common.
func TestChainIsOneGroup(t *testing.T) {
	g, err := NewGroups(ordinary)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	rng := rand.New(rand.NewPCG(1, 7))
	slots, other := random(rng, ordinary), random(rng, ordinary)
	for i := range slots {
		if err := g.Add(sketchOf(ordinary, slots)); err != nil {
			t.Fatal(err)
		}
		slots[i] = other[i]
	}
	if err := g.Find(t.Context()); err != nil {
		t.Fatal(err)
	}
	groups := 0
	for group := range g.All() {
		groups++
		if len(group) != len(slots) || g.Similarity(group[0], group[len(group)-1]) > .05 {
			t.Errorf("%d records, similarity of the ends %v", len(group), g.Similarity(group[0], group[len(group)-1]))
		}
	}
	if groups != 1 {
		t.Errorf("%d groups", groups)
	}
}

// TestDenseGroups: neither many copies nor many records that share keys and are unlike take
// quadratic time.
func TestDenseGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 7))
	for name, c := range map[string]struct {
		records, groups, largest int
		words                    func(i int) []uint64
	}{
		"copies": {300_000, 1, 300_000, func() func(int) []uint64 {
			words := sketchOf(ordinary, random(rng, ordinary))
			return func(int) []uint64 { return words }
		}()},
		"one key for all, unlike": {20_000, 0, 0, func() func(int) []uint64 {
			first := random(rng, ordinary)
			return func(int) []uint64 {
				return sketchOf(ordinary, slices.Concat(first[:ordinary.Rows], random(rng, ordinary)[ordinary.Rows:]))
			}
		}()},
		"one key for all, alike": {20_000, 1, 20_000, func() func(int) []uint64 {
			first := random(rng, ordinary)
			return func(int) []uint64 {
				return sketchOf(ordinary, slices.Concat(first[:240], random(rng, ordinary)[240:]))
			}
		}()},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := NewGroups(ordinary)
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			if testing.Short() {
				c.records, c.largest = c.records/10, c.largest/10
			}
			for i := range c.records {
				if err := g.Add(c.words(i)); err != nil {
					t.Fatal(err)
				}
			}
			if err := g.Find(t.Context()); err != nil {
				t.Fatal(err)
			}
			groups, largest := 0, 0
			for records := range g.All() {
				groups, largest = groups+1, max(largest, len(records))
			}
			if groups != c.groups || largest != c.largest {
				t.Errorf("%d groups, the largest of %d", groups, largest)
			}
			if n := g.Stats().Forgotten; n > 0 && c.groups > 0 {
				t.Errorf("%d pairs were given up, though all records are in one group", n)
			}
		})
	}
}

// TestGroupsTakeWhatIsPlanned compares a plan with the memory and the files of groups.
func TestGroupsTakeWhatIsPlanned(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and the race detector has nothing to see in one goroutine; make test runs it")
	}
	const records = (1 + 2*blocksAtOnce) * itemsPerBlock // all that is allocated
	p := ordinary
	plan, err := PlanGroups(p, records)
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGroups(p)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	r := rand.New(rand.NewPCG(2, 1))
	for range records {
		if err := g.Add(sketchOf(p, random(r, p))); err != nil {
			t.Fatal(err)
		}
	}
	columns := uint64(0)
	for _, block := range g.blocks {
		columns += wordBytes * uint64(len(block))
	}
	sorting := uint64(0)
	err = g.sorters.eachRun(t.Context(), g.toSort(g.keys[:2], nil, nil), func(int, []pair) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for i := range g.sorters {
		sorting += 2 * pairBytes * uint64(len(g.sorters[i].pairs)) // only written pages take memory
	}
	kept := g.joined.Bytes() + 8*records // the caller's
	if got := columns + sorting + kept; got > plan.Memory || got < plan.Memory*8/10 {
		t.Errorf("%d bytes are planned, and %d are used", plan.Memory, got)
	}
	if plan.Disk != columns {
		t.Errorf("files of %d bytes are planned for columns of %d", plan.Disk, columns)
	}
}

func TestPartsOf(t *testing.T) {
	for _, test := range []struct{ count, maxBytes, parts uint64 }{
		{0, 0, 1}, {2 << 20, 0, 1}, {2<<20 + 1, 0, 2}, {1 << 40, 0, mostParts}, {1 << 20, 1 << 20, 16}, {1, 16, 1},
	} {
		if got := partsOf(test.count, test.maxBytes); got != test.parts {
			t.Errorf("%d pairs with %d bytes are sorted in %d parts, not %d", test.count, test.maxBytes, got,
				test.parts)
		}
	}
}
