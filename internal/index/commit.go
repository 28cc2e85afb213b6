package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

const (
	// MaxMeta bounds Position.Meta, in bytes.
	MaxMeta = 1 << 20
	// mostCommit bounds the payload of a commit, in bytes.
	mostCommit = 1 << 24
)

// A Position says how far a run has come. The index stores the last committed one and does not
// interpret it.
type Position struct {
	Records     uint64 // read
	InputBytes  uint64 // of the records read
	OutputBytes uint64 // written and flushed
	Meta        []byte // anything else a run needs to resume, such as offsets of a Kafka consumer
}

func (p Position) check() error {
	if len(p.Meta) > MaxMeta {
		return fmt.Errorf("%d bytes of opaque data in a position: at most %d are possible", len(p.Meta), MaxMeta)
	}
	return nil
}

// A Commit is the state of the index at one moment: a position, the state of each section, and the
// logs with their lengths.
type Commit struct {
	Number uint64 // counted from 1, the commit that creates the index
	Position
	states []sectionState // sorted by name
	logs   []listed       // sorted by name
}

// A sectionState is the state of a section in a commit.
type sectionState struct {
	section string // 1 to 8 letters
	bytes   []byte
}

// A listed log is one named by a commit.
type listed struct {
	name   string
	bytes  int64 // from its start; anything beyond does not count
	isKept bool  // it holds dropped data, and may be missing
}

// State returns the state of a section in the commit, or nil if the section has none.
func (c *Commit) State(section string) []byte {
	for _, s := range c.states {
		if s.section == section {
			return s.bytes
		}
	}
	return nil
}

// Log returns the length of a log. ok is false if the commit does not name the log.
func (c *Commit) Log(name string) (bytes int64, ok bool) {
	i := slices.IndexFunc(c.logs, func(l listed) bool { return l.name == name })
	if i < 0 {
		return 0, false
	}
	return c.logs[i].bytes, true
}

func appendNumbers(b []byte, numbers ...uint64) []byte {
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
}

// appendPadded appends a byte string, padded with zeros to a whole word.
func appendPadded[B []byte | string](b []byte, of B) []byte {
	b = append(b, of...)
	for range -len(of) & 7 {
		b = append(b, 0)
	}
	return b
}

func appendCommit(b []byte, c Commit) []byte {
	b = appendNumbers(b, c.Records, c.InputBytes, c.OutputBytes, uint64(len(c.Meta)), uint64(len(c.states)),
		uint64(len(c.logs)))
	b = appendPadded(b, c.Meta)
	for _, s := range c.states {
		b = appendNumbers(b, uint64(len(s.section)), uint64(len(s.bytes)))
		b = appendPadded(appendPadded(b, s.section), s.bytes)
	}
	for _, l := range c.logs {
		kept := uint64(0)
		if l.isKept {
			kept = 1
		}
		b = appendPadded(appendNumbers(b, uint64(len(l.name)), uint64(l.bytes), kept), l.name)
	}
	return b
}

var errCommit = errors.New("a commit frame that is not valid")

// decodeCommit is the inverse of appendCommit. It accepts only what appendCommit writes.
func decodeCommit(f framelog.Frame) (Commit, error) {
	d := decoder{rest: f.Payload}
	c := Commit{Number: f.Number}
	c.Records, c.InputBytes, c.OutputBytes = d.number(), d.number(), d.number()
	meta, states, logs := d.number(), d.number(), d.number()
	c.Meta = d.bytes(meta)
	for ; states > 0 && !d.bad; states-- {
		name, length := d.number(), d.number()
		c.states = append(c.states, sectionState{string(d.bytes(name)), d.bytes(length)})
	}
	for ; logs > 0 && !d.bad; logs-- {
		name, length, kept := d.number(), d.number(), d.number()
		c.logs = append(c.logs, listed{string(d.bytes(name)), int64(length), kept == 1})
	}
	if d.bad || !bytes.Equal(appendCommit(nil, c), f.Payload) {
		return Commit{}, errCommit
	}
	for i, l := range c.logs {
		if !isLog(l.name) || l.bytes < framelog.HeaderBytes || i > 0 && l.name <= c.logs[i-1].name {
			return Commit{}, fmt.Errorf("%w: it names the log %q of %d bytes", errCommit, l.name, l.bytes)
		}
	}
	return c, nil
}

// A decoder reads words and byte strings from a payload.
type decoder struct {
	rest []byte
	bad  bool // the payload ended too early
}

func (d *decoder) number() uint64 {
	if len(d.rest) < 8 {
		d.bad = true
		return 0
	}
	n := binary.LittleEndian.Uint64(d.rest)
	d.rest = d.rest[8:]
	return n
}

// bytes returns a copy of a padded byte string of length n.
func (d *decoder) bytes(n uint64) []byte {
	if d.bad || n > uint64(len(d.rest)) || (n+7)&^7 > uint64(len(d.rest)) {
		d.bad = true
		return nil
	}
	if n == 0 {
		return nil
	}
	b := bytes.Clone(d.rest[:n])
	d.rest = d.rest[(n+7)&^7:]
	return b
}
