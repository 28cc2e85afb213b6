package prefixes

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/postings"
)

const (
	// tables is the number of tables among which keys are divided. They grow one after the other.
	tables    = 8
	tableBits = 3

	// mostInTable is the number of entries of a key that are in a table. More are in lists.
	mostInTable = 4

	// mostScanned bounds the entries that are looked at for a record.
	mostScanned = 1 << 14
)

// keyTables map keys of 33 bits to entries.
type keyTables struct {
	tables [tables]*postings.Compact
	// Entries not in tables yet: in late, under keys whose first element is late in the entry's
	// set; in early, under all other keys.
	late, early [tables]lists
	listed      []uint32 // scratch
}

func newKeyTables() (t keyTables, err error) {
	for i := range t.tables {
		if t.tables[i], err = postings.NewCompact(shape, i, tables, 0); err != nil {
			return t, errors.Join(err, t.release())
		}
	}
	return t, nil
}

// place returns the table of a key, and what the key is there.
func (t *keyTables) place(key uint64) (table int, short uint32) {
	return int(key >> (64 - tableBits)), uint32(key << tableBits >> (64 - postings.KeyBits))
}

// touch reads where the search for each key begins.
func (t *keyTables) touch(keys []uint64) (touched uint64) {
	for _, key := range keys {
		i, short := t.place(key)
		touched |= t.tables[i].Touch(short)
	}
	return touched
}

// each calls do with entries of a key: all that may be similar to a set with the key, since the
// element that it begins with is not late in both. It returns their number, and whether others have
// left the lists.
func (t *keyTables) each(key uint64, do func(entries []uint32)) (count int, isCut bool) {
	i, short := t.place(key)
	t.listed = t.tables[i].Append(t.listed[:0], short)
	if count = len(t.listed); count > 0 {
		do(t.listed)
	}
	if count < mostInTable {
		return count, false
	}
	for _, of := range [2]*lists{&t.early[i], &t.late[i]} {
		list := of.of(short)
		count, isCut = count+len(list), isCut || len(list) == mostLong
		do(list)
		if key&lateBit != 0 {
			break
		}
	}
	return count, isCut
}

// insert adds an entry to the list of a key, and reports whether another one left it.
func (t *keyTables) insert(key uint64, entry uint32) (cut bool, err error) {
	i, short := t.place(key)
	if t.listed = t.tables[i].Append(t.listed[:0], short); len(t.listed) >= mostInTable {
		of := &t.early[i]
		if key&lateBit != 0 {
			of = &t.late[i]
		}
		return of.insert(short, entry), nil
	}
	_, cut, err = t.tables[i].Insert(short, entry, 2*mostInTable)
	return cut, err
}

func (t *keyTables) bytes() (bytes uint64) {
	for i, table := range t.tables {
		bytes += table.Bytes() + t.early[i].bytes() + t.late[i].bytes()
	}
	return bytes
}

func (t *keyTables) release() (err error) {
	for _, table := range t.tables {
		err = errors.Join(err, table.Release())
	}
	*t = keyTables{}
	return err
}
