package counts

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/stream"
)

// What says what is counted of the records of a group, beside how many they are.
type What struct {
	By   []string `json:"by,omitempty"`   // fields: how many records have each value
	Time string   `json:"time,omitempty"` // the field that says when a record was made; MessageTime; or empty
	// Prefer is the rule by which a later copy is better than the kept record: max:FIELD,
	// min:FIELD, longest, shortest or last; or empty.
	Prefer string `json:"prefer,omitempty"`
}

// MessageTime is What.Time where the timestamps of the messages of a topic say when a record was
// made. No field is called so.
const MessageTime = "(timestamp)"

// Fields are the fields of records that Add is told, in their order. After them it may be told the
// timestamp of a message.
func (w What) Fields() []string {
	if w.Time == "" || w.Time == MessageTime {
		return slices.Clone(w.By)
	}
	return append(slices.Clone(w.By), w.Time)
}

// String is how it is asked for.
func (w What) String() string {
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
	if w.Prefer != "" {
		s += " --prefer " + w.Prefer
	}
	return s
}

// MayGoOn reports whether counts of this go on where other is asked for: a record that is no
// message has no timestamp, and counts that were begun without them go on without them.
func (w What) MayGoOn(other What) bool {
	for _, time := range []*string{&w.Time, &other.Time} {
		if *time == MessageTime {
			*time = ""
		}
	}
	return w.Is(other)
}

// Is reports whether both ask for the same.
func (w What) Is(other What) bool {
	return slices.Equal(w.By, other.By) && w.Time == other.Time && w.Prefer == other.Prefer
}

// Counts are the groups of the records of a memory, which have their numbers there. They take 4
// bytes a record, 8 more where it has a time, 2 for each field, and 8 and its rank where ranks are
// kept; and some 40 for one that was deleted. They are not safe for concurrent use.
type Counts struct {
	what   What
	roots  column[uint32] // of each record: the kept one of its group, which may be itself
	times  column[int64]  // in seconds; unknownTime where none is known
	values []Values       // of each field
	ranks  ranks          // of each record, if one rule prefers some by them

	deleted deletions

	marked numbers // the kept records of which a copy came in this run
	text   []byte  // scratch
	rank   []byte  // the same

	log     memory.Noter // where it is noted, or nil
	pending pending
}

const unknownTime = math.MinInt64

// mostRecords is how many there may be.
const mostRecords = math.MaxUint32

// New returns the counts of no record.
func New(what What) *Counts {
	c := &Counts{what: what, values: make([]Values, len(what.By))}
	c.pending = newPending(c, true)
	return c
}

// What is what is counted.
func (c *Counts) What() What { return c.what }

// Records is how many there are.
func (c *Counts) Records() uint64 { return c.roots.n }

// Beyond is how many values of this run are not told apart, since their field had as many before as
// there may be, or since they are too long.
func (c *Counts) Beyond() (values uint64) {
	for i := range c.values {
		values += c.values[i].Beyond()
	}
	return values
}

// BeginRun forgets what came in the last run. The groups stay.
func (c *Counts) BeginRun() {
	c.forgetRun()
	c.pending.begins = true
}

func (c *Counts) forgetRun() {
	c.marked = nil
	for i := range c.values {
		c.values[i].beyond = 0
	}
}

// Add takes in the next record. The original is the earlier one that it was removed for, or 0 if it
// is kept. fields are the values of What.Fields, as JSON; there may be fewer. rank is the value of
// What.RankField, or the length of the text, as JSON; of a string the first 256 bytes count.
func (c *Counts) Add(original uint64, fields [][]byte, rank []byte) error {
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
	if c.what.Time != "" && len(fields) > len(c.what.By) {
		second = c.timeOf(fields[len(c.what.By)])
	}
	c.rank = c.rank[:0]
	if c.what.ranked() {
		c.rank = AppendRank(c.rank, rank)
		c.rank = c.rank[:min(len(c.rank), mostRank)]
	}
	return c.put(root, second, ids, c.rank)
}

// Mark notes that a record came in this run that was removed for that one, and is not counted: it
// was, in the run that is repeated.
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

// put appends a record of which everything is known.
func (c *Counts) put(root uint64, second int64, ids []uint16, rank []byte) error {
	if c.Records() >= mostRecords {
		return fmt.Errorf("%w: the groups of %d records can be counted", memory.ErrFull, uint64(mostRecords))
	}
	if root <= c.Records() {
		c.marked.set(uint32(root))
	}
	errs := []error{c.roots.append(uint32(root))}
	if c.what.Time != "" {
		errs = append(errs, c.times.append(second))
	}
	for i, id := range ids {
		errs = append(errs, c.values[i].ids.append(id))
	}
	if c.what.ranked() {
		errs = append(errs, c.ranks.append(rank))
	}
	if err := errors.Join(errs...); err != nil || c.log == nil {
		return err
	}
	if c.pending.add(c.Records()-root, second, ids, rank) {
		return c.Note()
	}
	return nil
}

func (c *Counts) timeOf(value []byte) int64 {
	c.text = textOf(c.text[:0], value)
	if second, ok := stream.ParseTime(string(c.text)); ok {
		return second
	}
	return unknownTime
}

// Bytes is what the records take in memory.
func (c *Counts) Bytes() uint64 {
	bytes := c.roots.bytes() + c.times.bytes() + c.ranks.bytes.bytes() + c.ranks.ends.bytes() +
		8*uint64(len(c.marked))
	for i := range c.values {
		bytes += c.values[i].ids.bytes()
	}
	return bytes
}

// Close gives the memory back. The counts cannot be used after it; nil has nothing to give.
func (c *Counts) Close() error {
	if c == nil {
		return nil
	}
	errs := []error{c.roots.close(), c.times.close(), c.ranks.bytes.close(), c.ranks.ends.close()}
	for i := range c.values {
		errs = append(errs, c.values[i].Close())
	}
	return errors.Join(errs...)
}
