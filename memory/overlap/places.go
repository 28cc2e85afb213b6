package overlap

// places are the first places of an item.
type places struct {
	list   []place
	record uint64 // the number of the one in which the item was found last
	first  int    // of that record, in list
}

// A place is where words of an item were found.
type place struct {
	in       *occurrence
	begins   uint32 // the word of the text
	from, to uint32 // words of the item
}

// An occurrence is a part of a record. All items that were found there share it.
type occurrence struct {
	record []byte // what it is called
	offset int
	text   []byte
}

// A reading takes the sketch of a Finder apart.
type reading struct {
	hits, pieces []uint64
	stretch      stretch
	rest         []uint64 // stretches after that one
}

// A stretch is words of a text.
type stretch struct {
	first  int      // the word of the text with which it begins
	hashes []uint64 // of words
	where  []uint64 // start<<32|end in the text
	text   []byte
}

func readingOf(sketch []uint64) (r reading) {
	if len(sketch) == 0 || sketch[0] == 0 {
		return r
	}
	hits, pieces := sketch[0], sketch[1]>>32
	r.hits, sketch = sketch[2:2+hits], sketch[2+hits:]
	r.pieces, r.rest = sketch[:pieces], sketch[pieces:]
	return r
}

// seek goes on to the stretch that has a word of the text.
func (r *reading) seek(word int) {
	for word >= r.stretch.first+len(r.stretch.hashes) {
		words := uint64(uint32(r.rest[0]))
		s := stretch{first: int(r.rest[0] >> 32), hashes: r.rest[1 : 1+words], where: r.rest[1+words : 1+2*words]}
		r.rest = r.rest[1+2*words:]
		length := int(uint32(s.where[words-1])) - s.start()
		s.text, r.rest = BytesOf(r.rest, length), r.rest[(length+7)/8:]
		r.stretch = s
	}
}

// start is the byte of the text with which the stretch begins.
func (s *stretch) start() int { return int(s.where[0] >> 32) }

// A placer notes places of items in a record.
type placer struct {
	findings *Findings
	number   uint64
	name     func(dst []byte) []byte
	called   []byte                 // what name has appended
	known    map[uint64]*occurrence // by start<<32|end
}

// place notes where a form was found for the items that have room. It returns whether none of them
// has room any more.
func (p *placer) place(form uint32, begins int, s *stretch) (isFull bool) {
	isFull = true
	p.findings.items.eachPlace(form, func(at posting) {
		of := &p.findings.places[at.item]
		if len(of.list) == MaxPlaces {
			return
		}
		isFull = false
		if of.record != p.number {
			of.record, of.first = p.number, len(of.list)
		}
		item := &p.findings.items.list[at.item]
		if of.covers(begins, int(at.at), item.window) {
			return
		}
		shift := begins - int(at.at) // from a word of the item to the word of the text
		from, to := s.extend(item, int(at.at), shift-s.first)
		of.list = append(of.list, place{
			in: p.occurrence(s, from+shift, to+shift), begins: uint32(from + shift), from: uint32(from), to: uint32(to),
		})
	})
	return isFull
}

// covers reports whether a passage of the item is in a place that is known.
func (o *places) covers(begins, at, window int) bool {
	for _, p := range o.list[o.first:] {
		from, to := int(p.from), int(p.to)
		if at-from == begins-int(p.begins) && from <= at && at+window <= to {
			return true
		}
	}
	return false
}

// extend returns the words of an item that agree with the stretch around a passage that begins at a
// word of the item, with as many changes as there may be. shift is from there to a word of the
// stretch.
func (s *stretch) extend(item *Item, at, shift int) (from, to int) {
	from, to = at, at+item.window
	left := item.changes // changes
	for i := from; i < to; i++ {
		if item.words[i] != s.hashes[i+shift] {
			left--
		}
	}
	// The passage before this one has not led here: so either the word before it is in no passage,
	// or the change in this one is the word with which that ended.
	for from > 0 && from+shift > 0 && left == 0 && item.words[from-1] == s.hashes[from-1+shift] {
		from--
	}
	for to < len(item.words) && to+shift < len(s.hashes) {
		if item.words[to] != s.hashes[to+shift] {
			if left == 0 {
				break
			}
			left--
		}
		to++
	}
	return from, to
}

// occurrence is the occurrence of words of the text, which are in a stretch.
func (p *placer) occurrence(s *stretch, from, to int) *occurrence {
	start, end := s.where[from-s.first]>>32, uint64(uint32(s.where[to-1-s.first]))
	key := start<<32 | end
	if known, ok := p.known[key]; ok {
		return known
	}
	if p.known == nil {
		p.known, p.called = map[uint64]*occurrence{}, p.name(nil)
	}
	text := s.text[int(start)-s.start() : int(end)-s.start()]
	o := &occurrence{p.called, int(start), append([]byte(nil), text...)}
	p.known[key] = o
	return o
}
