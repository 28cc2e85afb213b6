package counts

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// A note in the log covers consecutive records. docs/design/memory-logs.md defines it.

// noteMark begins each note. No note of names begins with it.
const noteMark = 'g'

// Flags in the second byte of a note.
const (
	noteBegins  = 1 << iota // a run begins: discard what came in the previous run
	noteWhat                // the first note, which says what is counted
	noteDeletes             // the note lists deleted records and nothing else
)

// IsNote reports whether a note of a log is about groups.
func IsNote(note []byte) bool { return len(note) > 0 && note[0] == noteMark }

// pending collects what is to be noted.
type pending struct {
	isFirst bool
	begins  bool // a run begins

	records uint64
	roots   []byte
	times   []byte
	last    int64 // the previous time
	fields  []pendingField
	marks   []byte // for records that are not counted
	marked  uint64
	deleted []uint64 // outside of a run
	ids     []uint16 // scratch buffer
}

type pendingField struct {
	ids   []byte
	known int // number of values already noted
}

// NotedWithin is the maximum number of records, and of marks, that wait for a note.
const NotedWithin = 1 << 16

func newPending(c *Counts, isFirst bool) pending {
	p := pending{isFirst: isFirst, fields: make([]pendingField, len(c.values))}
	for i := range p.fields {
		p.fields[i].known = len(c.values[i].names.list)
	}
	return p
}

// add appends a record, and reports whether a note is due.
func (p *pending) add(distance uint64, second int64, ids []uint16) (full bool) {
	p.records++
	p.roots = binary.AppendUvarint(p.roots, distance)
	if second == unknownTime {
		p.times = append(p.times, 0)
	} else {
		p.times = binary.AppendUvarint(p.times, 1+zigzag(second-p.last))
		p.last = second
	}
	for i, id := range ids {
		p.fields[i].ids = binary.AppendUvarint(p.fields[i].ids, uint64(id))
	}
	return p.records == NotedWithin
}

// mark appends the mark of a record, and reports whether a note is due.
func (p *pending) mark(root uint32) (full bool) {
	p.marked++
	p.marks = binary.AppendUvarint(p.marks, uint64(root))
	return p.marked == NotedWithin
}

func zigzag(n int64) uint64   { return uint64(n)<<1 ^ uint64(n>>63) }
func unzigzag(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }

// NoteTo sets the log that everything is noted in from now on.
func (c *Counts) NoteTo(log memory.Noter) { c.log = log }

// Note writes what the log does not hold yet.
func (c *Counts) Note() error {
	p := &c.pending
	if c.log == nil || !p.isFirst && !p.begins && p.records == 0 && p.marked == 0 && len(p.deleted) == 0 {
		return nil
	}
	note := []byte{noteMark, 0}
	if p.begins {
		note[1] |= noteBegins
	}
	if p.isFirst {
		note[1] |= noteWhat
		what, err := json.Marshal(c.selection)
		if err != nil {
			return err
		}
		note = appendString(note, string(what))
	}
	note = binary.AppendUvarint(note, c.Records()-p.records)
	note = binary.AppendUvarint(note, p.records)
	note = append(note, p.roots...)
	if c.selection.Time != "" {
		note = append(note, p.times...)
	}
	for i := range p.fields {
		fresh := c.values[i].names.list[p.fields[i].known:]
		note = binary.AppendUvarint(note, uint64(len(fresh)))
		for _, value := range fresh {
			note = appendString(note, value)
		}
		note = append(note, p.fields[i].ids...)
	}
	note = binary.AppendUvarint(note, p.marked)
	note = append(note, p.marks...)
	notes := append([][]byte{note}, DeletionNotes(c.Records(), 0, p.deleted)...)
	c.pending = newPending(c, false)
	for _, note := range notes {
		if err := c.log(note); err != nil {
			return err
		}
	}
	return nil
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// Load applies the next note of a log to c, which is nil before the first note, and returns the
// counts. After an error they must not be used.
func Load(c *Counts, note []byte) (*Counts, error) {
	r := &noteReader{rest: note[min(2, len(note)):]}
	if len(note) < 2 || note[0] != noteMark || note[1]&^(noteBegins|noteWhat) != 0 && note[1] != noteDeletes {
		r.fail("it is of no known form")
	}
	if isFirst := r.err == nil && note[1]&noteWhat != 0; isFirst != (c == nil) {
		r.fail("what is counted is said %s", map[bool]string{true: "twice", false: "nowhere"}[isFirst])
	} else if isFirst {
		c = New(r.selection())
	}
	if r.err != nil {
		return c, r.err
	}
	if note[1] == noteDeletes {
		return c, r.deletion(c)
	}
	if note[1]&noteBegins != 0 {
		c.forgetRun()
	}
	return c, r.load(c)
}

// selection reads the Selection. A member that this program does not know would change the meaning
// of what follows, so it is an error.
func (r *noteReader) selection() (what Selection) {
	d := json.NewDecoder(bytes.NewReader(r.bytes()))
	d.DisallowUnknownFields()
	if err := d.Decode(&what); err != nil {
		r.fail("what is counted cannot be read: %v", err)
	}
	return what
}

// A noteReader reads the numbers of a note. After an error it returns zeros.
type noteReader struct {
	rest []byte
	err  error
}

func (r *noteReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: a note of groups: %s", memory.ErrCorrupt, fmt.Sprintf(format, args...))
	}
	r.rest = nil
}

func (r *noteReader) uint() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.fail("it ends too early")
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// count reads a number of items of at least one byte each.
func (r *noteReader) count() uint64 {
	n := r.uint()
	if n > uint64(len(r.rest)) {
		r.fail("it ends too early")
		return 0
	}
	return n
}

func (r *noteReader) bytes() []byte {
	n := r.count()
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// load reads a note after its head, one column after the other.
func (r *noteReader) load(c *Counts) error {
	if before := r.uint(); before != c.Records() {
		r.fail("it follows record %d, not record %d", c.Records(), before)
	}
	records := r.count()
	if records > mostRecords-c.Records() {
		r.fail("it has too many records")
	}
	for i := uint64(0); i < records && r.err == nil; i++ {
		r.root(c)
	}
	last := int64(0)
	for i := uint64(0); i < records && r.err == nil && c.selection.Time != ""; i++ {
		r.time(c, &last)
	}
	for field := range c.values {
		r.newValues(c, field)
		for i := uint64(0); i < records && r.err == nil; i++ {
			r.value(c, field)
		}
	}
	for marks := r.count(); marks > 0; marks-- {
		root := r.uint()
		if root == 0 || root > c.Records() {
			r.fail("it marks record %d of %d", root, c.Records())
			break
		}
		c.marked.set(uint32(root))
	}
	if len(r.rest) > 0 {
		r.fail("%d bytes follow its end", len(r.rest))
	}
	c.pending = newPending(c, false)
	return r.err
}

func (r *noteReader) root(c *Counts) {
	record, distance := c.Records()+1, r.uint()
	switch {
	case r.err != nil:
		return
	case distance >= record:
		r.fail("record %d is a copy of what is before the first one", record)
		return
	case distance > 0 && uint64(c.roots.at(record-distance-1)) != record-distance:
		r.fail("record %d is a copy of record %d, which was not kept", record, record-distance)
		return
	case distance > 0:
		c.marked.set(uint32(record - distance))
	}
	r.keep(c.roots.append(uint32(record - distance)))
}

// mostSeconds is larger than anything that timestamp.Parse returns.
const mostSeconds = 1e15

func (r *noteReader) time(c *Counts, last *int64) {
	second := int64(unknownTime)
	if n := r.uint(); n > 0 {
		second = *last + unzigzag(n-1)
		if second < -mostSeconds || second > mostSeconds {
			r.fail("a time is out of range")
			return
		}
		*last = second
	}
	r.keep(c.times.append(second))
}

// newValues reads the values of a field that no earlier record has.
func (r *noteReader) newValues(c *Counts, field int) {
	d := &c.values[field].names
	for fresh := r.count(); fresh > 0 && r.err == nil; fresh-- {
		value := r.bytes()
		if _, known := d.ids[string(value)]; known || len(value) == 0 || len(value) > mostLength ||
			len(d.list) == mostValues {
			r.fail("%.40q is no new value of %s", value, c.selection.By[field])
			return
		}
		d.add(string(value))
	}
}

func (r *noteReader) value(c *Counts, field int) {
	id := r.uint()
	if id > uint64(len(c.values[field].names.list)) {
		r.fail("value %d of %s is not there", id, c.selection.By[field])
		return
	}
	r.keep(c.values[field].ids.append(uint16(id)))
}

func (r *noteReader) keep(err error) {
	if err != nil && r.err == nil {
		r.err = err
	}
}
