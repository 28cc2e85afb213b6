package prefixes

import (
	"errors"
	"slices"
)

// renewals lists the numbers of entries at which elements are counted and the tables rebuilt in the
// resulting order. Later sets would hardly change it, and rebuilding a larger index would block it
// for longer.
var renewals = [2]int{1 << 12, 1 << 16}

// renew rebuilds the tables at the next of the renewals. An index that is loaded from a log does so
// at the same entries.
func (x *Index) renew() error {
	if len(x.renewals) == 0 || x.entries.count < x.renewals[0] {
		return nil
	}
	x.renewals = x.renewals[1:]
	count := x.entries.count
	x.order = newOrder(x.rarity, count)
	for entry := range uint32(count) {
		if err := x.read(entry); err != nil {
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
		if err := errors.Join(x.insert(entry), x.pairFrequent()); err != nil {
			return err
		}
	}
	return nil
}

// pairFrequent replaces the keys of all elements that are no longer rare by keys of pairs.
func (x *Index) pairFrequent() error {
	for len(x.frequent) > 0 {
		k := x.frequent[len(x.frequent)-1]
		x.frequent = x.frequent[:len(x.frequent)-1]
		x.order.frequent[k] = struct{}{}
		for _, entry := range x.tables.take(k) {
			if err := x.insertPairs(k, entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// insertPairs adds an entry to the lists of the pairs that begin with an element, given the key of
// the element alone. Lists of pairs may have any length. If the entry has this key because of
// another element with the same bits in tables, it is put back.
func (x *Index) insertPairs(k key, entry uint32) error {
	if err := x.read(entry); err != nil {
		return err
	}
	c := &x.own
	c.keys, c.singles = append(c.keys[:0], k|key(anyTag)), 0
	if 0 < c.size && c.size <= mostShort {
		prefix := x.needs.prefix(c.size)
		c.first = x.order.sorted(c.first, c.hashes, prefix+1)
		at := slices.IndexFunc(c.first[:prefix], func(e element) bool { return singleKey(e, 0) == k })
		if at >= 0 {
			c.keys = appendPairs(c.keys[:0], c.first, at, x.needs.tags[c.size])
		}
	}
	return x.insert(entry)
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

// insert adds an entry to the lists of the keys of the current record, and notes which of them are
// too long for a single element.
func (x *Index) insert(entry uint32) error {
	for i, k := range x.own.keys {
		length, cut, err := x.tables.insert(k, entry)
		if err != nil {
			return err
		}
		x.forgotten += uint64(boolToInt(cut))
		if i < x.own.singles && length > x.rarity.listed {
			x.frequent = append(x.frequent, k.withoutTag())
		}
	}
	return nil
}
