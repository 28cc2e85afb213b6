package prefixes

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// hashOf returns the hash of an element.
func hashOf(n int) uint64 { return mixed(uint64(n) + 1) }

// alikeOf returns a hash of which only the bits that sets do not keep tell three elements apart.
func alikeOf(n int) uint64 {
	const dropped = 64 - hashBits
	return hashOf(n/3)>>dropped<<dropped | uint64(n)
}

// kept returns what sets keep of hashes.
func kept(hashes []uint64) (kept []uint64) {
	for _, h := range hashes {
		kept = append(kept, h>>(64-hashBits))
	}
	return kept
}

// hashesOf returns the set of some elements.
func hashesOf(elements []int) (set []uint64) {
	for _, n := range elements {
		set = append(set, hashOf(n))
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// bandsOf returns band keys that long similar sets have in common.
func bandsOf(p Params, set []uint64) (keys []uint32) {
	for i := range p.Bands {
		least := ^uint64(0)
		for _, h := range set {
			least = min(least, mixed(h+uint64(i)))
		}
		keys = append(keys, uint32(least))
	}
	return keys
}

func sketchOf(p Params, set []uint64) []uint64 { return p.AppendSketch(nil, set, bandsOf(p, set)) }

// A source draws sets: of words by their frequency, or versions of an earlier set.
type source struct {
	rng   *rand.Rand
	words int
	sets  [][]int
	hash  func(element int) uint64 // hashOf if it is nil
}

func (s *source) word() int {
	return int(float64(s.words)*s.rng.Float64()*s.rng.Float64()*s.rng.Float64()) + 1
}

func (s *source) next(size int) []uint64 {
	var set []int
	if len(s.sets) > 0 && s.rng.IntN(3) == 0 {
		set = slices.Clone(s.sets[s.rng.IntN(len(s.sets))])
		for range s.rng.IntN(1 + len(set)/4) {
			switch i := s.rng.IntN(len(set)); s.rng.IntN(3) {
			case 0:
				set[i] = s.word()
			case 1:
				set = append(set, s.word())
			case 2:
				if len(set) > 1 {
					set = slices.Delete(set, i, i+1)
				}
			}
		}
	} else {
		for range 1 + s.rng.IntN(size) {
			set = append(set, s.word())
		}
	}
	s.sets = append(s.sets, set)
	if s.hash == nil {
		return hashesOf(set)
	}
	var hashes []uint64
	for _, n := range set {
		hashes = append(hashes, s.hash(n))
	}
	slices.Sort(hashes)
	return slices.Compact(hashes)
}

// TestFindsAll compares an index with all earlier sets: it misses none that is similar, and names
// the most similar one, the first of several. Sets are short, so that no band finds them; there are
// so many that tables are made anew, for few words and for many.
func TestFindsAll(t *testing.T) {
	for _, threshold := range []float64{.6, .7, .85, 1} {
		for _, words := range []int{60, 1000, 20_000} {
			s := source{rng: rand.New(rand.NewPCG(uint64(words), uint64(100*threshold))), words: words}
			compareWithAll(t, Params{Threshold: threshold, Bands: 3}, &s, 3000)
		}
	}
}

// TestFindsAllAlike: none is missed if the hashes of different elements agree in the bits that sets
// keep, so that a set has such an element several times.
func TestFindsAllAlike(t *testing.T) {
	for _, threshold := range []float64{.6, .7, 1} {
		for _, words := range []int{60, 1000} {
			s := source{rng: rand.New(rand.NewPCG(uint64(words), 5)), words: words, hash: alikeOf}
			compareWithAll(t, Params{Threshold: threshold, Bands: 3}, &s, 2000)
		}
	}
}

// TestFindsAllByPairs: none is missed if elements stop being rare one by one, and are counted anew.
func TestFindsAllByPairs(t *testing.T) {
	defer func(r rarity, at [2]int) { usualRarity, renewals = r, at }(usualRarity, renewals)
	for i, at := range [][2]int{{1 << 30, 1 << 30}, {50, 700}} {
		usualRarity, renewals = rarity{counted: 10, listed: 12 + 20*i}, at
		for _, words := range []int{60, 1000, 5000} {
			s := source{rng: rand.New(rand.NewPCG(uint64(words), 3)), words: words}
			compareWithAll(t, Params{Threshold: .7, Bands: 3}, &s, 2000)
		}
	}
}

// TestTags compares tags with the sizes that two sets may have, and what reaches them all at once
// with one after the other.
func TestTags(t *testing.T) {
	p := Params{Threshold: .7, Bands: 1}
	rapid.Check(t, func(t *rapid.T) {
		var tags []tag
		var entries []uint32
		for i := range rapid.IntRange(0, 70).Draw(t, "entries") {
			size := rapid.IntRange(1, mostShort).Draw(t, "size")
			place := rapid.IntRange(0, p.prefix(size)-1).Draw(t, "place")
			tags = append(tags, tagOf(size, p.reach(size, place)))
			entries = append(entries, uint32(i))
		}
		n := rapid.IntRange(1, mostShort).Draw(t, "n")
		reach := p.reach(n, rapid.IntRange(0, p.prefix(n)-1).Draw(t, "i"))
		var want []uint32
		l := tagOf(n, reach).limits()
		for i, other := range tags {
			size, itsReach := mostSize-int(other>>8), int(other&mostSize)
			if size <= reach && n <= itsReach {
				want = append(want, entries[i])
			}
			if (l.admit(other) == 1) != (size <= reach && n <= itsReach) {
				t.Fatalf("%d elements, up to %d: admits %d elements, up to %d: %d", n, reach, size, itsReach,
					l.admit(other))
			}
			if anyLimits.admit(other) != 1 || anyTag.limits() != anyLimits {
				t.Fatal("what may be similar to all is not")
			}
		}
		if got := l.appendAdmitted(nil, entries, tags); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// TestReach compares the reach of sets with what they can have in common at most.
func TestReach(t *testing.T) {
	for _, threshold := range []float64{.6, .7, .85, .99, 1} {
		p := Params{Threshold: threshold, Bands: 1}
		for n := 1; n <= mostShort; n++ {
			for place := range p.prefix(n) {
				reach := p.reach(n, place)
				for m := n - place; m <= mostSize; m++ {
					common := min(n-place, m)
					similar := float64(common)/float64(n+m-common) >= threshold
					if similar && m > reach || !similar && m == reach && m > n-place {
						t.Fatalf("T = %v: %d elements after %d of %d: up to %d, not %d", threshold, common, place, n,
							reach, m)
					}
				}
			}
		}
	}
}

func compareWithAll(t *testing.T, p Params, s *source, records int) {
	x := newIndex(t, p)
	defer x.Close()
	var sets [][]uint64
	found := 0
	for record := range records {
		set := s.next(MostUnbanded * 3 / 4)
		want, own := memory.Match{}, kept(set)
		for i, other := range sets {
			j := sketch.JaccardOfSets(own, other)
			if j >= p.Threshold && float32(j) > want.Similarity {
				want = memory.Match{Record: uint64(i) + 1, Similarity: float32(j)}
			}
		}
		sets = append(sets, own)
		match := make([]memory.Match, 1)
		if _, err := x.Observe(sketchOf(p, set), match); err != nil {
			t.Fatal(err)
		}
		if (match[0].Record != 0) != (want.Record != 0) {
			t.Fatalf("T = %v, %d words: record %d resembles %+v, want %+v", p.Threshold, s.words, record+1, match[0],
				want)
		}
		if want.Record != 0 {
			found++
			if match[0].Similarity > want.Similarity {
				t.Fatalf("record %d resembles %+v, want %+v", record+1, match[0], want)
			}
		}
	}
	if found < records/20 {
		t.Errorf("T = %v, %d words: only %d records resemble others", p.Threshold, s.words, found)
	}
	if cut := x.Stats().Cut; cut > 0 {
		t.Errorf("%d records were judged by lists that were cut", cut)
	}
}

func newIndex(t *testing.T, p Params) *Index {
	x, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestLongSets: sets of any length are found by others, whether they have a prefix, band keys or
// both.
func TestLongSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	p := Params{Threshold: .7, Bands: 24}
	x := newIndex(t, p)
	defer x.Close()
	missed := 0
	for n := 1; n < 400; n += 1 + n/20 {
		var set []int
		for range n {
			set = append(set, rng.IntN(1<<40))
		}
		for i, of := range [][]int{set, set[:n-n/10], set[n/12:]} {
			match := make([]memory.Match, 1)
			if _, err := x.Observe(sketchOf(p, hashesOf(of)), match); err != nil {
				t.Fatal(err)
			}
			switch {
			case i == 0 && match[0].Record != 0:
				t.Errorf("a set of %d resembles %+v", n, match[0])
			case i > 0 && match[0].Record == 0:
				missed++
			}
		}
	}
	if missed > 1 {
		t.Errorf("%d sets were not found", missed)
	}
}

// TestWorkIsBounded: what is looked at for a record does not grow with the records, neither among
// texts of usual words nor in a crowd whose sets all have a large part in common.
func TestWorkIsBounded(t *testing.T) {
	p := Params{Threshold: .7, Bands: 3}
	for name, draw := range map[string]func(rng *rand.Rand) []int{
		"words": func(rng *rand.Rand) (set []int) {
			for range 30 {
				set = append(set, int(1e5*rng.Float64()*rng.Float64()*rng.Float64()*rng.Float64()))
			}
			return set
		},
		"crowd": func(rng *rand.Rand) (set []int) {
			for i := range 26 {
				set = append(set, i)
			}
			for range 6 {
				set = append(set, 1000+rng.IntN(1<<40))
			}
			return set
		},
	} {
		t.Run(name, func(t *testing.T) {
			rng, x := rand.New(rand.NewPCG(1, 3)), newIndex(t, p)
			defer x.Close()
			var found [4]int // by the quarter of the records
			const records = 16_000
			for i := range records {
				if _, err := x.Observe(sketchOf(p, hashesOf(draw(rng))), make([]memory.Match, 1)); err != nil {
					t.Fatal(err)
				}
				found[4*i/records] += len(x.found)
			}
			if found[3] > 3*found[1]+records {
				t.Errorf("%v entries were looked at", found)
			}
		})
	}
}

// TestLoaded: an index that is loaded from its log answers as the one that wrote it, and goes on as
// that does.
func TestLoaded(t *testing.T) {
	p := Params{Threshold: .7, Bands: 5}
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	x, err := memory.Load(New, p, file, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s := source{rng: rand.New(rand.NewPCG(1, 5)), words: 300}
	length := int64(0)
	for range 2 {
		for range 1500 {
			if _, err := x.Observe(sketchOf(p, s.next(80)), make([]memory.Match, 1)); err != nil {
				t.Fatal(err)
			}
		}
		if length, err = x.Flush(); err != nil {
			t.Fatal(err)
		}
		again, err := memory.Read(New, p, file, length, nil)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := again.Stats(), x.Stats(); a.Entries != b.Entries || a.Forgotten != b.Forgotten {
			t.Errorf("%+v, want %+v", a, b)
		}
		for range 300 {
			words := sketchOf(p, s.next(80))
			got, want := make([]memory.Match, 1), make([]memory.Match, 1)
			if err := again.Query(words, got); err != nil {
				t.Fatal(err)
			}
			if err := x.Query(words, want); err != nil {
				t.Fatal(err)
			}
			if got[0] != want[0] {
				t.Fatalf("%+v, want %+v", got[0], want[0])
			}
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDamaged: a damaged log is an error or other sets, and never a panic.
func TestDamaged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Params{Threshold: .7, Bands: rapid.IntRange(1, 5).Draw(t, "bands")}
		x, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		entry := rapid.SliceOf(rapid.Byte()).Draw(t, "entry")
		if len(entry) >= 16 && rapid.Bool().Draw(t, "small") {
			clear(entry[9:16])
		}
		_, rest, err := kind{x}.Decode(entry, 0)
		if err == nil && len(rest) >= len(entry) {
			t.Fatal("nothing was read")
		}
	})
}

// TestWrongSketches are refused before anything is observed.
func TestWrongSketches(t *testing.T) {
	p := Params{Threshold: .7, Bands: 3}
	x := newIndex(t, p)
	defer x.Close()
	good := sketchOf(p, hashesOf([]int{1, 2, 3}))
	huge := slices.Clone(good)
	huge[0] = 1 << 63
	for _, words := range [][]uint64{nil, good[:1], append(slices.Clone(good), 1), huge} {
		if n, err := x.Observe(words, []memory.Match{{}}); n != 0 || err == nil {
			t.Errorf("%d words: observed %d, %v", len(words), n, err)
		}
	}
}

// TestRoom: there is room for marks in memory that grows by huge pages.
func TestRoom(t *testing.T) {
	var e entries
	defer e.release()
	for i := range 1 << 19 {
		if _, err := e.add(uint64(i)+1, mark(1)<<ranges, row{}); err != nil {
			t.Fatal(err)
		}
	}
	if m := e.marks[1<<19-1]; m.size() != 1 || e.number(1<<19-1) != 1<<19 {
		t.Errorf("%+v", m)
	}
	if each := float64(e.bytes()) / (1 << 19); each > 45 {
		t.Errorf("%.1f bytes an entry", each)
	}
}

// TestGroups: groups are the connected components of similar sets.
func TestGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	p := Params{Threshold: .7, Bands: 3}
	s := source{rng: rng, words: 400}
	g, err := NewGroups(p)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	const records = 800
	sets, root := make([][]uint64, records), make([]int, records)
	for i := range sets {
		sets[i], root[i] = s.next(MostUnbanded*3/4), i
		if err := g.Add(sketchOf(p, sets[i])); err != nil {
			t.Fatal(err)
		}
		for j := range i {
			if sketch.JaccardOfSets(sets[i], sets[j]) >= p.Threshold {
				from, to := root[i], root[j]
				for k := range root[:i+1] {
					if root[k] == from {
						root[k] = to
					}
				}
			}
		}
	}
	in := map[uint64]int{}
	for group := range g.All() {
		for _, record := range group {
			if in[record] = root[record-1]; root[record-1] != root[group[0]-1] {
				t.Fatalf("records %d and %d are in one group", group[0], record)
			}
		}
	}
	if len(in) < records/10 {
		t.Errorf("%d records are in groups", len(in))
	}
	for i := range sets {
		for j := range i {
			if _, isIn := in[uint64(i)+1]; root[i] == root[j] && !isIn {
				t.Fatalf("record %d is in no group", i+1)
			}
		}
	}
	if got, want := g.Similarity(1, 2), float32(sketch.JaccardOfSets(sets[0], sets[1])); got != want {
		t.Errorf("a similarity of %v, want %v", got, want)
	}
}

// TestNear: what is near is found exactly, in order.
func TestNear(t *testing.T) {
	p := Params{Threshold: .6, Bands: 3}
	s := source{rng: rand.New(rand.NewPCG(1, 11)), words: 500}
	x := newIndex(t, p)
	defer x.Close()
	var sets [][]uint64
	for range 1000 {
		set := s.next(30)
		if _, err := x.Observe(sketchOf(p, set), make([]memory.Match, 1)); err != nil {
			t.Fatal(err)
		}
		sets = append(sets, set)
	}
	all := 0
	for _, set := range sets[900:] {
		near, err := x.AppendDuplicates(nil, sketchOf(p, set))
		if err != nil {
			t.Fatal(err)
		}
		distinct := map[string]bool{}
		for _, other := range sets {
			if sketch.JaccardOfSets(set, other) >= p.Threshold {
				distinct[string(bytesOfSet(other))] = true
			}
		}
		if all += len(near); len(near) != len(distinct) {
			t.Fatalf("%d records are similar, want %d", len(near), len(distinct))
		}
		if !slices.IsSortedFunc(near, func(a, b memory.Match) int { return int(1e6 * (b.Similarity - a.Similarity)) }) {
			t.Fatalf("%+v", near)
		}
	}
	if all < 120 {
		t.Errorf("%d records are similar", all)
	}
}

func bytesOfSet(set []uint64) (bytes []byte) {
	for _, h := range set {
		for range 8 {
			bytes, h = append(bytes, byte(h)), h>>8
		}
	}
	return bytes
}

// TestKeysThatAgree: if two elements have one list, because their keys agree in the bits by which
// tables tell them apart, and one of them stops being rare, sets of the other are still found.
func TestKeysThatAgree(t *testing.T) {
	defer func(r rarity, at [2]int) { usualRarity, renewals = r, at }(usualRarity, renewals)
	usualRarity, renewals = rarity{counted: 10, listed: 30}, [2]int{1 << 30, 1 << 30}
	p := Params{Threshold: 1, Bands: 3}
	x := newIndex(t, p)
	defer x.Close()
	a, b := keysThatAgree(x)
	observe := func(element, other uint64) uint64 {
		set := []uint64{element << (64 - hashBits), other << (64 - hashBits)}
		slices.Sort(set)
		match := make([]memory.Match, 1)
		if _, err := x.Observe(sketchOf(p, set), match); err != nil {
			t.Fatal(err)
		}
		return match[0].Record
	}
	const ofB = 20
	others := uint64(1<<hashBits - 100) // after a and b in the order
	for i := range uint64(ofB) {
		observe(b, others+i)
	}
	for i := range uint64(ofB) {
		observe(a, others+i)
	}
	if len(x.order.frequent) == 0 {
		t.Fatal("no element stopped being rare")
	}
	for i := range uint64(ofB) {
		if found := observe(b, others+i); found != i+1 {
			t.Errorf("resembles record %d, want %d", found, i+1)
		}
		if found := observe(a, others+i); found != ofB+i+1 {
			t.Errorf("resembles record %d, want %d", found, ofB+i+1)
		}
	}
}

// keysThatAgree returns two elements whose lists are one.
func keysThatAgree(x *Index) (a, b uint64) {
	type place struct {
		table int
		short uint32
	}
	seen := map[place]uint64{}
	for element := uint64(0); ; element++ {
		table, short := x.tables.place(singleKey(element, 0))
		if other, ok := seen[place{table, short}]; ok {
			return other, element
		}
		seen[place{table, short}] = element
	}
}
