package filters

// Remembers reports whether a record with that many votes is remembered permanently
// (bloomlsh.Index.Remembers). If records have one key, a lookup is as cheap as recognizing a known
// text.
func (s *Memory) Remembers(votes uint16) bool {
	return s.own != nil && s.bands > 1 && s.own.Remembers(votes)
}

// ObserveCopies counts copies of such records.
func (s *Memory) ObserveCopies(n int) error {
	err := s.own.ObserveCopies(n)
	if err == nil {
		s.count(n)
	}
	return err
}
