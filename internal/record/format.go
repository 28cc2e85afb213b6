// Package record splits inputs into records and finds the texts and other values in them: JSON
// Lines and arrays, CSV and TSV, plain text, and records that something else has split already.
//
// A Format makes a Splitter for each input, which finds where records end, and a Parser for each
// worker, which finds the text of a record and, in the same pass, the values of named fields. What
// is wrong with a record is a Problem. Literals are found for editing a record in place.
package record

import (
	"bytes"
	"fmt"
)

// A Format says how records are written in an input and in an output. Its values come from
// JSONLines, JSONArray, CSV, TSV, Text, Events and Framed, and from functions that change these.
type Format interface {
	// NewSplitter returns what finds the records of one input.
	NewSplitter() Splitter
	// NewParser returns a parser for one worker. It also finds the values with these names, which
	// must have been accepted by CheckName.
	NewParser(names ...string) Parser
	// Unit is what messages call a record: empty for a line.
	Unit() string
	Frame() Frame
	// NewConverter returns a function that appends a record to dst as a JSON object on a line of
	// its own. It is nil if records are that already.
	NewConverter() func(dst, record []byte, t *Table) []byte

	newLiterals() literalFinder // nil if texts cannot be edited in place
	fieldNames() []string       // which problems refer to by number
}

// HeadSize is how much of the beginning of an input is looked at: to recognize the input, and to
// find the header of a table.
const HeadSize = 64 << 10

// A Span is a part of a buffer.
type Span struct{ Start, End int }

// A Frame is what surrounds the records of an output. A header of the input follows Open.
type Frame struct{ Open, Between, Close string }

// A Table is what the beginning of an input says about its rows.
type Table struct {
	dialect  dialect
	Names    []string // of the columns; nil if there is no header
	columns  []int    // where the fields with the text are
	others   [][]int  // for each of columns those that are read where it is empty; nil if there are none
	all      *allColumns
	optional []int // columns of a key that may be empty
	to       []int // where each column of a RowUnion is, if rows are rewritten for it; else nil
}

// Header is the names of the columns and what separates fields and rows, however the names are
// quoted: rows may stand below any header that has the same. It is empty if there are no names.
func (t *Table) Header() string {
	if t.Names == nil {
		return ""
	}
	return fmt.Sprintf("%c%c%q", t.dialect.comma, t.dialect.newline, t.Names)
}

// A Splitter finds where records end in an input that comes block by block.
type Splitter interface {
	// Head returns how many bytes precede the first record. block is the first one in which a
	// record ends. The table is nil unless records are rows.
	Head(block []byte) (int, *Table, error)
	// Resume continues after a record in the middle of an input that begins with head.
	Resume(head []byte) (*Table, error)
	// Restart says that the next call of FindEnd begins where a record has ended.
	Restart()
	// FindEnd returns the index after the last record that ends in buf, or after the first one if
	// first is set, or 0 if none ends there. An earlier call has seen the first bytes of buf, as
	// many as seen says. After an error the input cannot be split any further.
	FindEnd(buf []byte, seen int, first bool) (end int, err error)
	// Pending returns how many bytes of buf certainly belong to a record that does not end in it.
	Pending(buf []byte) int
	// Finish returns what the last record lacks when the input ends after rest.
	Finish(rest []byte) ([]byte, error)
	// Terminator returns what ends half a record so that others can follow; nil if nothing does.
	Terminator() []byte
}

// A Lookahead is a Splitter of records that end where the next one begins. The last bytes of a
// piece of an overlong record may then belong to the next record.
type Lookahead interface {
	// Undecided returns how many bytes at the end of buf may belong to the next record. If others
	// precede them these are written, and FindEnd sees the undecided ones again.
	Undecided(buf []byte) int
	// EndOfLast returns where the record ends whose last piece is in buf, if another record follows
	// before the end of the input; else 0. It is called after FindEnd with the same buf.
	EndOfLast(buf []byte) int
}

// A Parser takes the records of batches apart. It may own scratch memory.
type Parser interface {
	// SetTable announces the table whose rows come next.
	SetTable(t *Table)
	// Next returns where the next record at or after buf[at:] starts, where its body ends, and
	// where its terminator ends. If no record follows it starts at len(buf).
	Next(buf []byte, at int) (start, body, end int)
	// Text returns the text of a record's body, unless it has a problem, and finds the named values
	// in the same pass. The text may be part of the body, and is valid until Release.
	Text(body []byte) ([]byte, Problem)
	// Find finds the named values of a record whose text is not asked for.
	Find(body []byte)
	// Value returns a named value of the record that Text or Find was last called for: a JSON
	// string, number or boolean, or nothing if the record has none of them. i is the index of its
	// name in what NewParser was given. The value may be part of the record, and is valid until the
	// next call of Value.
	Value(i int, of View) []byte
	// Omissions returns what the last text leaves out of what the fields lead to.
	Omissions() Omissions
	// IsTruncated reports whether the last record of an input, for which Text has just returned p,
	// has begun and does not end.
	IsTruncated(body []byte, p Problem) bool
	// Release frees scratch memory that a long record needed.
	Release()
}

// headless is part of a Splitter of inputs that begin with their first record.
type headless struct{}

func (headless) Head([]byte) (int, *Table, error)   { return 0, nil, nil }
func (headless) Resume(head []byte) (*Table, error) { return nil, nil }

// bom is the byte order mark that some programs write before the first record. Where files were
// joined it precedes other records, too. RFC 8259 §8.1 lets a parser ignore it.
var bom = []byte("\xef\xbb\xbf")

// TrimBOM returns a record without a byte order mark at its beginning.
func TrimBOM(b []byte) []byte { return bytes.TrimPrefix(b, bom) }

// maxScratch bounds the memory that is kept from one record to the next: the text of a book.
const maxScratch = 4 << 20

// KeepScratch returns scratch memory for the next record to reuse, or nil if a long record has made
// it too large.
func KeepScratch(scratch []byte) []byte {
	if cap(scratch) > maxScratch {
		return nil
	}
	return scratch
}
