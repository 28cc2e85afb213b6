package bloomlsh

// Remembers reports whether a record to which the last call of Observe gave so many votes is
// remembered for good: any later one of the same keys, a copy, has a vote from each band and
// changes nothing, whatever comes between. So ObserveCopies can take the place of asking about it.
//
// It is never so in an index that forgets. Nor is it surely so of a record that had a vote from
// each band, and was not inserted for that, as long as the first records of a generation are in
// filters of their own: where these erred, the large ones need not.
func (x *Index) Remembers(votes uint16) bool {
	switch {
	case x.params.forgets():
		return false
	case x.groups != nil && x.groups.lossy:
		return false
	case int(votes) == x.params.Bands:
		return x.settled || x.groups != nil
	}
	return x.params.Remember == RememberAll || int(votes) < x.params.Votes
}

// ObserveCopies is Observe for n copies of records that are remembered for good, which have a vote
// from each band.
func (x *Index) ObserveCopies(n int) error {
	x.observed += uint64(n)
	x.duplicates += uint64(n)
	x.byVotes[x.params.Bands] += uint64(n)
	return nil
}

// Remembers is Index.Remembers.
func (s *Store) Remembers(votes uint16) bool { return s.index.Remembers(votes) }

// ObserveCopies is Index.ObserveCopies.
func (s *Store) ObserveCopies(n int) error {
	if err := s.ready(); err != nil {
		return err
	}
	return s.index.ObserveCopies(n)
}

// large is the number of the current generation if its records are in its large filters, else 0.
func (x *Index) large() int {
	if x.current().isSmall() {
		return 0
	}
	return x.number(len(x.generations) - 1)
}
