package fracminhash

import "slices"

// Confine changes the hashes of the sketch in words, which Append has made, so that they are equal
// to those of sketches with the same mask, and to no others. What sketches with the same mask have
// in common does not change. Upper halves of hashes stay as they are, also in a finer sample: they
// decide about samples, and are only compared where hashes are equal.
func Confine(words []uint64, mask uint32) {
	hashes := Read(words).Hashes
	for i := range hashes {
		hashes[i] ^= uint64(mask)
	}
	slices.Sort(hashes)
}
