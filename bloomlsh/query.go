package bloomlsh

// queryEach is Index.Query for an index of one band. A record of one key would wait for its lines
// alone, so that those of several records are fetched together.
func (x *Index) queryEach(keys []Key, votes []uint16) {
	clear(votes)
	for i := len(x.generations) - 1; i >= 0; i-- {
		x.generations[i].filter.containsEach(keys, votes)
	}
}

func (f *paged) containsEach(keys []Key, votes []uint16) {
	for len(keys) > 0 {
		n := min(1+f.ahead, len(keys))
		f.fetch(f.addressEach(0, keys[:n]), 1)
		for i := range n {
			if votes[i] == 0 && f.hasBand(f.linesOf(i)) {
				votes[i] = 1
			}
		}
		keys, votes = keys[n:], votes[n:]
	}
}

func (f *classic) containsEach(keys []Key, votes []uint16) {
	for i, key := range keys {
		if votes[i] == 0 && f.filters[0].Test(f.encode(key)) {
			votes[i] = 1
		}
	}
}

func (f *firstRecords) containsEach(keys []Key, votes []uint16) { f.small.containsEach(keys, votes) }
