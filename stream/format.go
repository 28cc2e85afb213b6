package stream

import "bytes"

// A Format is the form of records in an input and in an output: JSONLines, JSONArray, Text or CSV.
type Format interface {
	newCutter() cutter          // for an input
	newParser() parser          // for a worker
	newLiterals() literalFinder // nil if texts are not literals in records
	fieldNames() []string       // that problems speak of by their number
	unit() string               // what a record is called where it is not a line
	frame() frame
	// convert appends a record as a JSON object on a line of its own. It is nil if records are that
	// already.
	convert() func(dst, record []byte, t *table) []byte
}

// A frame is what stands around records in an output. What stands before all of them in the input,
// such as a header, comes after open.
type frame struct{ open, between, close string }

// A table is what the head of an input says about its records.
type table struct {
	dialect dialect
	names   []string // of the columns
	columns []int    // where the fields are
	to      []int    // where the columns of Source.Union are, if rows are written with these; else nil
}

// A cutter finds where records end, in an input that comes block by block.
type cutter interface {
	// lead returns how many bytes stand before the first record, in the first block that has whole
	// records.
	lead(block []byte) (int, *table, error)
	// resume goes on after a record; head is the beginning of the input.
	resume(head []byte) (*table, error)
	// restart says that what find sees next begins where a record has ended.
	restart()
	// find returns the index after the last record that ends in buf, or after the first one, or 0
	// if none does. What it has seen of buf before are the first bytes. After an error the input
	// cannot be followed any more.
	find(buf []byte, seen int, first bool) (end int, err error)
	// pending returns how many bytes of buf are certain to belong to a record that has not ended in
	// it.
	pending(buf []byte) int
	// end returns what the last record lacks, when the input has ended after rest.
	end(rest []byte) ([]byte, error)
	// terminator ends half a record, so that others can follow it; nil if nothing does.
	terminator() []byte
}

// A holder is a cutter of records that end where the next one begins, so that the end of a piece of
// one that is too long may belong to the next.
type holder interface {
	// undecided returns how many bytes at the end of buf may do so. If that is less than all, the
	// others are handed out, and find sees these again.
	undecided(buf []byte) int
	// lastEnd returns where the record ends whose last piece is in buf, if another record follows
	// there and not the end of the input; else 0. It is called after find, with the same buf.
	lastEnd(buf []byte) int
}

// A parser takes a batch apart. It may own scratch memory.
type parser interface {
	// enter says what the head of the input has said, which the batch is of.
	enter(t *table)
	// next returns where the next record at or after buf[at:] starts, where its body ends, and
	// where its terminator ends. If no record follows it starts at len(buf).
	next(buf []byte, at int) (start, body, end int)
	// text returns the text of a record's body, unless it has a problem. It may be part of the
	// body, and is good until release.
	text(body []byte) ([]byte, Problem)
	// omitted is what the text that was found last leaves out of what the fields lead to.
	omitted() Omissions
	// hasBegun reports whether a record that is the last one of the input, and has the problem that
	// text has just returned, is one that goes on where the input ends.
	hasBegun(body []byte, p Problem) bool
	// release lets go of scratch memory that a long record needed.
	release()
}

// headless is the part of a cutter for inputs that begin with their first record.
type headless struct{}

func (headless) lead([]byte) (int, *table, error)   { return 0, nil, nil }
func (headless) resume(head []byte) (*table, error) { return nil, nil }

// byteOrderMark is what some programs put before the first record, and so stands before another one
// where files are joined. RFC 8259 §8.1 lets a parser ignore it.
var byteOrderMark = []byte("\xef\xbb\xbf")

func withoutMark(b []byte) []byte { return bytes.TrimPrefix(b, byteOrderMark) }

// maxScratch bounds the memory that a parser keeps from one record to the next: enough for the text
// of a book.
const maxScratch = 4 << 20

// keep returns scratch memory that may stay for the next record, and nil for what a long one has
// left.
func keep(scratch []byte) []byte {
	if cap(scratch) > maxScratch {
		return nil
	}
	return scratch
}
