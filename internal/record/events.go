package record

import (
	"bytes"
	"fmt"
	"regexp"

	"github.com/mithril-stream/mithril-stream/internal/timestamp"
)

// Events is plain text whose records are events of several lines. An event begins with a line for
// which begins returns true, and contains all lines up to the next such line. Lines before the
// first one are an event too. begins receives a line without its terminator, and only the first
// MostOfLine bytes of a long one. Several goroutines call it.
func Events(begins func(line []byte) bool) Format { return events{plainText{[]byte{'\n'}}, begins} }

// MaxLineStart is how much of a line decides whether it begins an event: so an event ends soon
// after the next one has begun, however long the lines are.
const MaxLineStart = 4 << 10

// Lines that begin an event, of those that ParseBeginning has names for.
const (
	beginsByTime   = "time"
	beginsByIndent = "indent"
)

// ParseBeginning returns which lines begin an event: time is those that begin with a time, as
// LineTimes finds it; indent those that are not blank and do not begin with white space; and
// anything else is a regular expression of package regexp that a line matches.
func ParseBeginning(how string) (begins func(line []byte) bool, err error) {
	switch how {
	case beginsByTime:
		return func(line []byte) bool { return timestamp.Find(line).Kind != timestamp.None }, nil
	case beginsByIndent:
		return func(line []byte) bool { return len(line) > 0 && line[0] != ' ' && line[0] != '\t' }, nil
	}
	pattern, err := regexp.Compile(how)
	if err != nil {
		return nil, fmt.Errorf("it is neither %s nor %s, and no regular expression: %w", beginsByTime, beginsByIndent,
			err)
	}
	return pattern.Match, nil
}

type events struct {
	plainText
	begins func(line []byte) bool
}

func (f events) NewSplitter() Splitter      { return &eventSplitter{begins: f.begins} }
func (f events) NewParser(...string) Parser { return eventParser{begins: f.begins} }
func (events) Unit() string                 { return "event" }

// IsText reports whether records are text without a form of their own.
func IsText(f Format) bool {
	switch f.(type) {
	case plainText, events:
		return true
	}
	return false
}

// headOfLine is what decides about the line that begins there; ok is false if more of it has to be
// read.
func headOfLine(buf []byte) (line []byte, ok bool) {
	n := bytes.IndexByte(buf[:min(len(buf), MaxLineStart)], '\n')
	switch {
	case n >= 0:
		return bytes.TrimSuffix(TrimBOM(buf[:n]), []byte{'\r'}), true
	case len(buf) >= MaxLineStart:
		return TrimBOM(buf[:MaxLineStart]), true
	}
	return buf, false
}

type eventParser struct {
	textParser
	begins func(line []byte) bool
}

func (p eventParser) Next(buf []byte, at int) (start, body, end int) {
	for end = at; ; {
		n := bytes.IndexByte(buf[end:], '\n')
		if n < 0 {
			return at, len(buf), len(buf)
		}
		end += n + 1
		if line, _ := headOfLine(buf[end:]); end == len(buf) || p.begins(line) {
			return at, end - 1, end
		}
	}
}

// eventSplitter finds the ends of events: each is known by the beginning of the line after it.
type eventSplitter struct {
	headless
	begins func(line []byte) bool
	at     int  // everything in buf before it has been examined
	within bool // and goes on with a line that begins no event, or is the first of one
	last   byte // that was handed out
}

func (c *eventSplitter) Restart() { c.at, c.within, c.last = 0, true, '\n' }

func (c *eventSplitter) FindEnd(buf []byte, seen int, first bool) (end int, err error) {
	if seen == 0 {
		c.at = 0
	}
	for found := 0; c.at < len(buf); {
		if c.within {
			n := bytes.IndexByte(buf[c.at:], '\n')
			if n < 0 {
				c.at = len(buf)
				break
			}
			c.at += n + 1
			c.within = false
			continue
		}
		line, ok := headOfLine(buf[c.at:])
		if !ok {
			break
		}
		c.within = true
		if !c.begins(line) {
			continue
		}
		end = c.at
		if found++; first || found == MaxRecords {
			return end, nil
		}
	}
	return end, nil
}

// Pending leaves out what may be the beginning of the next event, and the line end before it.
func (c *eventSplitter) Pending([]byte) int {
	if !c.within && c.at > 0 {
		return c.at - 1
	}
	return c.at
}

// Undecided implements holder: the end of a line stays with the beginning of the next one.
func (c *eventSplitter) Undecided(buf []byte) int {
	n := len(buf) - c.Pending(buf)
	if n < len(buf) {
		c.last, c.within = buf[len(buf)-n-1], true
	}
	return n
}

// EndOfLast implements holder: the last line begins an event, and nothing ends it.
func (c *eventSplitter) EndOfLast(buf []byte) int {
	if !c.within && c.at < len(buf) && c.begins(TrimBOM(buf[c.at:])) {
		return c.at
	}
	return 0
}

func (c *eventSplitter) Finish(rest []byte) ([]byte, error) {
	last := c.last
	if len(rest) > 0 {
		last = rest[len(rest)-1]
	}
	if last == '\n' {
		return nil, nil
	}
	return c.Terminator(), nil
}

func (*eventSplitter) Terminator() []byte { return []byte{'\n'} }
