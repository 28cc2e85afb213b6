package lsh

import (
	"encoding/binary"
	"slices"
	"unsafe"
)

// A pair is an entry with 32 bits of a key, which are the upper ones: pairs in their order have
// equal keys beside each other, and the entries of each in their order.
type pair = uint64

func pairOf(key, entry uint32) pair { return uint64(key)<<32 | uint64(entry) }

// sortPairs sorts by the keys of pairs whose entries are in order, by four passes of a radix sort.
// It returns one of the two slices, which have the same length.
func sortPairs(pairs, scratch []pair) []pair {
	const digit = 8
	for shift := 32; shift < 64; shift += digit {
		var ends [1 << digit]int
		for _, p := range pairs {
			ends[p>>shift&(1<<digit-1)]++
		}
		at := 0
		for i, n := range ends {
			ends[i] = at
			at += n
		}
		for _, p := range pairs {
			place := &ends[p>>shift&(1<<digit-1)]
			scratch[*place] = p
			*place++
		}
		pairs, scratch = scratch, pairs
	}
	return pairs
}

// eachRun sorts the keys of a column, part by part if there is no room for all of them, and calls
// do with the entries of each key that several have. Those that skip has are left out.
func (g *Groups) eachRun(keys *column, skip []uint64, do func(entries []pair) error) error {
	parts := uint64(1)
	room := g.room()
	for room > 0 && 2*pairBytes*uint64(keys.count)/parts > room {
		parts *= 2
	}
	for part := range parts {
		pairs := make([]pair, 0, uint64(keys.count)/parts+uint64(keys.count)/parts/8+1024)
		err := keys.scan(func(first int, items []byte) {
			for i := 0; i < len(items); i += 4 {
				key, entry := binary.LittleEndian.Uint32(items[i:]), uint32(first+i/4)
				if uint64(key)*parts>>32 == part && !(skip != nil && skip[entry/64]>>(entry%64)&1 == 1) {
					pairs = append(pairs, pairOf(key, entry))
				}
			}
		})
		if err != nil {
			return err
		}
		pairs = sortPairs(pairs, make([]pair, len(pairs)))
		for from := 0; from < len(pairs); {
			to := from + 1
			for to < len(pairs) && pairs[to]>>32 == pairs[from]>>32 {
				to++
			}
			if to-from > 1 {
				if err := do(pairs[from:to]); err != nil {
					return err
				}
			}
			from = to
		}
	}
	return nil
}

const pairBytes = 8

// room is what the pairs of a part may take, in bytes; 0 if there is no bound.
func (g *Groups) room() uint64 {
	if g.params.MaxMemory == 0 {
		return 0
	}
	return max(g.leastRoom, g.params.MaxMemory/2)
}

// joinCopies joins entries of equal signatures. All but the first of them are copies, about which
// bands need not be asked.
func (g *Groups) joinCopies() error {
	g.copies = make([]uint64, (g.signatures.count+63)/64)
	return g.eachRun(&g.hashes, nil, func(entries []pair) error {
		return g.eachOf(entries, func(earlier, entry uint32, a, b []uint64) bool {
			if !slices.Equal(a, b) {
				return false
			}
			g.join(earlier, entry)
			g.copies[entry/64] |= 1 << (entry % 64)
			g.stats.Copies++
			return true
		})
	})
}

// joinBand joins the entries that have a key of the band in common and resemble each other.
func (g *Groups) joinBand(band int) error {
	return g.eachRun(&g.keys[band], g.copies, func(entries []pair) error {
		return g.eachOf(entries, func(earlier, entry uint32, a, b []uint64) bool {
			if g.resemble(band, a, b) {
				g.join(earlier, entry)
			}
			return false
		})
	})
}

func (g *Groups) resemble(band int, a, b []uint64) bool {
	if !g.params.sameBand(band, a, b) || agreement(a, b)-g.padding < g.agreeing {
		return false
	}
	votes := 0
	for i := 0; i < g.params.Bands && votes < g.params.Votes; i++ {
		votes += boolToInt(g.params.sameBand(i, a, b))
	}
	return votes >= g.params.Votes
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// mostCompared is how many earlier entries of a key an entry is compared with: a key that very many
// have, such as that of boilerplate, would take quadratic time.
const mostCompared = 1 << 10

// eachOf calls compare with the signatures of pairs of entries of a key, each entry with those
// before it, the nearest last, that are not in its group yet. If compare says so the entry is done.
func (g *Groups) eachOf(entries []pair, compare func(earlier, entry uint32, a, b []uint64) (done bool)) error {
	areOne := true // all entries so far are in one group, as mostly where very many have a key
	for i, p := range entries {
		entry := uint32(p)
		g.read.forget(i)
		if areOne && g.root(entry) == g.root(uint32(entries[max(0, i-1)])) {
			continue
		}
		first, done := max(0, i-mostCompared), false
		for j := first; j < i && !done; j++ {
			earlier := uint32(entries[j])
			if g.root(earlier) == g.root(entry) {
				continue
			}
			a, err := g.read.signature(j, &g.signatures, earlier)
			if err != nil {
				return err
			}
			b, err := g.read.signature(i, &g.signatures, entry)
			if err != nil {
				return err
			}
			done = compare(earlier, entry, a, b)
		}
		if areOne = areOne && g.root(entry) == g.root(uint32(entries[max(0, i-1)])); !areOne {
			g.stats.Forgotten += uint64(first)
		}
	}
	return nil
}

// recent are the signatures of the entries at hand: those that an entry may be compared with, and
// its own. Each is read once, and only if it is asked for.
type recent struct {
	signatures [mostCompared + 1][]uint64
	bufs       [mostCompared + 1][]uint64 // for those that are in a file
}

// forget makes place for entry i of a key.
func (r *recent) forget(i int) { r.signatures[i%len(r.signatures)] = nil }

// signature is that of entry i of a key.
func (r *recent) signature(i int, from *column, entry uint32) ([]uint64, error) {
	i %= len(r.signatures)
	if r.signatures[i] == nil {
		if from.file != nil && r.bufs[i] == nil {
			r.bufs[i] = make([]uint64, from.size/wordBytes)
		}
		item, err := from.at(int(entry), bytesOf(r.bufs[i]))
		if err != nil {
			return nil, err
		}
		r.signatures[i] = unsafe.Slice((*uint64)(unsafe.Pointer(&item[0])), len(item)/wordBytes)
	}
	return r.signatures[i], nil
}
