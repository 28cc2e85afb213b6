package overlap

import "github.com/mithril-stream/mithril-stream/stream"

// Findings collects what Finders have found. Judge is the judge of their sketches. Only one
// goroutine may use it.
type Findings struct {
	items   *Items
	removes bool
	of      []itemFindings
	noted   []int // scratch memory

	sketches  [][]uint64 // of the last batch, which the caller must keep until the next one
	LastBatch            // the pieces with items
}

// A Place is where a passage of an item was found.
type Place struct {
	Record  []byte // name of the record, as JSON
	Offset  int    // in its text, in bytes
	Passage []byte // the text there
	Item    []byte // the text of the item
}

// MaxPlaces is the maximum number of places kept for an item; all of them are counted.
const MaxPlaces = 10

// NewFindings returns Findings of items. If removes is true, a record in which any item was found
// is a duplicate; otherwise none is.
func NewFindings(items *Items, removes bool) *Findings {
	return &Findings{items: items, removes: removes, of: make([]itemFindings, items.Len())}
}

// Judge returns the judge of a stream. A batch must not change until Note was called for its
// records.
func (f *Findings) Judge() stream.Judge { return stream.ByRecord(f.begin, f.judge) }

func (f *Findings) begin(stream.Batch) {
	f.reset()
	f.sketches = f.sketches[:0]
}

func (f *Findings) judge(b stream.Batch, i int) (stream.Verdict, error) {
	sketch := b.Sketch(i)
	r := readingOf(sketch)
	for _, p := range r.pieces {
		f.seen = append(f.seen, p.Piece)
	}
	f.endRecord()
	f.sketches = append(f.sketches, sketch)
	return stream.Verdict{Duplicate: f.removes && r.items > 0}, nil
}

// Index returns the index in the last batch of the record with that number.
func (f *Findings) Index(number uint64) int { return int(number - f.before - 1) }

// Note records what was found in a record of the last batch. name appends the name of the record,
// as JSON. Note returns the items found, each on behalf of all items that equal it
// (Same); they are valid until the next call.
func (f *Findings) Note(record int, name func(dst []byte) []byte) (found []int) {
	r := readingOf(f.sketches[record])
	f.noted = f.noted[:0]
	for _, item := range r.parts {
		f.of[item].isPart = true
	}
	var text []byte
	called := func() []byte {
		if text == nil {
			text = name(nil)
		}
		return text
	}
	for range r.items {
		x := r.next()
		f.of[x.item].record(&f.items.list[x.item], x, &r, called)
		f.noted = append(f.noted, x.item)
	}
	return f.noted
}

// Items returns the number of items found, and of those that appeared only in part in every record.
func (f *Findings) Items() (found, parts int) {
	for i := range f.of {
		switch of := &f.of[f.items.list[i].same]; {
		case of.records > 0:
			found++
		case of.isPart:
			parts++
		}
	}
	return found, parts
}

// Share returns the largest share of the i-th item in any record, or 0 if no record has enough.
func (f *Findings) Share(i int) float64 { return f.of[f.items.list[i].same].share }

// Answered returns the number of records in which the answer of the i-th item follows it.
func (f *Findings) Answered(i int) uint64 { return f.of[f.items.list[i].same].answered }

// Found returns how many passages of the i-th item were found, in how many records, and the first
// places.
func (f *Findings) Found(i int) (passages int, records uint64, places []Place) {
	item := &f.items.list[i]
	of := &f.of[item.same]
	for _, p := range of.places {
		places = append(places, Place{
			Record: p.record, Offset: p.offset, Passage: p.text, Item: item.Words(p.from, p.to),
		})
	}
	for _, number := range f.items.list[item.same].passages {
		if of.isFound[number] {
			passages++
		}
	}
	return passages, of.records, places
}
