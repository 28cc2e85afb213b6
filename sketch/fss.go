package sketch

import (
	"math/bits"
	"slices"
)

// fss is Fast Similarity Sketching (Dahlgaard, Knudsen, Thorup: Fast Similarity Sketching, FOCS
// 2017, Algorithm 1). In round i < k every hash falls into one random slot, in round i ≥ k into
// slot i-k. A slot keeps its smallest value, where values of earlier rounds are smaller, and the
// rounds end when every slot has a value. The expected work is max(n, k ln k) hash evaluations
// instead of n·k. Slots agree with probability J, and because they are filled without replacement
// their matches are negatively correlated: estimates vary less than with independent functions.
type fss struct {
	rounds     []fssRound // 2k
	xors, muls []uint64   // the same as separate lists
}

type fssRound struct{ xor, mul uint64 }

func newFSS(k int, seed uint64) sketch {
	rng := splitMix(seed)
	f := &fss{rounds: make([]fssRound, 2*k)}
	for i := range f.rounds {
		f.rounds[i].xor = rng.next()
		f.rounds[i].mul = rng.next() | 1
		f.xors, f.muls = append(f.xors, f.rounds[i].xor), append(f.muls, f.rounds[i].mul)
	}
	return f
}

// patience is the number of rounds after which a long list of hashes is suspected to consist mostly
// of repeats ("lorem ipsum lorem ipsum …"): more than 2k distinct ones would have settled all slots
// with a probability of 1-k·exp(-16). Without the repeats the remaining rounds are short.
const patience = 8

func (f *fss) add(slots []uint64, s *shingles) {
	// Few hashes need many rounds, and single tokens repeat.
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
	if hasAVX512 && len(hashes) < leastAVX2 && k%8 == 0 {
		f.addFew(slots, hashes)
		return
	}
	done := 0
	if len(hashes) > 2*k && k > patience {
		if f.scatterRounds(slots, hashes, 0, patience) {
			return
		}
		slices.Sort(hashes)
		hashes = slices.Compact(hashes)
		done = patience
	}
	if f.scatterRounds(slots, hashes, done, k) {
		return
	}
	for i, round := range f.rounds[k:] {
		if slots[i]>>32 >= uint64(k) {
			slots[i] = min(slots[i], least(hashes, uint64(k+i)<<32, round))
		}
	}
}

// addFew is addHashes with AVX-512 for few hashes.
func (f *fss) addFew(slots, hashes []uint64) {
	const atOnce = 32
	k, n, done, settled := len(slots), len(hashes), 0, false
	if slots[0] == untouched { // then all slots are: one hash touches each of them
		if done = k; n >= leastSettle {
			done = min(k, (4*k/n+7)&^7) // by then all but one in 50 slots are settled
		}
		if n <= mostFirst {
			scatterFirstAVX512(&slots[0], &hashes[0], k, n, &f.xors[0], &f.muls[0], done)
		} else {
			scatterFewAVX512(&slots[0], &hashes[0], k, n, &f.xors[0], &f.muls[0], 0, done)
		}
	}
	if done < k && canSettle(k) {
		settled, done = f.settle(slots, hashes, done, k), k
	}
	for !settled && done < k { // rounds after the one that settles the last slot change nothing
		from := done
		done = min(from+atOnce, k)
		settled = scatterFewAVX512(&slots[0], &hashes[0], k, n, &f.xors[0], &f.muls[0], from, done)
	}
	if !settled {
		leastFewAVX512(&slots[0], &hashes[0], k, n, &f.xors[k], &f.muls[k])
	}
}

const (
	mostFirst   = 4 // hashes that scatterFirstAVX512 accepts
	leastSettle = 7 // with fewer, most rounds are done before the slots are settled
)

const leastAVX2 = 16 // with fewer hashes the setup does not pay

// scatterRounds performs the rounds from to to-1, ending early after the one that settles the last
// slot. A slot is settled in a round if its value is from that round or an earlier one, since no
// later round can lower it.
func (f *fss) scatterRounds(slots, hashes []uint64, from, to int) (settled bool) {
	k, n, done := len(slots), len(hashes), 0
	wide := hasAVX2 && n >= leastAVX2
	if wide && canSettle(k) {
		most := max(from, (5*k-1)/(4*n)+1) // by then at least seven tenths of the slots are settled
		f.scatterMany(slots, hashes, from, min(most, to))
		return most < to && f.settle(slots, hashes, most, to)
	}
	for i := from; i < to; i++ {
		if wide {
			f.scatterMany(slots, hashes, i, i+1)
		} else {
			scatter(slots, hashes, uint64(i)<<32, f.rounds[i])
		}
		for done < k && slots[done]>>32 <= uint64(i) {
			done++
		}
		if done == k {
			return true
		}
	}
	return false
}

// canSettle reports whether settle supports k slots: it keeps one bit for each slot in a register.
func canSettle(k int) bool { return k <= mostSettled || hasAVX512 && k <= 2*mostSettled }

const mostSettled = 256

func (f *fss) settle(slots, hashes []uint64, from, to int) (settled bool) {
	k, n := len(slots), len(hashes)
	if hasAVX512 {
		return settleAVX512(&slots[0], &hashes[0], k, n, &f.rounds[0], from, to)
	}
	return settleAVX2(&slots[0], &hashes[0], k, n, &f.rounds[0], from, to)
}

// scatterMany performs the rounds from to to-1.
func (f *fss) scatterMany(slots, hashes []uint64, from, to int) {
	k, n := len(slots), len(hashes)
	if hasAVX512 && from < to {
		scatterAVX512(&slots[0], &hashes[0], k, n, &f.rounds[0], from, to)
		return
	}
	for i := from; i < to; i++ {
		scatterAVX2(&slots[0], &hashes[0], k, n, uint64(i)<<32, f.rounds[i].xor, f.rounds[i].mul)
	}
}

// scatter does a round in which each hash falls into a slot of its own choice. Its loop has no
// branch to mispredict; in line, it would not have registers enough.
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

// least performs a round in which all hashes fall into one slot.
func least(hashes []uint64, base uint64, round fssRound) uint64 {
	v := untouched
	for _, x := range hashes {
		hi, lo := bits.Mul64(x^round.xor, round.mul)
		v = min(v, base|uint64(uint32(hi^lo)))
	}
	return v
}
