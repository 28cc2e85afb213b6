package counts

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/timestamp"
)

// Selection says what to count in each group, besides its records.
type Selection struct {
	By []string `json:"by,omitempty"` // fields to count the values of
	// the field with the time of a record, or MessageTime, or empty
	Time string `json:"time,omitempty"`
}

// MessageTime is the value of Selection.Time for the timestamps of the messages of a topic. It is
// not a valid field name.
const MessageTime = "(timestamp)"

// Fields returns the fields whose values Add expects, in order. The timestamp of a message may
// follow them.
func (w Selection) Fields() []string {
	if w.Time == "" || w.Time == MessageTime {
		return slices.Clone(w.By)
	}
	return append(slices.Clone(w.By), w.Time)
}

// String returns the options that ask for this selection.
func (w Selection) String() string {
	if w.Time == MessageTime {
		return "--counts-to TOPIC"
	}
	s := "--counts FILE"
	if len(w.By) > 0 {
		s += " --count-by " + strings.Join(w.By, ",")
	}
	if w.Time != "" {
		s += " --time " + w.Time
	}
	return s
}

// CanContinueAs reports whether existing counts can be continued if other is asked for: records
// that are not messages have no timestamps, and counts started without timestamps continue without
// them.
func (w Selection) CanContinueAs(other Selection) bool {
	for _, time := range []*string{&w.Time, &other.Time} {
		if *time == MessageTime {
			*time = ""
		}
	}
	return w.Is(other)
}

// Is reports whether both are equal.
func (w Selection) Is(other Selection) bool {
	return slices.Equal(w.By, other.By) && w.Time == other.Time
}

// Counts tracks the groups of the records in a memory, by their record numbers. It uses 4 bytes for
// each record, 8 more if it has a time, 2 for each field, and some 40 for each deleted record. It
// is not safe for concurrent use.
type Counts struct {
	selection Selection
	roots     column[uint32] // for each record, the kept record of its group, which may be itself
	times     column[int64]  // in seconds, or unknownTime
	values    []Values       // for each field

	deleted deletions

	marked numbers // kept records that received a copy in this run
	text   []byte  // scratch buffer

	unread Unread // of this run

	log     memory.Noter // where groups are noted; may be nil
	pending pending
}

const unknownTime = math.MinInt64

// mostRecords is the maximum number of records.
const mostRecords = math.MaxUint32

// New returns empty Counts.
func New(what Selection) *Counts {
	c := &Counts{selection: what, values: make([]Values, len(what.By))}
	c.pending = newPending(c, true)
	return c
}

// Selection returns what is counted.
func (c *Counts) Selection() Selection { return c.selection }

// Records returns the number of records.
func (c *Counts) Records() uint64 { return c.roots.n }

// Overflow returns the number of values in this run that are counted together, because their field
// already has the maximum number of values, or because they are too long.
func (c *Counts) Overflow() (values uint64) {
	for i := range c.values {
		values += c.values[i].Overflow()
	}
	return values
}

// Unread counts the times of a run that are in no span, because the value of the field is not a
// time.
type Unread struct {
	Times uint64
	First string // as JSON, cut off after mostOfTime bytes
}

// mostOfTime is the number of bytes that are shown of a value that is not a time.
const mostOfTime = 60

// Unread returns the values of this run that were not times.
func (c *Counts) Unread() Unread { return c.unread }

// BeginRun starts a new run. Groups continue.
func (c *Counts) BeginRun() {
	c.forgetRun()
	c.pending.begins = true
}

func (c *Counts) forgetRun() {
	c.marked, c.unread = nil, Unread{}
	for i := range c.values {
		c.values[i].overflow = 0
	}
}

// Add adds the next record. original is the earlier record that it was removed for, or 0 if it is
// kept. fields holds the values of Selection.Fields, as JSON, and may be shorter.
func (c *Counts) Add(original uint64, fields [][]byte) error {
	root := c.Records() + 1
	if original > 0 {
		if err := c.check(original); err != nil {
			return err
		}
		root = uint64(c.roots.at(original - 1))
	}
	ids := c.pending.ids[:0]
	for i := range c.values {
		var value []byte
		if i < len(fields) {
			value = fields[i]
		}
		ids = append(ids, c.values[i].idOf(value))
	}
	second := int64(unknownTime)
	if c.selection.Time != "" && len(fields) > len(c.selection.By) {
		second = c.timeOf(fields[len(c.selection.By)])
	}
	return c.put(root, second, ids)
}

// Mark notes that a record of this run was removed for original, but is not counted, because the
// run that is being repeated counted it.
func (c *Counts) Mark(original uint64) error {
	if err := c.check(original); err != nil {
		return err
	}
	root := c.roots.at(original - 1)
	if c.marked.has(root) {
		return nil
	}
	c.marked.set(root)
	if c.log != nil && c.pending.mark(root) {
		return c.Note()
	}
	return nil
}

func (c *Counts) check(original uint64) error {
	if original == 0 || original > c.Records() {
		return fmt.Errorf("record %d is counted as a copy of record %d, which is not there", c.Records()+1, original)
	}
	return nil
}

// put appends a complete record.
func (c *Counts) put(root uint64, second int64, ids []uint16) error {
	if c.Records() >= mostRecords {
		return fmt.Errorf("%w: the groups of %d records can be counted", memory.ErrFull, uint64(mostRecords))
	}
	if root <= c.Records() {
		c.marked.set(uint32(root))
	}
	errs := []error{c.roots.append(uint32(root))}
	if c.selection.Time != "" {
		errs = append(errs, c.times.append(second))
	}
	for i, id := range ids {
		errs = append(errs, c.values[i].ids.append(id))
	}
	if err := errors.Join(errs...); err != nil || c.log == nil {
		return err
	}
	if c.pending.add(c.Records()-root, second, ids) {
		return c.Note()
	}
	return nil
}

func (c *Counts) timeOf(value []byte) int64 {
	c.text = textOf(c.text[:0], value)
	if second, ok := timestamp.Parse(c.text); ok {
		return second
	}
	if len(c.text) > 0 {
		if c.unread.Times++; c.unread.Times == 1 {
			c.unread.First = string(value[:min(len(value), mostOfTime)])
		}
	}
	return unknownTime
}

// Close frees the memory. The counts must not be used afterwards. Closing nil does nothing.
func (c *Counts) Close() error {
	if c == nil {
		return nil
	}
	errs := []error{c.roots.close(), c.times.close()}
	for i := range c.values {
		errs = append(errs, c.values[i].Close())
	}
	return errors.Join(errs...)
}
