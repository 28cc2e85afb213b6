package samples

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// A plainText is a text by all of its hashes.
type plainText struct {
	record uint64
	level  int
	all    []uint64     // in order
	below  [11][]uint64 // those below the bound of each level
	family uint64       // the record of the first of those that are copies of each other
	keyed  bool         // it has near keys
}

// A plainIndex is the definition: exact sets, each text compared with all before it.
type plainIndex struct {
	params  Params
	texts   []plainText
	seen    map[uint64]int      // how many sources a hash has
	members map[uint64][]uint64 // the records of other copies with it that count
	dropped map[[2]uint64]bool  // a record and a hash of its sample by which it is not found
	without int                 // so many of these do not count
	records uint64
	near    int  // how often a near copy was found that is no other duplicate
	byKeys  int  // how often one was found by near keys
	joins   bool // all near copies are compared, also if there is another duplicate
}

func newPlain(p Params) *plainIndex {
	return &plainIndex{
		params: p, seen: map[uint64]int{}, members: map[uint64][]uint64{}, dropped: map[[2]uint64]bool{},
	}
}

// textOf sorts hashes that are all different.
func textOf(p Params, all []uint64) plainText {
	all = slices.Clone(all)
	slices.Sort(all)
	level := 0
	for 1<<(level+1) <= p.Scale && 16<<(level+1) <= len(all) {
		level++
	}
	t := plainText{level: level, all: all}
	for _, h := range all {
		for l := range min(len(t.below), bits.LeadingZeros64(h)+1) {
			t.below[l] = append(t.below[l], h)
		}
	}
	return t
}

// words is the sketch of a text, as package fracminhash defines it.
func (t plainText) words(p Params) []uint64 {
	list := t.below[t.level]
	head := uint64(t.level) << 57
	if p.Beside == fracminhash.Set {
		list = t.all
		head |= 1 << 56
	}
	uppers := t.finer(p)
	words := append([]uint64{head | uint64(len(uppers))<<28 | uint64(len(list))}, list...)
	return append(words, inPairs(uppers)...)
}

func inPairs(uppers []uint32) (words []uint64) {
	for i, upper := range uppers {
		if i%2 == 0 {
			words = append(words, 0)
		}
		words[i/2] |= uint64(upper) << (i % 2 * 32)
	}
	return words
}

// finer are the upper halves of what a finer sample has beside the sample.
func (t plainText) finer(p Params) (uppers []uint32) {
	if p.Beside == fracminhash.Finer {
		for _, h := range t.below[max(0, t.level-2)][len(t.below[t.level]):] {
			uppers = append(uppers, uint32(h>>32))
		}
	}
	return slices.Compact(uppers)
}

// confirms is the definition of what finer samples say about a pair.
func (x *plainIndex) confirms(t, earlier plainText, m plainMatch) bool {
	least := x.params.Threshold
	switch {
	case m.near:
		least = x.leastNear()
		return x.areCompatible(t, earlier, false, least) && x.areCompatible(t, earlier, true, least)
	case !m.contains: // what is common does not count, and may be missing
		common, sample := 0., t.below[t.level]
		for _, h := range sample {
			if x.seen[h] >= 64 {
				common++
			}
		}
		least *= 1 - common/float64(len(sample))
	}
	return x.areCompatible(t, earlier, m.contains, least)
}

// leastNear is how much of near copies is in each other.
func (x *plainIndex) leastNear() float64 { return max(.9, x.params.Threshold) }

// areCompatible is how many hashes of the one text are at a place where the other one has some, of
// as many places as the earlier one has by the number of its own, beside what is usual at a share.
func (x *plainIndex) areCompatible(t, earlier plainText, contains bool, share float64) bool {
	uppers, low := earlier.finer(x.params), max(0, earlier.level-2)
	packed := len(uppers)
	if earlier.keyed { // beside the sample
		packed += len(earlier.below[earlier.level])
	}
	places := float64(8 * packed) // of the hashes below the bound
	bound := math.Exp2(float64(32 - low))
	placeOf := func(upper uint32) int { return int(float64(upper) * (places / bound)) }
	from := math.Exp2(float64(32 - earlier.level))
	to := math.Floor(places * math.Exp2(float64(low-max(low, t.level-2)))) // in places
	own, ofEarlier, has := []int(nil), map[int]bool{}, map[int]bool{}
	for _, h := range t.all {
		if upper := uint32(h >> 32); float64(upper) >= from && float64(placeOf(upper)) < to {
			own = append(own, placeOf(upper))
			has[placeOf(upper)] = true
		}
	}
	for _, upper := range uppers {
		if float64(placeOf(upper)) < to {
			ofEarlier[placeOf(upper)] = true
		}
	}
	if to <= from/bound*places {
		return true
	}
	if len(uppers) == 0 || !contains && packed > 64*max(16, len(own)) {
		return true
	}
	asked, equal, chance := float64(len(own)), 0., float64(len(ofEarlier))
	if contains {
		asked, chance = float64(len(ofEarlier)), float64(len(own))
	}
	chance /= max(1, to-from/bound*places)
	if contains {
		chance /= 1 + chance
		for place := range ofEarlier {
			if has[place] {
				equal++
			}
		}
	} else {
		for _, place := range own {
			if ofEarlier[place] {
				equal++
			}
		}
	}
	return equal >= atLeast(asked, share+(1-share)*chance)
}

// atLeast is the expected number minus a standard deviation.
func atLeast(of, p float64) float64 { return of*p - math.Sqrt(of*p*(1-p)) }

func common(a, b []uint64) (n int) {
	for _, h := range a {
		if _, is := slices.BinarySearch(b, h); is {
			n++
		}
	}
	return n
}

// weight is what some hashes weigh together, in sixtieths.
func (x *plainIndex) weight(hashes []uint64) (all int) {
	for _, h := range hashes {
		all += x.weightOf(h)
	}
	return all
}

// weightOf is 60 of a hash that no text has or one, a half of that for two and three, and so on.
func (x *plainIndex) weightOf(h uint64) int {
	switch n := x.seen[h] - x.without; {
	case x.seen[h] >= 64:
		return 0
	case n < 2:
		return 60
	case n < 4:
		return 30
	case n < 8:
		return 20
	case n < 16:
		return 15
	case n < 32:
		return 12
	}
	return 10
}

// shared are the hashes of two texts that weigh anything.
func (x *plainIndex) shared(a, b []uint64) (list []uint64) {
	for _, h := range a {
		if _, is := slices.BinarySearch(b, h); is && x.weightOf(h) > 0 {
			list = append(list, h)
		}
	}
	return list
}

// plainShares are how much of each of two texts is in the other one by weight, and how much of the
// later one if each hash that weighs anything weighs the same.
type plainShares struct {
	in, of float64
	near   float64 // or 0, if it is too little for near copies
}

// sampled are the shares of two texts by their samples.
func (x *plainIndex) sampled(t, earlier plainText, least int) (s plainShares) {
	level := max(t.level, earlier.level)
	a, b := t.below[level], slices.DeleteFunc(slices.Clone(earlier.below[level]), func(h uint64) bool {
		return x.dropped[[2]uint64{earlier.record, h}]
	})
	both := x.shared(a, b)
	if len(both) < least {
		return s
	}
	weight := float64(x.weight(both))
	s.in, s.of = weight/float64(x.weight(a)), weight/float64(x.weight(b))
	uncommon := 0.
	for _, h := range a {
		if x.weightOf(h) > 0 {
			uncommon++
		}
	}
	enough := atLeast(uncommon, x.leastNear())
	if x.params.Beside == fracminhash.Nothing {
		enough = uncommon * x.leastNear()
	}
	if float64(len(both)) >= enough {
		s.near = float64(len(both)) / uncommon
	}
	return s
}

// A plainMatch says how an earlier text makes another one a duplicate.
type plainMatch struct {
	share          float64
	contains, near bool
}

func (x *plainIndex) judge(s plainShares) (m plainMatch, is bool) {
	switch {
	case s.in >= x.params.Threshold:
		return plainMatch{share: s.in}, true
	case s.near > 0 && s.of >= x.params.Threshold:
		return plainMatch{share: s.near, near: true}, true
	case x.params.Either && s.of >= x.params.Threshold:
		return plainMatch{share: s.of, contains: true}, true
	}
	return m, false
}

func (x *plainIndex) ask(t plainText) (best memory.Match, isCopy bool) {
	if record := x.copyOf(t); record > 0 {
		return memory.Match{Record: record, Similarity: 1}, true
	}
	if alike := x.decisive(t); len(alike) > 0 {
		best = alike[0]
	}
	return best, false
}

// decisive are the texts that decide about one: those that make it a duplicate by their samples, or
// else the first one by near keys.
func (x *plainIndex) decisive(t plainText) []memory.Match {
	alike := x.bySamples(t)
	if len(alike) > 0 && !x.joins {
		return alike
	}
	alike = append(alike, x.byNearKeys(t, alike)...)
	if !x.joins {
		alike = alike[:min(1, len(alike))]
	}
	slices.SortFunc(alike, byShare)
	return alike
}

func byShare(a, b memory.Match) int {
	return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Record, b.Record))
}

// copyOf is the text of the same sketch, or 0.
func (x *plainIndex) copyOf(t plainText) uint64 {
	own := t.words(x.params)
	for _, e := range x.texts {
		if len(e.all) >= len(t.below[t.level]) && slices.Equal(e.words(x.params), own) {
			return e.record
		}
	}
	return 0
}

// alike are all texts that make one a duplicate, of which that of the same sketch counts wholly.
func (x *plainIndex) alike(t plainText) []memory.Match {
	matches := x.bySamples(t)
	matches = append(matches, x.byNearKeys(t, matches)...)
	if same := x.copyOf(t); same > 0 {
		matches = slices.DeleteFunc(matches, func(m memory.Match) bool { return m.Record == same })
		matches = append(matches, memory.Match{Record: same, Similarity: 1})
	}
	slices.SortFunc(matches, byShare)
	return matches
}

// bySamples are the texts that make one a duplicate by what their samples share.
func (x *plainIndex) bySamples(t plainText) (matches []memory.Match) {
	type candidate struct {
		plainText
		plainMatch
	}
	bySample := func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.record, b.record))
	}
	var alike []candidate
	for _, e := range x.texts {
		if m, is := x.judge(x.sampled(t, e, 4)); is {
			alike = append(alike, candidate{e, m})
		}
	}
	slices.SortFunc(alike, bySample)
	if x.params.Beside == fracminhash.Finer {
		alike = slices.DeleteFunc(alike, func(c candidate) bool { return !x.confirms(t, c.plainText, c.plainMatch) })
	}
	if x.params.Beside == fracminhash.Set {
		alike = alike[:min(16, len(alike))]
		for i, c := range alike {
			both := float64(common(t.all, c.all))
			in, of := both/float64(len(t.all)), both/float64(len(c.all))
			switch {
			case c.contains:
				alike[i].share = of
			case c.near && min(in, of) < x.leastNear():
				alike[i].share = 0
			default:
				alike[i].share = in
			}
		}
		alike = slices.DeleteFunc(alike, func(c candidate) bool { return c.share < x.params.Threshold })
	}
	slices.SortFunc(alike, bySample)
	for _, c := range alike {
		if c.near {
			x.near++
		}
		matches = append(matches, memory.Match{Record: c.record, Similarity: float32(c.share), Contains: c.contains})
	}
	return matches
}

func (x *plainIndex) observe(t plainText) memory.Match {
	best, isCopy := x.ask(t)
	x.records++
	if !isCopy && !(best.Record > 0 && x.params.UnseenOnly) {
		t.record, t.family = x.records, x.familyOf(t)
		x.add(t)
	}
	return best
}

// familyOf is the family of the earlier text that has the most of one, if it makes that one a
// duplicate; else its own.
func (x *plainIndex) familyOf(t plainText) uint64 {
	for _, m := range x.decisive(t) {
		for _, e := range x.texts {
			if e.record == m.Record && !m.Contains {
				return e.family
			}
		}
	}
	return x.records
}

// add remembers a text: a source of each hash, or if a text of its family has that, a member, of
// which a hash keeps the first 32 and the last 32.
func (x *plainIndex) add(t plainText) {
	t.keyed = x.isCrowded(t)
	for _, h := range t.below[t.level] {
		has := func(e plainText) bool { return e.family == t.family && slices.Contains(e.below[e.level], h) }
		switch {
		case x.seen[h] >= 64:
		case !slices.ContainsFunc(x.texts, has):
			x.seen[h]++
		default:
			x.members[h] = append(x.members[h], t.record)
			if list := x.members[h]; len(list) > 64 {
				x.dropped[[2]uint64{list[32], h}] = true
				x.members[h] = slices.Delete(list, 32, 33)
			}
		}
	}
	x.texts = append(x.texts, t)
}

func drawParams(t *rapid.T) Params {
	return Params{
		Scale:     1 << rapid.SampledFrom([]int{0, 1, 3, 4, 7}).Draw(t, "scale"),
		Threshold: rapid.SampledFrom([]float64{.3, .5, .8, .9, 1}).Draw(t, "threshold"),
		Either:    rapid.Bool().Draw(t, "either"),
		Beside: rapid.SampledFrom([]fracminhash.Beside{fracminhash.Nothing, fracminhash.Finer, fracminhash.Set}).
			Draw(t, "beside"),
		UnseenOnly: rapid.Bool().Draw(t, "unseen only"),
	}
}

func random(rng *rand.Rand, n int) []uint64 {
	list := make([]uint64, n)
	for i := range list {
		list[i] = rng.Uint64()
	}
	return list
}

// stream is records of some templates, with parts of earlier ones, and of all of them; or of one
// text with small changes, and some others.
func stream(rng *rand.Rand, p Params, records int) (list []plainText) {
	templates := [][]uint64{random(rng, 200), random(rng, 200), random(rng, 30)}
	copies := rng.IntN(2) == 0
	for range records {
		if copies && rng.IntN(8) > 0 {
			own := random(rng, rng.IntN(12))
			if t := textOf(p, append(own, templates[0][rng.IntN(12):]...)); len(t.below[t.level]) > 0 {
				list = append(list, t)
			}
			continue
		}
		all := random(rng, rng.IntN(20)*rng.IntN(1<<rng.IntN(7))+1)
		if rng.IntN(4) > 0 {
			template := templates[rng.IntN(2)*rng.IntN(3)]
			all = append(all, template[:len(template)-rng.IntN(8)]...)
		}
		if len(list) > 0 && rng.IntN(2) == 0 {
			earlier := list[rng.IntN(len(list))].all
			if rng.IntN(4) == 0 {
				all = nil
			}
			part := 1 + rng.IntN(len(earlier))
			for _, i := range rng.Perm(len(earlier))[:part] {
				if !slices.Contains(all, earlier[i]) {
					all = append(all, earlier[i])
				}
			}
		}
		if t := textOf(p, all); len(t.below[t.level]) > 0 {
			list = append(list, t)
		}
	}
	return list
}

func mustNew(t interface{ Fatal(...any) }, p Params) *Index {
	x, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// The index answers like one that compares the sets of all texts, each with all before it.
func TestIndexIsThatOfTheDefinition(t *testing.T) {
	fixedseed.Quarter(t)
	var removed, contained, near, byKeys, commons, dropped int
	rapid.Check(t, func(rt *rapid.T) {
		p := drawParams(rt)
		x, plain := mustNew(rt, p), newPlain(p)
		defer x.Close()
		for i, text := range stream(rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1)), p, 130) {
			var got [1]memory.Match
			words := text.words(p)
			asked := got
			if err := x.Query(words, asked[:]); err != nil {
				rt.Fatal(err)
			}
			if i%4 == 0 {
				alike, err := x.AppendDuplicates(nil, words)
				if want := plain.alike(text); err != nil || !slices.Equal(alike, want) {
					rt.Fatalf("%+v: text %d resembles %+v, %v, want %+v", p, i, alike, err, want)
				}
			}
			if _, err := x.Observe(words, got[:]); err != nil {
				rt.Fatal(err)
			}
			want := plain.observe(text)
			if got[0] != want || asked[0] != want {
				rt.Fatalf("%+v: text %d: %+v, asked %+v, want %+v", p, i, got[0], asked[0], want)
			}
			if want.Record > 0 {
				removed++
			}
			if want.Contains {
				contained++
			}
		}
		for _, n := range plain.seen {
			if n >= Common {
				commons++
			}
		}
		dropped += len(plain.dropped)
		near += plain.near
		byKeys += plain.byKeys
	})
	if removed == 0 || contained == 0 || near == 0 || byKeys == 0 || commons == 0 || dropped == 0 {
		t.Errorf("%d removed, %d that have an earlier one, %d near copies, %d by near keys, %d common hashes, "+
			"%d members dropped: nothing is tested", removed, contained, near, byKeys, commons, dropped)
	}
}

// Records of one template, which is less than the threshold of each, cost a bounded list each,
// however many there are, and the lists of its hashes stop growing.
func TestTemplateOfVeryManyRecordsIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and the race detector has nothing to see in one goroutine; make test runs it")
	}
	const shared, own = 30, 14
	c := observeCrowd(t, shared, own)
	if c.compared > 8 { // of its own hashes, by keys that are equal
		t.Errorf("a record is compared with %d others", c.compared)
	}
	if c.removed > 0 {
		t.Errorf("%d records are taken for copies by their template", c.removed)
	}
	if want := own*c.records + Common*shared; c.postings > want {
		t.Errorf("%d postings, want at most %d", c.postings, want)
	}
}

// Copies of one record, each with a change of its own, are found, however many there are. Each is
// compared with few of them.
func TestVeryManyCopiesAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and the race detector has nothing to see in one goroutine; make test runs it")
	}
	const shared, own = 40, 4
	c := observeCrowd(t, shared, own)
	if c.compared > Members+1+8 {
		t.Errorf("a record is compared with %d others", c.compared)
	}
	if want := c.records - Common; c.removed < want {
		t.Errorf("%d copies are found, want %d", c.removed, want)
	}
	if want := own*c.records + (Members+1)*shared; c.postings > want {
		t.Errorf("%d postings, want at most %d", c.postings, want)
	}
}

// A crowd is what has become of records that share hashes.
type crowd struct {
	records, postings int
	compared, removed int // the most others that one is compared with, and removals, without the first ones
}

// observeCrowd has an index observe very many records of so many hashes that all share, and of
// their own.
func observeCrowd(t *testing.T, shared, own int) (c crowd) {
	c.records = 70_000
	x := mustNew(t, Params{Scale: 16, Threshold: .8})
	defer x.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	ofAll := random(rng, shared)
	for i := range ofAll {
		ofAll[i] >>= 4 // of level 4
	}
	matches := make([]memory.Match, 1)
	words := make([]uint64, 0, 64)
	for i := range c.records {
		words = append(words[:0], 4<<57|uint64(shared+own))
		words = append(words, ofAll...)
		for range own {
			words = append(words, rng.Uint64()>>4)
		}
		slices.Sort(words[1:])
		if _, err := x.Observe(words, matches); err != nil {
			t.Fatal(err)
		}
		if i >= Common {
			c.compared = max(c.compared, len(x.tally.list))
			if matches[0].Record > 0 {
				c.removed++
			}
		}
	}
	for i := range hashTables {
		c.postings += x.tables[i].Len()
	}
	return c
}

// A record of 2 KB of English, some 340 shingles, takes at most 292 bytes.
func TestBytesOfARecord(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector changes nothing in how many bytes there are; make test counts them")
	}
	p := Params{Scale: 16, Threshold: .8, Beside: fracminhash.Finer}
	x := mustNew(t, p)
	defer x.Close()
	rng := rand.New(rand.NewPCG(3, 4))
	matches := make([]memory.Match, 1)
	worst := 0.
	const shingles, level = 340, 4
	if got := textOf(p, random(rand.New(rand.NewPCG(1, 2)), shingles)).level; got != level {
		t.Fatalf("%d shingles are sampled at level %d", shingles, got)
	}
	words, uppers := make([]uint64, 0, shingles), []uint32(nil)
	for i := range 200_000 {
		// textOf(p, random(rng, shingles)).words(p), of which all but the samples is not made
		words, uppers = append(words[:0], 0), uppers[:0]
		for range shingles {
			if h := rng.Uint64(); h < 1<<(64-level) {
				words = append(words, h)
			} else if h < 1<<(64-level+2) {
				uppers = append(uppers, uint32(h>>32))
			}
		}
		slices.Sort(uppers)
		uppers = slices.Compact(uppers)
		if words[0] = level<<57 | uint64(len(uppers))<<28 | uint64(len(words)-1); len(words) == 1 {
			continue
		}
		slices.Sort(words[1:])
		words = append(words, inPairs(uppers)...)
		if _, err := x.Observe(words, matches); err != nil {
			t.Fatal(err)
		}
		if i > 100_000 && i%1000 == 0 {
			worst = max(worst, float64(x.Stats().Bytes)/float64(i))
		}
	}
	if worst > 292 {
		t.Errorf("%.0f bytes a record", worst)
	}
	if peak := float64(p.PeakBytes(200_000)) / 200_000; peak < worst {
		t.Errorf("%.0f bytes a record, and %.0f are planned", worst, peak)
	}
}

func TestRefusedSketches(t *testing.T) {
	x := mustNew(t, Params{Scale: 16, Threshold: .8})
	defer x.Close()
	for _, words := range [][]uint64{
		{}, {0}, {2, 1}, {1, 1, 1}, {5<<57 | 1, 1}, {1<<56 | 1, 1}, {math.MaxUint64}, {math.MaxUint64, 1},
	} {
		if _, err := x.Observe(words, make([]memory.Match, 1)); err == nil {
			t.Errorf("%x is taken", words)
		}
	}
	for _, p := range []Params{{Scale: 3, Threshold: .8}, {Scale: 16}, {Scale: 16, Threshold: 1.1}} {
		if _, err := New(p); err == nil {
			t.Errorf("%+v is taken", p)
		}
		if _, err := NewGroups(p); err == nil {
			t.Errorf("%+v is taken by groups", p)
		}
	}
	if _, err := NewGroups(Params{Scale: 16, Threshold: .8, UnseenOnly: true}); err == nil {
		t.Error("groups of unseen records are taken")
	}
}
