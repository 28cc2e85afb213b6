package signatures

// A bandMask selects the bits of a band in a packed signature.
type bandMask struct {
	word int
	mask uint64
}

// masks returns the masks of all bands.
func (p Params) masks() (masks [][]bandMask) {
	for band := range p.Bands {
		var own []bandMask
		for bit := band * p.Rows * p.slotBits(); bit < (band+1)*p.Rows*p.slotBits(); bit++ {
			if len(own) == 0 || own[len(own)-1].word != bit/64 {
				own = append(own, bandMask{word: bit / 64})
			}
			own[len(own)-1].mask |= 1 << (bit % 64)
		}
		masks = append(masks, own)
	}
	return masks
}

// votesOf returns the number of bands that two packed signatures have in common.
func votesOf(masks [][]bandMask, a, b []uint64) (votes int) {
	for _, band := range masks {
		if sameBand(band, a, b) {
			votes++
		}
	}
	return votes
}

// sameBand reports whether all slots of a band agree in the bits that are kept.
func sameBand(masks []bandMask, a, b []uint64) bool {
	unequal := uint64(0)
	for _, m := range masks {
		unequal |= (a[m.word] ^ b[m.word]) & m.mask
	}
	return unequal == 0
}
