package bloomlsh

// remembering is an Index or a Store.
type remembering interface {
	Observe(keys []Key, votes []uint16) (observed int, err error)
	votesNeeded() int
}

func (x *Index) votesNeeded() int { return x.params.Votes }
func (s *Store) votesNeeded() int { return s.index.params.Votes }

// observeRecord observes one record.
func observeRecord(x remembering, keys []Key) (duplicate bool, err error) {
	var votes [1]uint16
	_, err = x.Observe(keys, votes[:])
	return err == nil && int(votes[0]) >= x.votesNeeded(), err
}

// observeRecords observes several records, and sets which are duplicates.
func observeRecords(x remembering, keys []Key, duplicates []bool) (observed int, err error) {
	votes := make([]uint16, len(duplicates))
	observed, err = x.Observe(keys, votes)
	for i := range observed {
		duplicates[i] = int(votes[i]) >= x.votesNeeded()
	}
	return observed, err
}

// hasRecord reports whether an index of one vote contains a record.
func hasRecord(x interface {
	Query(keys []Key, votes []uint16) error
}, keys []Key) bool {
	var votes [1]uint16
	return x.Query(keys, votes[:]) == nil && votes[0] > 0
}
