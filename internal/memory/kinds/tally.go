package kinds

import (
	"cmp"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Tally is the judge, and the sink, that counts the records of each kind and finds what they have
// in common. It takes no record for a duplicate. The run has to tell it texts (stream.Source's
// Excerpt), of which it takes at most MostText bytes.
type Tally struct {
	table  *Table[Counted]
	number uint64     // of kinds that there were
	judged []*Counted // the kinds of the records of a batch; nil of one that has no sketch
	taken  int        // of these
	pieces pieces     // scratch
	counts TallyCounts
}

// MostText is how many bytes of a text a Tally has a use for.
const MostText = mostTemplate + 1

// TallyCounts are what a Tally has read. Records are in its kinds, or among the others below.
type TallyCounts struct {
	Records  uint64 // all
	Textless uint64 // that have no text to compare
	Lost     uint64 // of kinds that were given up, since there were too many
	Given    uint64 // kinds that were
}

// Counted is a kind with what is known of its records.
type Counted struct {
	Records  uint64
	Template Template
	First    []byte // the name of that record, as JSON
	number   uint64
}

// NewTally returns a tally of at most so many kinds. When there are more, the half with the fewest
// records is given up.
func NewTally(p signatures.Params, most int) (t *Tally, err error) {
	t = &Tally{}
	more := func(a, b *Counted) int { return cmp.Compare(b.Records, a.Records) }
	t.table, err = NewTable(p, most, more, func(of *Counted) {
		t.counts.Given++
		t.counts.Lost += of.Records
	})
	return t, err
}

// Judge finds the kind of each record.
func (t *Tally) Judge(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	t.judged, t.taken = t.judged[:0], 0
	for i := range out {
		out[i] = stream.Verdict{}
		t.counts.Records++
		var of *Counted
		if sketch := b.Sketch(i); len(sketch) == 0 {
			t.counts.Textless++
		} else if of, err = t.count(sketch); err != nil {
			return i, err
		}
		t.judged = append(t.judged, of)
	}
	return len(out), nil
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

// Take adds the text of a record to the template of its kind.
func (t *Tally) Take(d *stream.Decided) error {
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

// Flush has nothing to do.
func (*Tally) Flush() error { return nil }

// Kinds are those that there are, without those that are joined as they differ in one word, by the
// number of their records; of those with the same number the one that came first is the first.
func (t *Tally) Kinds() (all []*Counted) {
	t.table.Each(func(of *Counted) { all = append(all, of) })
	all = joined(all)
	slices.SortFunc(all, func(a, b *Counted) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.number, b.number))
	})
	return all
}

// Counts says what was read.
func (t *Tally) Counts() TallyCounts { return t.counts }

// Close gives the memory back.
func (t *Tally) Close() error { return t.table.Close() }
