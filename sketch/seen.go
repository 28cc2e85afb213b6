package sketch

// seenHashes holds, for each value of their low bits, the last hash seen. It is several times
// larger than the number of words repeated on a page.
type seenHashes [1024]uint64

// dropRepeats removes most repeats from hashes, in place: all but those preceded by another hash
// with the same low bits. It takes 2 ns a hash, without a branch to mispredict.
func (s *seenHashes) dropRepeats(hashes []uint64) []uint64 {
	clear(s[:])
	s[0] = 1 // a hash that cannot be in this place, since 0 can
	n := 0
	for _, x := range hashes {
		at := x % uint64(len(s))
		other := s[at] ^ x
		s[at] = x
		hashes[n] = x
		n += int((other | -other) >> 63) // 1 if other is not 0
	}
	return hashes[:n]
}
