package parquet

import (
	"cmp"
	"fmt"
	"io"
)

// maxRowLevels bounds a row, since a few bytes can encode any number of equal elements.
const maxRowLevels = 1 << 26

// A columnReader reads the rows of one column of a row group.
type columnReader struct {
	*column
	pages  pageReader
	unread uint64 // levels of pages still to come
	dict   *dictionary
	old    *dictionary // of an earlier row group, for its memory
	// bytes of the budget that dictionaries use
	indexed int64

	values decoder
	levelReader
}

// A levelReader reads the levels of the current page.
type levelReader struct {
	levels     int
	left       int // levels not yet read
	reps, defs levels
	rep        uint32 // the next repetition level, if peeked
	peeked     bool
}

func (c *columnReader) open(f *File, from io.ReaderAt, column *column, k chunk) {
	old := cmp.Or(c.dict, c.old)
	if !k.dictionary {
		old = nil
		f.budget.held -= c.indexed
		c.indexed = 0
	}
	*c = columnReader{column: column, unread: k.levels, old: old, indexed: c.indexed, pages: pageReader{
		file: from, at: k.start, end: k.end, codec: k.codec, unpack: f.unpack, budget: f.budget, held: c.pages.held,
		head: c.pages.head, packed: c.pages.packed, page: c.pages.page,
	}}
}

// more makes sure that the current page has levels left. It returns false at the end of the chunk.
func (c *columnReader) more() (bool, error) {
	for c.left == 0 {
		if c.unread == 0 {
			return false, nil
		}
		if err := c.nextPage(); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (c *columnReader) nextPage() error {
	place := c.pages.at
	h, page, err := c.pages.next()
	if err != nil {
		return err
	}
	switch h.kind {
	case dictionaryPage:
		if h.encoding != plainEncoding && h.encoding != plainDictionary {
			return fmt.Errorf("the dictionary at byte %d: encoding %d is not known", place, h.encoding)
		}
		if err := c.copyDictionary(page, int(h.values)); err != nil {
			return fmt.Errorf("the dictionary at byte %d: %w", place, err)
		}
	case dataPage, dataPageV2:
		if uint64(h.values) > c.unread {
			return fmt.Errorf("the page at byte %d has %d values, but only %d are left in its column", place, h.values,
				c.unread)
		}
		c.unread -= uint64(h.values)
		c.levels, c.left = int(h.values), int(h.values)
		if c.left == 0 {
			return nil
		}
		if err := c.parsePage(&h, page); err != nil {
			return fmt.Errorf("the page at byte %d: %w", place, err)
		}
	} // other kinds hold no values: readers skip kinds they do not know
	return nil
}

// copyDictionary copies a dictionary, which outlives the memory of its page, into the memory of
// the previous one.
func (c *columnReader) copyDictionary(page []byte, values int) (err error) {
	old := cmp.Or(c.dict, c.old)
	c.dict, c.old = nil, nil
	if old == nil || cap(old.data) > max(4*pageBytes, 4*len(page)) {
		old = new(dictionary)
	}
	ends := max(min(values, len(page)), cap(old.ends))
	if err := c.pages.budget.change(&c.indexed, int64(max(len(page), cap(old.data)))+8*int64(ends)); err != nil {
		return err
	}
	c.dict, err = newDictionary(c.column, append(old.data[:0], page...), values, old.ends)
	return err
}

// parsePage parses a data page.
func (c *columnReader) parsePage(h *pageHeader, page []byte) (err error) {
	if h.kind == dataPage {
		if c.reps, page, err = levelsV1(page, h.repLevels, c.maxRep, c.left); err != nil {
			return err
		}
		if c.defs, page, err = levelsV1(page, h.defLevels, c.maxDef, c.left); err != nil {
			return err
		}
	} else {
		c.reps = levelsV2(c.pages.levels[:h.repBytes], c.maxRep)
		c.defs = levelsV2(c.pages.levels[h.repBytes:], c.maxDef)
	}
	c.values, err = newDecoder(c.column, h.encoding, page, c.dict)
	return err
}

// appendRow appends the next row to v. v may not exceed most bytes unless the row is a single
// value.
func (c *columnReader) appendRow(v *vector, most int64) error {
	m := v.start(len(v.rows))
	begun, size := m.levels, v.size()
	for first := true; ; first = false {
		more, err := c.more()
		if err != nil {
			return err
		}
		if !more && first {
			return fmt.Errorf("it has fewer rows than its row group")
		}
		if !more {
			break
		}
		if c.maxRep > 0 {
			rep, err := c.peek()
			if err != nil {
				return err
			}
			if rep == 0 && !first {
				break
			}
			if rep > uint32(c.maxRep) || rep != 0 && first {
				return fmt.Errorf("a row begins with repetition level %d", rep)
			}
			v.reps = append(v.reps, uint8(rep))
			c.peeked = false
		}
		c.left--
		if m.levels++; m.levels-begun > maxRowLevels {
			return fmt.Errorf("a row has more than %d elements", maxRowLevels)
		}
		if v.size()-size > most {
			return nil // which is an error of the row
		}
		isThere, err := c.appendValue(v)
		if err != nil {
			return err
		}
		if isThere {
			m.values++
		}
		if c.maxRep == 0 {
			break
		}
	}
	v.rows = append(v.rows, m)
	if c.left == 0 && c.pages.isLarge(c.levels) {
		c.reps, c.defs, c.values = nil, nil, nil
		return c.pages.leave()
	}
	return nil
}

// peek returns the next repetition level without consuming it.
func (c *columnReader) peek() (uint32, error) {
	var err error
	if !c.peeked {
		c.rep, err = c.reps()
		c.peeked = err == nil
	}
	return c.rep, err
}

// appendValue appends the next definition level, and its value if there is one.
func (c *columnReader) appendValue(v *vector) (isThere bool, err error) {
	if c.maxDef > 0 {
		def, err := c.defs()
		if err != nil {
			return false, err
		}
		if def > uint32(c.maxDef) {
			return false, fmt.Errorf("definition level %d is more than %d", def, c.maxDef)
		}
		v.defs = append(v.defs, uint8(def))
		if def < uint32(c.maxDef) {
			return false, nil
		}
	}
	return true, c.values.next(v)
}

// end returns an error if the column has more rows.
func (c *columnReader) end() error {
	more, err := c.more()
	if err != nil {
		return err
	}
	if more {
		return fmt.Errorf("it has more rows than its row group")
	}
	return nil
}
