package prefixes

// firstRenewal is the number of entries at which tables are made anew for the first time. Before,
// all elements are rare, and no list can be cut.
const firstRenewal = mostLong / 2

// renewedTimes is how many times as many entries there are when tables are made anew again. Until
// then, rare elements have as many times mostOfRare entries.
const renewedTimes = 4

// renew makes the tables anew if there are so many more entries than the last time, in the order of
// how many entries have an element now. An index that is loaded from a log does it at the same
// entries.
func (x *Index) renew() error {
	if x.entries.count < x.renewAt {
		return nil
	}
	x.renewAt *= renewedTimes
	count := x.entries.count
	sampled := min(count, max(leastSampled, count/sampledOf))
	x.order = newOrder(count, sampled)
	for i := range sampled {
		if err := x.read(uint32(uint64(i) * uint64(count) / uint64(sampled))); err != nil {
			return err
		}
		x.order.count(x.own.hashes)
	}
	if err := x.tables.release(); err != nil {
		return err
	}
	var err error
	if x.tables, err = newKeyTables(); err != nil {
		return err
	}
	x.forgotten = 0
	for entry := range uint32(count) {
		if err := x.read(entry); err != nil {
			return err
		}
		x.putKeys()
		if err := x.insert(entry); err != nil {
			return err
		}
	}
	return nil
}

// read makes an entry the current record.
func (x *Index) read(entry uint32) error {
	at := x.entries.placeOf(entry)
	words, err := x.sets.Of(at, x.params.wordsOf(at.Len()))
	if err != nil {
		return err
	}
	x.decoded = append(append(x.decoded[:0], uint64(at.Len())), words...)
	return x.own.set(x.decoded)
}

// insert adds an entry to the lists of the keys of the current record.
func (x *Index) insert(entry uint32) error {
	for _, key := range x.own.keys {
		cut, err := x.tables.insert(key, entry)
		if err != nil {
			return err
		}
		x.forgotten += uint64(boolToInt(cut))
	}
	return nil
}
