package tlsh

// Confine reverses the order of quarters of some buckets of the digest in words, which AppendWords
// has made: of those whose bit is set in the mask. Distances of digests with the same mask do not
// change; digests with different ones become as distant as those of unrelated texts.
func Confine(words []uint64, high, low uint64) {
	for i, half := range []uint64{low, low >> 32, high, high >> 32} {
		words[1+i] ^= 3 * spread(uint32(half))
	}
}

// spread moves each bit to twice its place.
func spread(bits uint32) uint64 {
	x := uint64(bits)
	x = (x | x<<16) & 0x0000ffff0000ffff
	x = (x | x<<8) & 0x00ff00ff00ff00ff
	x = (x | x<<4) & 0x0f0f0f0f0f0f0f0f
	x = (x | x<<2) & 0x3333333333333333
	return (x | x<<1) & 0x5555555555555555
}
