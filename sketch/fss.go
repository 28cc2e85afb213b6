package sketch

import (
	"math/bits"
	"slices"
)

// fss is Fast Similarity Sketching (Dahlgaard, Knudsen, Thorup: Fast Similarity Sketching, FOCS 2017, Algorithm 1).
// In round i < k every hash falls into one random slot, in round i ≥ k into slot i-k; a slot keeps its smallest
// value, earlier rounds being smaller, and the rounds end when no slot is untouched. Expected work is that of
// max(n, k ln k) hash evaluations instead of n·k. Slots agree with probability J, and because they are filled without
// replacement their matches are negatively correlated: estimates scatter less than with independent functions.
type fss struct {
	rounds []fssRound // 2k
}

type fssRound struct{ xor, mul uint64 }

func newFSS(k int, seed uint64) sketch {
	rng := splitMix(seed)
	f := &fss{rounds: make([]fssRound, 2*k)}
	for i := range f.rounds {
		f.rounds[i].xor = rng.next()
		f.rounds[i].mul = rng.next() | 1
	}
	return f
}

// patience is the round from which a long list of hashes is suspected to be mostly repeats ("lorem ipsum lorem ipsum …"):
// different ones, more than 2k, would have settled all slots with a probability of 1-k·exp(-16). Without the repeats the
// remaining rounds are short.
const patience = 8

func (f *fss) add(slots []uint64, s *shingles) {
	// Few hashes take many rounds, and single tokens repeat.
	if s.span == 1 && s.len() < 4*len(slots) {
		f.addHashes(slots, s.fewerHashes())
	} else {
		f.addHashes(slots, s.hashes())
	}
}

// addHashes may reorder hashes.
func (f *fss) addHashes(slots, hashes []uint64) {
	if len(hashes) == 0 {
		return
	}
	k := len(slots)
	settled := 0 // slots[:settled] hold values of rounds that are over
	for i, round := range f.rounds {
		if i == patience && len(hashes) > 2*k {
			slices.Sort(hashes)
			hashes = slices.Compact(hashes)
		}
		switch base := uint64(i) << 32; {
		case i >= k:
			slots[i-k] = min(slots[i-k], least(hashes, base, round))
		case hasAVX2 && len(hashes) >= leastAVX2:
			scatterWide(slots, hashes, base, round)
		default:
			scatter(slots, hashes, base, round)
		}
		// No later round can lower a slot whose value is of this round or an earlier one.
		for settled < k && slots[settled]>>32 <= uint64(i) {
			settled++
		}
		if settled == k {
			return
		}
	}
}

const (
	leastAVX2 = 16  // fewer hashes are not worth the beginning
	mostFew   = 256 // scatterFewAVX2 has a bit for each slot in one register
)

// scatterWide is scatter for processors that have AVX2.
func scatterWide(slots, hashes []uint64, base uint64, round fssRound) {
	var n int
	if base > 0 && 2*len(hashes) >= len(slots) && len(slots) <= mostFew { // not in round 0; few slots are not settled
		n = len(hashes) &^ 7
		scatterFewAVX2(&slots[0], &hashes[0], len(slots), n, base, round.xor, round.mul)
	} else {
		n = len(hashes) &^ 3
		scatterAVX2(&slots[0], &hashes[0], len(slots), n, base, round.xor, round.mul)
	}
	scatter(slots, hashes[n:], base, round)
}

// scatter does a round in which each hash falls into a slot of its own choice. Its loop has no branch to mispredict; in line, it would not have
// registers enough.
//
//go:noinline
func scatter(slots, hashes []uint64, base uint64, round fssRound) {
	k := uint64(len(slots))
	for _, x := range hashes {
		hi, lo := bits.Mul64(x^round.xor, round.mul)
		h := hi ^ lo
		slot := (h >> 32) * k >> 32
		slots[slot] = min(slots[slot], base|uint64(uint32(h)))
	}
}

// least does a round in which all hashes fall into one slot.
func least(hashes []uint64, base uint64, round fssRound) uint64 {
	v := untouched
	for _, x := range hashes {
		hi, lo := bits.Mul64(x^round.xor, round.mul)
		v = min(v, base|uint64(uint32(hi^lo)))
	}
	return v
}
