package stream

import (
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// An UnreadableError ends a run whose first records all cannot be read, most likely because the
// format or the field is wrong. Nothing was written.
type UnreadableError struct {
	Records uint64  // that were looked at
	First   Place   // of them
	Problem Problem // of that one
	Head    []byte  // the first bytes of the input, where it is a stream of bytes
}

func (e *UnreadableError) Error() string {
	if e.Records == 1 {
		return "the only record could not be read: " + e.First.String()
	}
	return fmt.Sprintf("none of the first %d records could be read, the first: %s", e.Records, e.First)
}

// maxHeld limits how much output is held back until a record can be read. The run also ends after
// that many bytes of unreadable records.
const maxHeld = 16 << 20

// A gate holds back output until a record can be read.
type gate struct {
	limit  uint64 // unreadable records that are enough to end the run; 0 if none are
	closed bool
	met    uint64
	bytes  int // of these
	first  Place
	why    Problem
}

func newGate(limit int, resumed bool) *gate {
	return &gate{limit: uint64(max(0, limit)), closed: limit > 0 && !resumed}
}

// pass is called for each record while the gate is closed, with its length and problem. It returns
// an error after too many unreadable records.
func (g *gate) pass(p Problem, length int, place func() Place, head []byte) error {
	if p.Kind() == record.KindBlankLine {
		return nil
	}
	if !p.IsFormatProblem() {
		g.closed = false
		return nil
	}
	if g.met++; g.met == 1 {
		g.first, g.why = place(), p
	}
	return g.goOn(length, head)
}

// goOn is called for each further piece of an unreadable record.
func (g *gate) goOn(length int, head []byte) error {
	if !g.closed || g.met == 0 {
		return nil
	}
	if g.bytes += length; g.met < g.limit && g.bytes < maxHeld {
		return nil
	}
	return g.refuse(head)
}

// end is called after the last record.
func (g *gate) end(head []byte) error {
	if !g.closed || g.met == 0 {
		g.closed = false
		return nil
	}
	return g.refuse(head)
}

func (g *gate) refuse(head []byte) error {
	return &UnreadableError{Records: g.met, First: g.first, Problem: g.why, Head: append([]byte(nil), head...)}
}

// A gated writer buffers output while the gate is closed.
type gated struct {
	w    io.Writer
	gate *gate
	held [][]byte // blocks, since one slice that grows would take three times its length
	size int      // of all of them
}

func (g *gated) Write(p []byte) (int, error) {
	if g.gate.closed && g.size+len(p) <= maxHeld {
		g.buffer(p)
		return len(p), nil
	}
	g.gate.closed = false
	if err := g.drain(); err != nil {
		return 0, err
	}
	return g.w.Write(p)
}

func (g *gated) buffer(p []byte) {
	last := len(g.held) - 1
	if last < 0 || len(g.held[last])+len(p) > cap(g.held[last]) {
		g.held = append(g.held, make([]byte, 0, max(len(p), blockSize)))
		last++
	}
	g.held[last] = append(g.held[last], p...)
	g.size += len(p)
}

// drain writes the buffered output once the gate is open.
func (g *gated) drain() error {
	if g.gate.closed {
		return nil
	}
	held := g.held
	g.held, g.size = nil, 0
	for _, block := range held {
		if _, err := g.w.Write(block); err != nil {
			return err
		}
	}
	return nil
}
