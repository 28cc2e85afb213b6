package boilerplate

import "github.com/mithril-stream/mithril-stream/internal/memory/overlap"

// A Found is a part of a text that is boilerplate.
type Found struct {
	Start, End int // bytes of the text, without the newline after it
	Entry      int // its number in the Table
}

// A Cutter says what to cut from texts. It owns scratch memory, so each goroutine needs its own.
type Cutter struct {
	table *Table
	parts []part
	isCut []bool // of parts
	found []Found
	cuts  []overlap.Piece
	seen  []overlap.Piece
}

// NewCutter returns a Cutter of what is in the table.
func NewCutter(table *Table) *Cutter { return &Cutter{table: table} }

// Find returns the boilerplate in a text of a site, given by the first word of its sketch. The
// result is valid until the next call.
func (c *Cutter) Find(site uint64, text []byte) []Found {
	c.parts, c.isCut, c.found = c.parts[:0], c.isCut[:0], c.found[:0]
	for p := range c.table.unit.parts(text) {
		c.parts = append(c.parts, p)
		entry := -1
		if p.hash != 0 {
			entry = c.table.find(keyOf(site, p.hash))
		}
		if entry >= 0 {
			c.found = append(c.found, Found{p.start, p.end, entry})
		}
		c.isCut = append(c.isCut, entry >= 0)
	}
	return c.found
}

// Cuts returns the ranges to cut from the text that Find has seen last, whose length is given: what
// was found, with the newlines that go with it. What has no letter and no digit goes too where both
// its neighbours do, and of the blank lines on both sides of a cut only those before it stay. The
// result is valid until the next call.
func (c *Cutter) Cuts(length int) []overlap.Piece {
	c.cutBetween()
	c.cutBlanks()
	if c.table.unit == Sentences {
		c.cuts = c.sentenceCuts(length)
		return c.cuts
	}
	c.seen = c.seen[:0]
	for i, p := range c.parts {
		if c.isCut[i] {
			c.seen = append(c.seen, overlap.Piece{Start: p.start, End: p.end})
		}
	}
	c.cuts = overlap.Cuts(c.cuts[:0], c.seen, length)
	return c.cuts
}

// cutBetween cuts lines without letters or digits that lie between two parts that are cut, or
// between such a part and the start or end of the text.
func (c *Cutter) cutBetween() {
	before, any := 0, false // where parts begin that are not counted, and whether what is before goes
	isFirst := true
	for i := 0; i <= len(c.parts); i++ {
		if i < len(c.parts) && c.parts[i].hash == 0 {
			continue
		}
		isEnd := i == len(c.parts)
		goes := isEnd || c.isCut[i]
		if (isFirst || any) && goes && !(isFirst && isEnd) {
			for j := before; j < i; j++ {
				c.isCut[j] = true
			}
		}
		before, any, isFirst = i+1, goes, false
	}
}

// cutBlanks cuts blank lines after a cut, if there are any before it or the text begins with it,
// and before one with which the text ends.
func (c *Cutter) cutBlanks() {
	for start := 0; start < len(c.parts); start++ {
		if !c.isCut[start] {
			continue
		}
		end := start
		for end < len(c.parts) && c.isCut[end] {
			end++
		}
		if start == 0 || c.parts[start-1].isBlank {
			for i := end; i < len(c.parts) && c.parts[i].isBlank; i++ {
				c.isCut[i] = true
				end = i + 1
			}
		}
		if end == len(c.parts) {
			for i := start - 1; i >= 0 && c.parts[i].isBlank; i-- {
				c.isCut[i] = true
			}
		}
		start = end
	}
}
