package overlap

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/mithril-stream/mithril-stream/stream"
)

// Findings collects what Finders have found. It is a stream.Judge of their sketches: one goroutine
// uses it.
type Findings struct {
	items   *Items
	removes bool
	of      []finding // of each item

	records []recordFindings // of the last batch
	before  uint64           // records before it
	seen    []Piece          // in which items were found, one record after the other
}

// recordFindings are those of one record.
type recordFindings struct {
	sketch []uint64 // of the batch, which the judge's caller may not use before the next one
	ends   int      // of its pieces in seen
}

// A finding is what was found of an item.
type finding struct {
	passages []uint64 // a bit for each
	records  uint64
	last     uint64 // the number of the last one
	places   []Place
}

// A Place is where a passage of an item was found.
type Place struct {
	Record  []byte // what the record is called, as JSON
	Offset  int    // in its text, in bytes
	Passage []byte // what stands there
	Item    []byte // what stands in the item
}

// MaxPlaces is how many places of an item are kept; all of them are counted.
const MaxPlaces = 10

// NewFindings returns Findings of items. If it removes, a record in which any item was found is a
// duplicate; else none is.
func NewFindings(items *Items, removes bool) *Findings {
	return &Findings{items: items, removes: removes, of: make([]finding, items.Len())}
}

// Judge is that of stream.Judge. The batch must stay as it is until Note was called for its
// records.
func (f *Findings) Judge(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	f.before += uint64(len(f.records))
	f.records, f.seen = f.records[:0], f.seen[:0]
	for i := range out {
		sketch := b.Sketch(i)
		out[i] = stream.Verdict{Duplicate: f.removes && len(sketch) > 0 && sketch[0] > 0}
		first := len(f.seen)
		eachPassage(sketch, func(p passage, _ []byte) {
			f.seen = append(f.seen, Piece{int(p.start), int(p.end)})
		})
		f.seen = f.seen[:first+len(joined(f.seen[first:]))]
		f.records = append(f.records, recordFindings{sketch, len(f.seen)})
	}
	return len(out), nil
}

// joined sorts pieces and joins those that touch each other.
func joined(pieces []Piece) []Piece {
	slices.SortFunc(pieces, func(a, b Piece) int { return cmp.Compare(a.Start, b.Start) })
	kept := pieces[:0]
	for _, p := range pieces {
		if last := len(kept) - 1; last >= 0 && p.Start <= kept[last].End {
			kept[last].End = max(kept[last].End, p.End)
			continue
		}
		kept = append(kept, p)
	}
	return kept
}

// eachPassage goes over the sketch of a Finder.
func eachPassage(sketch []uint64, do func(p passage, text []byte)) {
	if len(sketch) == 0 {
		return
	}
	rest := sketch[1:]
	for range sketch[0] {
		p := passage{
			item: uint32(rest[0]), from: uint32(rest[1] >> 32), to: uint32(rest[1]),
			start: uint32(rest[2] >> 32), end: uint32(rest[2]),
		}
		length := int(p.end - p.start)
		rest = rest[3:]
		do(p, BytesOf(rest, length))
		rest = rest[(length+7)/8:]
	}
}

// Seen are the pieces of a record of the last batch in which items were found, in order.
func (f *Findings) Seen(record int) []Piece {
	start := 0
	if record > 0 {
		start = f.records[record-1].ends
	}
	return f.seen[start:f.records[record].ends]
}

// Number is the number of a record of the last batch among all records, from 1.
func (f *Findings) Number(record int) uint64 { return f.before + uint64(record) + 1 }

// Index is the place in the last batch of the record of that number.
func (f *Findings) Index(number uint64) int { return int(number - f.before - 1) }

// Note takes in what was found in a record of the last batch; name appends what the record is
// called, as JSON.
func (f *Findings) Note(record int, name func(dst []byte) []byte) {
	var called []byte
	number := f.Number(record)
	eachPassage(f.records[record].sketch, func(p passage, text []byte) {
		item, of := f.items.At(int(p.item)), &f.of[p.item]
		if of.passages == nil {
			of.passages = make([]uint64, (item.Passages()+63)/64)
		}
		for at := int(p.from); at+item.window <= int(p.to); at++ {
			of.passages[at/64] |= 1 << (at % 64)
		}
		if of.last != number {
			of.last = number
			of.records++
		}
		if len(of.places) == MaxPlaces {
			return
		}
		if called == nil {
			called = name(nil)
		}
		of.places = append(of.places, Place{
			Record: called, Offset: int(p.start), Passage: append([]byte(nil), text...),
			Item: item.Words(int(p.from), int(p.to)),
		})
	})
}

// Items is the number of items of which anything was found.
func (f *Findings) Items() (count int) {
	for i := range f.of {
		if f.of[i].records > 0 {
			count++
		}
	}
	return count
}

// Found is what was found of the i-th item: how many of its passages, in how many records, and
// where first.
func (f *Findings) Found(i int) (passages int, records uint64, places []Place) {
	of := &f.of[i]
	for _, word := range of.passages {
		passages += bits.OnesCount64(word)
	}
	return passages, of.records, of.places
}
