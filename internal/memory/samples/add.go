package samples

// add adds an entry for the current record, without its set. With isCopy it is a copy, with the
// same origin as original.
func (x *Index) add(record uint64, original uint32, isCopy bool) (entry uint32, err error) {
	if x.entries.count == mostEntries || record > mostRecord {
		return 0, errFull
	}
	if err := x.reserve(); err != nil {
		return 0, err
	}
	if entry, err = x.entries.add(record, x.own.Level, x.check); err != nil {
		return 0, err
	}
	origin := entry
	if isCopy {
		origin = *x.entries.originAt(original)
		*x.entries.originAt(entry) = origin
	}
	if err := x.addSketch(x.check, entry); err != nil {
		return 0, err
	}
	crowded := 0
	for _, h := range x.sample {
		has, err := x.addHash(h, entry, origin)
		if err != nil {
			return 0, err
		}
		crowded += has.crowds()
	}
	isCrowded := x.params.isCrowded(crowded, len(x.sample))
	if x.params.hasFiner() {
		x.finer = pack(x.finer.words[:0], x.own, isCrowded)
		if err := x.entries.putFiner(entry, x.finer); err != nil {
			return 0, err
		}
	}
	if isCrowded {
		return entry, x.addNearKeys(entry)
	}
	return entry, nil
}

// addNearKeys adds the near keys of the current record.
func (x *Index) addNearKeys(entry uint32) error {
	x.entries.putMark(entry, parityOf(x.sample))
	x.byKeys.keys = appendNearKeys(x.byKeys.keys[:0], x.sample)
	for _, key := range x.byKeys.keys {
		if err := x.addToList(key, entry, listedOfNearKey); err != nil {
			return err
		}
	}
	return nil
}

// addSketch maps a sketch, by its hash, to an entry. Very few sketches share a key.
func (x *hashLists) addSketch(check uint64, entry uint32) error {
	return x.addToList(uint32(check), entry, Common)
}

// addToList adds an entry to the list of a key of sketches. A full list keeps the first and the
// latest entries.
func (x *hashLists) addToList(key, entry uint32, most int) error {
	table := &x.tables[ofSketches]
	if had := len(table.Of(key)); had >= most {
		table.Replace(key, most/2, postingOf(entry, false))
		return nil
	}
	return table.Insert(key, postingOf(entry, false))
}
