package sketch

// Set makes sketches that are the set of a text's shingles: the number of distinct shingles, and
// their hashes in ascending order. For a text with more than MaxSet shingles the number is 0 and
// there are no hashes. It owns a Sketcher, so each goroutine needs its own.
type Set struct{ *Sketcher }

// Append appends the set of the text to dst. If the text is empty nothing is appended and ok is
// false.
func (s Set) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	defer s.set.reset()
	for w := s.windows(text); w.next(); {
		if s.shingles.len() > 0 {
			ok = true
			s.set.add(&s.shingles)
		}
	}
	s.release()
	if !ok {
		return dst, false
	}
	return s.set.appendTo(dst), true
}

// appendTo appends the number of distinct hashes and the hashes, or 0 if there are too many.
func (s *shingleSet) appendTo(dst []uint64) []uint64 {
	hashes := s.sorted()
	if s.tooMany || len(hashes) > MaxSet {
		hashes = nil
	}
	return append(append(dst, uint64(len(hashes))), hashes...)
}
