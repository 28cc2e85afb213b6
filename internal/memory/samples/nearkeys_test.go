package samples

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// isCrowded says that a quarter of a text's sample has eight sources or more.
func (x *plainIndex) isCrowded(t plainText) bool {
	crowded, sample := 0, t.below[t.level]
	for _, h := range sample {
		if x.seen[h] >= 8 {
			crowded++
		}
	}
	return x.params.Beside != fracminhash.Nothing && 4*crowded >= len(sample)
}

// byNearKeys are the near copies that near keys find, in the order in which they are compared,
// without those that have been found.
func (x *plainIndex) byNearKeys(t plainText, but []memory.Match) (matches []memory.Match) {
	if !x.isCrowded(t) {
		return nil
	}
	ranked := x.rankedByMarks(t)
	most := 6
	if x.params.hasSets() {
		most = 16
	}
	for _, e := range ranked[:min(most, len(ranked))] {
		if slices.ContainsFunc(but, func(m memory.Match) bool { return m.Record == e.record }) {
			continue
		}
		s := x.estimated(t, e)
		if x.params.hasSets() {
			both := float64(common(t.all, e.all))
			s.in = both / float64(len(t.all))
			s.resemble = both/float64(len(t.all)+len(e.all)-int(both)) >= x.leastNear()
		}
		if s.resemble {
			x.byKeys++
			matches = append(matches, memory.Match{Record: e.record, Similarity: float32(s.in)})
		}
	}
	return matches
}

// rankedByMarks returns the texts that share near keys, sorted by how much their samples differ.
// Each key lists its first twelve texts and its last twelve.
func (x *plainIndex) rankedByMarks(t plainText) (ranked []plainText) {
	votes, differ := map[uint64]int{}, map[uint64]int{}
	own := appendNearKeys(nil, t.below[t.level])
	lists := make([][]plainText, len(own))
	for _, e := range x.texts {
		if !e.keyed {
			continue
		}
		for _, key := range appendNearKeys(nil, e.below[e.level]) {
			if i, is := slices.BinarySearch(own, key); is {
				lists[i] = append(lists[i], e)
			}
		}
	}
	for _, list := range lists {
		if more := len(list) - 24; more > 0 {
			list = slices.Delete(list, 12, 12+more)
		}
		for _, e := range list {
			if votes[e.record]++; votes[e.record] == 1 {
				differ[e.record] = x.differing(t, e)
				ranked = append(ranked, e)
			}
		}
	}
	ranked = slices.DeleteFunc(ranked, func(e plainText) bool {
		return float64(differ[e.record]) > .3*float64(len(t.below[t.level]))
	})
	slices.SortFunc(ranked, func(a, b plainText) int {
		return cmp.Or(cmp.Compare(differ[a.record], differ[b.record]), cmp.Compare(votes[b.record], votes[a.record]),
			cmp.Compare(a.record, b.record))
	})
	return ranked
}

// differing is by how many bits the parities of two samples differ in 64 classes, or if the earlier
// one has hashes at a lower level, how many places and hashes have none of the other text.
func (x *plainIndex) differing(t, e plainText) int {
	parities := func(sample []uint64) (mark uint64) {
		for _, h := range sample {
			mark ^= 1 << (h >> 26 & 63)
		}
		return mark
	}
	if e.level < t.level {
		if x.params.hasSets() {
			return 0
		}
		sample := t.below[t.level]
		p := x.placed(sample, e, t.level)
		return p.places - p.both + len(sample) - p.hashes
	}
	return bits.OnesCount64(parities(t.below[e.level]) ^ parities(e.below[e.level]))
}

// placed is how many places below the bound of a level an earlier text has, and how many of some
// hashes fall there.
type placed struct {
	of, places, hashes, both int
	below, before            int // of the hashes, those below the bound, and those up to the last place
}

func (x *plainIndex) placed(hashes []uint64, e plainText, level int) (p placed) {
	low := max(0, e.level-2)
	uppers, all := e.below[low], 8*len(e.below[low])
	placeOf := func(h uint64) int { return int(float64(h>>32) * (float64(all) / math.Exp2(float64(32-low)))) }
	p.of = all >> max(0, level-low)
	taken, last := map[int]bool{}, -1
	for _, h := range uppers {
		if place := placeOf(h); place < p.of {
			taken[place], last = false, max(last, place)
		}
	}
	p.places = len(taken)
	for _, h := range hashes {
		place := placeOf(h)
		if place >= p.of {
			continue
		}
		p.below++
		if place <= last {
			p.before++
		}
		if has, is := taken[place]; is {
			p.hashes++
			if !has {
				taken[place] = true
				p.both++
			}
		}
	}
	return p
}

// estimate is what finer samples say about a pair.
type estimate struct {
	in       float64
	resemble bool
}

// estimated compares the samples of two texts with their finer ones: a near copy has a Jaccard
// similarity of .9 or more, less half a standard deviation.
func (x *plainIndex) estimated(t, e plainText) (s estimate) {
	low := max(0, t.level-2)
	p := x.placed(t.below[low], e, low)
	own := float64(p.below)
	least := x.leastNear()
	least -= .5 * math.Sqrt(least*(1-least)/max(1, own))
	if p.hashes == 0 || p.places-p.both+p.before-p.hashes > int((1/least-1)*own) {
		return s
	}
	without := func(share, chance float64) float64 { return max(0, (share-chance)/(1-chance)) }
	n := own / float64(p.of)
	s.in = without(float64(p.hashes)/own, float64(p.places)/float64(p.of))
	of := without(float64(p.both)/float64(p.places), n/(1+n))
	s.resemble = s.in > 0 && of > 0 && 1/(1/s.in+1/of-1) >= least
	return s
}
