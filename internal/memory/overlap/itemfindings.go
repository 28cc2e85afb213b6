package overlap

import "math"

// A reading parses the sketch of a Finder.
type reading struct {
	items  int // number of items found
	parts  []uint64
	pieces []textPiece
	rest   []uint64 // the unread items
}

// A textPiece is a piece of a text.
type textPiece struct {
	Piece
	text []byte
}

func readingOf(sketch []uint64) (r reading) {
	if len(sketch) == 0 || sketch[0] == 0 {
		return r
	}
	parts := uint64(uint32(sketch[0]))
	r.items, r.parts, sketch = int(sketch[0]>>32), sketch[1:1+parts], sketch[1+parts:]
	if r.items == 0 {
		return r
	}
	pieces := sketch[0]
	sketch = sketch[1:]
	for range pieces {
		p := Piece{int(sketch[0] >> 32), int(uint32(sketch[0]))}
		length := p.End - p.Start
		r.pieces = append(r.pieces, textPiece{p, BytesOf(sketch[1:], length)})
		sketch = sketch[1+(length+7)/8:]
	}
	r.rest = sketch
	return r
}

// A foundItem is an item that was found in a text.
type foundItem struct {
	item       int
	share      float64
	isAnswered bool
	runs       []uint64 // two words each
}

// next returns the next item found.
func (r *reading) next() foundItem {
	runs := uint64(uint32(r.rest[0]))
	x := foundItem{
		item: int(r.rest[0] >> 32), share: math.Float64frombits(r.rest[1]), isAnswered: runs&withAnswer != 0,
		runs: r.rest[2 : 2+2*(runs&^withAnswer)],
	}
	r.rest = r.rest[2+len(x.runs):]
	return x
}

// textOf returns the bytes of a range of the text that is inside one of the pieces.
func (r *reading) textOf(at Piece) []byte {
	i := 0
	for r.pieces[i].End < at.End {
		i++
	}
	p := &r.pieces[i]
	return p.text[at.Start-p.Start : at.End-p.Start]
}

// itemFindings holds what was found of an item.
type itemFindings struct {
	isFound  map[uint32]bool // the passages found
	records  uint64
	answered uint64  // records in which its answer follows
	share    float64 // the largest share in a record
	isPart   bool    // some record has too little of it
	places   []place
}

// A place is where words of an item were found.
type place struct {
	record   []byte
	offset   int
	text     []byte
	from, to int // range of words of the item
}

// record adds what was found of the item in a record. called returns the name of the record.
func (f *itemFindings) record(item *Item, x foundItem, r *reading, called func() []byte) {
	if f.records++; f.isFound == nil {
		f.isFound = map[uint32]bool{}
	}
	if x.isAnswered {
		f.answered++
	}
	f.share = max(f.share, x.share)
	for runs := x.runs; len(runs) > 0; runs = runs[2:] {
		at, passages := int(runs[0]>>32), int(uint32(runs[0]))
		for _, number := range item.passages[at : at+passages] {
			f.isFound[number] = true
		}
		if len(f.places) < MaxPlaces {
			where := Piece{int(runs[1] >> 32), int(uint32(runs[1]))}
			f.places = append(f.places, place{
				record: called(), offset: where.Start, text: append([]byte(nil), r.textOf(where)...),
				from: at, to: at + passages + item.window - 1,
			})
		}
	}
}
