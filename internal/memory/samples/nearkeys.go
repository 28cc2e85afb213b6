package samples

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// Variants of one text, such as notices of a licence, share nearly all hashes with a large number
// of records, so these hashes weigh little or nothing. A record many of whose hashes have several
// sources therefore gets near keys: bands of a MinHash of its whole sample, regardless of weights.
// A near copy shares some of them. Records that share any are ranked by their marks, and the first
// few are compared by everything that sketches hold.

const (
	// A record has near keys if one in crowdedShare of the hashes in its sample has crowdedSources
	// or more sources.
	crowdedSources = 8
	crowdedShare   = 4

	nearKeys = 8
	nearRows = 5

	// keyedHashes is the number of hashes that near keys are made of: the smallest, which texts
	// have in their samples whatever their levels are.
	keyedHashes = fracminhash.Least

	// listedOfNearKey is the maximum number of entries that a near key lists: half are the first,
	// half the latest.
	listedOfNearKey = 24

	// comparedByKeys is the number of entries that are compared by finer samples. Estimates err, so
	// with more of them more records would be taken for near copies of one that is not quite as
	// similar.
	comparedByKeys = 6

	// mostDiffering is the maximum share of a sample's hashes by which marks of near copies differ.
	mostDiffering = .3

	// slack is how far below that of a near copy an estimated similarity may be, in standard
	// deviations.
	slack = .5
)

// isCrowded reports whether a record has near keys, given how many of the hashes in its sample have
// crowdedSources or more sources. Without anything besides samples, nothing could confirm what near
// keys find.
func (p *Params) isCrowded(crowded, of int) bool {
	return p.Beside != fracminhash.Nothing && crowdedShare*crowded >= of
}

// parityOf returns the parities of the hashes of a sample in 64 classes. Those of two samples at
// one level differ in no more classes than the samples do in hashes.
func parityOf(sample []uint64) (mark uint64) {
	for _, h := range sample {
		mark ^= 1 << (uint32(h) >> 26)
	}
	return mark
}

// appendNearKeys appends the near keys of a sample, in ascending order without repeats.
func appendNearKeys(dst []uint32, sample []uint64) []uint32 {
	sample = sample[:min(len(sample), keyedHashes)]
	first := len(dst)
	for i := range uint64(nearKeys) {
		key := i
		for row := range uint64(nearRows) {
			factor := (i*nearRows+row+1)*0x9e3779b97f4a7c15 | 1
			least := uint64(math.MaxUint64)
			for _, h := range sample {
				n := uint64(uint32(h)) * factor
				least = min(least, (n^n>>32)*factor)
			}
			key = (key ^ least ^ least>>32) * 0xbf58476d1ce4e5b9
		}
		dst = append(dst, uint32(key>>32))
	}
	slices.Sort(dst[first:])
	return dst[:first+len(slices.Compact(dst[first:]))]
}

// findByKeys appends to x.alike the near copies of the current record that near keys find: all of
// those that are compared, or one.
func (x *Index) findByKeys(all bool) error {
	if !x.params.isCrowded(x.crowded, len(x.sample)) {
		return nil
	}
	own := finerPartOf(x.uppers[:0], x.own, x.common)
	x.uppers = own.uppers
	ranked := x.ranked(own)
	most := comparedByKeys
	if x.params.hasSets() {
		most = mostCompared
	}
	for _, s := range ranked[:min(len(ranked), most)] {
		if slices.ContainsFunc(x.alike, func(f found) bool { return f.entry == s.entry }) {
			continue
		}
		f, isOne, err := x.compareAll(s.entry, own)
		if err != nil {
			return err
		}
		if !isOne {
			continue
		}
		if x.alike = append(x.alike, f); !all {
			break
		}
	}
	return nil
}

// ranked returns the entries that share near keys and may be near copies, those with the most
// similar samples first. The weight of each is how much its sample differs.
func (x *Index) ranked(own finerPart) (list []shared) {
	x.byKeys.sharing.reset()
	x.byKeys.keys = appendNearKeys(x.byKeys.keys[:0], x.sample)
	for _, key := range x.byKeys.keys {
		words := x.wordsOf(ofSketches, key, x.tables[ofSketches].Of(key))
		if more := len(words) - listedOfNearKey; more > 0 { // in several sealed parts
			words = slices.Delete(words, listedOfNearKey/2, listedOfNearKey/2+more)
		}
		for _, word := range words {
			x.byKeys.sharing.add(entryOf(word), 0)
		}
	}
	mark := parityOf(x.sample)
	list = slices.DeleteFunc(x.byKeys.sharing.list, func(s shared) bool { return !x.entries.isKeyed(s.entry) })
	for i := range list {
		list[i].weight = uint32(x.differing(list[i].entry, mark, own))
	}
	most := uint32(mostDiffering * float64(len(x.sample)))
	list = slices.DeleteFunc(list, func(s shared) bool { return s.weight > most })
	slices.SortFunc(list, func(a, b shared) int {
		return cmp.Or(cmp.Compare(a.weight, b.weight), cmp.Compare(b.count, a.count), cmp.Compare(a.entry, b.entry))
	})
	return list
}

// differing returns about how many hashes are in only one of the samples of the current record,
// whose mark is given, and an entry, at the larger of their levels.
func (x *Index) differing(entry uint32, mark uint64, own finerPart) int {
	switch level := x.entries.level(entry); {
	case level > x.own.Level:
		i, _ := slices.BinarySearch(x.sample, 1<<(64-level))
		mark = parityOf(x.sample[:i])
	case level < x.own.Level && x.params.hasSets():
		return 0 // it is compared
	case level < x.own.Level:
		earlier := x.entries.finer(entry)
		counts := earlier.compare(own.uppers[:len(x.sample)], earlier.end(x.own.Level), len(x.sample))
		return counts.differing(len(x.sample))
	}
	return bits.OnesCount64(mark ^ x.entries.mark(entry))
}

// compareAll compares the current record with an entry by everything that their sketches hold, and
// reports whether it is a near copy.
func (x *Index) compareAll(entry uint32, own finerPart) (f found, isOne bool, err error) {
	if x.params.hasSets() {
		both, size, err := x.compareSets(entry)
		n := len(x.own.Hashes)
		similarity := float64(both) / float64(n+size-both)
		f := found{entry: entry, share: float64(both) / float64(n), near: true}
		return f, size > 0 && similarity >= x.params.leastNear(), err
	}
	share, isOne := own.resembles(x.entries.finer(entry), x.params.leastNear())
	return found{entry: entry, share: share, near: true}, isOne, nil
}

// similarity returns the Jaccard similarity that follows from two shares.
func (s shares) similarity() float64 {
	if s.in == 0 || s.of == 0 {
		return 0
	}
	return 1 / (1/s.in + 1/s.of - 1)
}

// resembles reports whether the Jaccard similarity of a record and an earlier one, which is packed
// whole, may be least or more, judging by their hashes. share is the share of the record that is in
// the earlier one.
func (l finerPart) resembles(earlier packed, least float64) (share float64, isOne bool) {
	end := earlier.end(fracminhash.FinerLevel(l.level))
	own := l.uppersBetween(earlier, 0, end)
	hashes := float64(len(own))
	least -= slack * math.Sqrt(least*(1-least)/max(1, hashes))
	counts := earlier.compare(own, end, int((1/least-1)*hashes))
	if counts.hashes == 0 {
		return 0, false
	}
	ofEarlier, ofOwn := float64(counts.positions)/float64(end), hashes/float64(end)
	s := shares{
		in: withoutChance(float64(counts.hashes)/hashes, ofEarlier),
		of: withoutChance(float64(counts.both)/float64(counts.positions), ofOwn/(1+ofOwn)),
	}
	return s.in, s.similarity() >= least
}

// withoutChance returns the share that remains without those that are equal by chance.
func withoutChance(share, byChance float64) float64 { return max(0, (share-byChance)/(1-byChance)) }
