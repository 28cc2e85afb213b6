package method

// Remembers reports whether a record of so many votes is remembered for good
// (bloomlsh.Index.Remembers). Where records have one key, to ask about that costs no more than to
// find out that a text is known.
func (s *Filters) Remembers(votes uint16) bool {
	return s.own != nil && s.bands > 1 && s.own.Remembers(votes)
}

// ObserveCopies counts copies of such records.
func (s *Filters) ObserveCopies(n int) error {
	err := s.own.ObserveCopies(n)
	if err == nil {
		s.count(n)
	}
	return err
}
