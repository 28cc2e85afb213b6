package kinds

import (
	"cmp"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Tally counts the records of each kind and finds what they have in common. It is both judge and
// sink of a run, and considers no record a duplicate. The run must provide texts
// (stream.Source.Excerpt); a Tally uses at most MostText bytes of each.
type Tally struct {
	table  *Table[Counted]
	number uint64     // number of kinds so far
	judged []*Counted // kinds of the records of a batch; nil for a record without a sketch
	taken  int        // how many of them were taken
	pieces pieces     // scratch space
	counts TallyCounts
}

// MostText is the number of bytes of a text that a Tally uses.
const MostText = mostTemplate + 1

// TallyCounts says what a Tally has read. A record is either in one of its kinds or counted in one
// of the other fields.
type TallyCounts struct {
	Records  uint64 // all records
	Textless uint64 // records without text to compare
	Lost     uint64 // records of kinds that were dropped because there were too many
	Evicted  uint64 // number of kinds dropped
}

// Counted is a kind with what is known about its records.
type Counted struct {
	Records  uint64
	Template Template
	First    []byte // name of the first record, as JSON
	number   uint64
}

// NewTally returns a tally of at most that many kinds. When it is full it drops the half with the
// fewest records.
func NewTally(p signatures.Params, most int) (t *Tally, err error) {
	t = &Tally{}
	more := func(a, b *Counted) int { return cmp.Compare(b.Records, a.Records) }
	t.table, err = NewTable(p, most, more, func(of *Counted) {
		t.counts.Evicted++
		t.counts.Lost += of.Records
	})
	return t, err
}

// Judge returns the judge that finds the kind of each record.
func (t *Tally) Judge() stream.Judge { return stream.ByRecord(t.begin, t.decide) }

func (t *Tally) begin(stream.Batch) { t.judged, t.taken = t.judged[:0], 0 }

func (t *Tally) decide(b stream.Batch, i int) (v stream.Verdict, err error) {
	t.counts.Records++
	var of *Counted
	if sketch := b.Sketch(i); len(sketch) == 0 {
		t.counts.Textless++
	} else if of, err = t.count(sketch); err != nil {
		return v, err
	}
	t.judged = append(t.judged, of)
	return v, nil
}

func (t *Tally) count(sketch []uint64) (*Counted, error) {
	of, isNew, err := t.table.Find(sketch)
	if err != nil {
		return nil, err
	}
	if isNew {
		t.number++
		of.number = t.number
	}
	of.Records++
	return of, nil
}

// Observe adds the text of a record to the template of its kind.
func (t *Tally) Observe(d *stream.Decided) error {
	of := t.judged[t.taken]
	t.taken++
	if of == nil {
		return nil
	}
	if of.First == nil {
		of.First = memory.AppendName(nil, d)
	}
	of.Template.add(d.Excerpt, &t.pieces)
	return nil
}

// Flush does nothing; it implements stream.Sink.
func (*Tally) Flush() error { return nil }

// Kinds returns the kinds, in descending order of their number of records and then in the order of
// their first record. Kinds that differ in one word are joined.
func (t *Tally) Kinds() (all []*Counted) {
	t.table.Each(func(of *Counted) { all = append(all, of) })
	all = joined(all)
	slices.SortFunc(all, func(a, b *Counted) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.number, b.number))
	})
	return all
}

// Counts returns the counts of what was read.
func (t *Tally) Counts() TallyCounts { return t.counts }

// Close frees the memory.
func (t *Tally) Close() error { return t.table.Close() }
