package overlap

import "github.com/mithril-stream/mithril-stream/stream"

// Findings collects what Finders have found. It is a stream.Judge of their sketches: one goroutine
// uses it.
type Findings struct {
	items   *Items
	removes bool
	places  []places // of each item
	isFound []bool   // of each form
	isFull  []bool   // of each form: no item in which it stands has room for a place
	tally   *tally

	records []recordFindings // of the last batch
	before  uint64           // records before it
	seen    []Piece          // in which items were found, one record after the other
}

// recordFindings are what was found in one record.
type recordFindings struct {
	sketch []uint64 // of the batch, which the judge's caller may not use before the next one
	ends   int      // of its pieces in seen
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
	forms := len(items.passages) + len(items.families)
	return &Findings{
		items: items, removes: removes, places: make([]places, items.Len()), tally: newTally(items),
		isFound: make([]bool, forms), isFull: make([]bool, forms),
	}
}

// Judge implements stream.Judge. The batch must stay as it is until Note was called for its
// records.
func (f *Findings) Judge(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	f.before += uint64(len(f.records))
	f.records, f.seen = f.records[:0], f.seen[:0]
	for i := range out {
		sketch := b.Sketch(i)
		r := readingOf(sketch)
		out[i] = stream.Verdict{Duplicate: f.removes && len(r.hits) > 0}
		for _, p := range r.pieces {
			f.seen = append(f.seen, Piece{int(p >> 32), int(uint32(p))})
		}
		f.records = append(f.records, recordFindings{sketch, len(f.seen)})
	}
	return len(out), nil
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
	r := readingOf(f.records[record].sketch)
	if len(r.hits) == 0 {
		return
	}
	number := f.Number(record)
	at := placer{findings: f, number: number, name: name}
	for _, hit := range r.hits {
		begins, form := int(hit>>32), uint32(hit)
		r.seek(begins)
		if f.tally.add(form, number); !f.isFound[form] {
			f.items.eachPassage(form, func(passage uint32) { f.isFound[passage] = true })
			f.isFound[form] = true
		}
		if !f.isFull[form] {
			f.isFull[form] = at.place(form, begins, &r.stretch)
		}
	}
	f.tally.end()
}

// Items is the number of items of which anything was found.
func (f *Findings) Items() (count int) {
	f.tally.settle()
	for _, records := range f.tally.counts {
		if records > 0 {
			count++
		}
	}
	return count
}

// Found is what was found of the i-th item: how many of its passages, in how many records, and
// where first.
func (f *Findings) Found(i int) (passages int, records uint64, places []Place) {
	f.tally.settle()
	for _, passage := range f.items.list[i].passages {
		if f.isFound[passage] {
			passages++
		}
	}
	for _, p := range f.places[i].list {
		places = append(places, Place{
			Record: p.in.record, Offset: p.in.offset, Passage: p.in.text,
			Item: f.items.list[i].Words(int(p.from), int(p.to)),
		})
	}
	return passages, f.tally.counts[i], places
}
