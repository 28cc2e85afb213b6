package prefixes

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/postings"
)

const (
	// tables is the number of tables among which keys are divided. They grow one after the other.
	tables    = 2
	tableBits = 1

	// mostInTable is the maximum number of entries of a key in a table. Further ones are in lists.
	mostInTable = 4

	// mostScanned bounds the number of entries that are examined for a record.
	mostScanned = 1 << 14
)

// keyTables map keys of 31 bits to entries.
type keyTables struct {
	tables [tables]*postings.Compact
	long   [tables]lists // the entries that do not fit into tables
	listed []uint32      // scratch
}

func newKeyTables() (t keyTables, err error) {
	for i := range t.tables {
		if t.tables[i], err = postings.NewCompact(shape, i, tables, 0); err != nil {
			return t, errors.Join(err, t.release())
		}
	}
	return t, nil
}

// place returns the table of a key, and the key within that table.
func (t *keyTables) place(k key) (table int, short uint32) {
	return int(k >> (64 - tableBits)), uint32(k << tableBits >> (64 - postings.KeyBits))
}

// touch reads where the search for each key begins.
func (t *keyTables) touch(keys []key) (touched uint64) {
	for _, k := range keys {
		i, short := t.place(k)
		touched |= t.tables[i].Touch(short)
	}
	return touched
}

// append appends the entries of a key: the first few, which are in the table, and those of the
// others that l admits. It returns how many it has examined, and whether the list may have been
// cut.
func (t *keyTables) append(dst []uint32, k key, l limits) (found []uint32, looked int, isCut bool) {
	i, short := t.place(k)
	found = t.tables[i].Append(dst, short)
	if looked = len(found) - len(dst); looked < mostInTable {
		return found, looked, false
	}
	found, longer := t.long[i].append(found, short, l)
	return found, looked + longer, longer == mostLong
}

// insert adds an entry to the list of a key. It returns the length of the list, and whether another
// entry was dropped from it.
func (t *keyTables) insert(k key, entry uint32) (length int, cut bool, err error) {
	i, short := t.place(k)
	t.listed = t.tables[i].Append(t.listed[:0], short)
	if length = len(t.listed); length >= mostInTable {
		longer, cut := t.long[i].insert(short, entry, k.tag())
		return length + longer, cut, nil
	}
	_, cut, err = t.tables[i].Insert(short, entry, 2*mostInTable)
	return length + 1, cut, err
}

// take returns the list of a key, and removes its long part, so that only a few entries remain.
func (t *keyTables) take(k key) []uint32 {
	i, short := t.place(k)
	list := t.tables[i].Append(nil, short)
	list, _ = t.long[i].append(list, short, anyLimits)
	t.long[i].clear(short)
	return list
}

func (t *keyTables) bytes() (bytes uint64) {
	for i, table := range t.tables {
		bytes += table.Bytes() + t.long[i].bytes()
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
