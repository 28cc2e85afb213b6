package substr

import "math/bits"

// batch is how many windows are hashed before the tables are asked: all their places in a table are
// fetched together, so that cache misses overlap.
const batch = 64

// windows holds consecutive windows of one text.
type windows struct {
	n          int
	start, end [batch]int
	key        [batch]uint64
}

// roller lists the windows of a text: every `count` consecutive units, each with a 64-bit key of
// its bytes.
//
// The key is a polynomial in an odd base modulo 2⁶⁴, Σ letters[cᵢ]·baseⁱ, whose first byte can be
// removed (subtract, multiply by the inverse of base) and to whose end one can be added without
// knowing the length: units have different lengths. Keys are stored in corpus files
// (corpusfile.go), so they never change. Equal windows have equal keys. Different
// windows may have equal keys, so the caller compares the bytes too.
type roller struct {
	unit  Unit
	count int
	salt  uint64 // of the keys: 0 where windows of all texts have the same ones

	text       []byte
	start, end int // the next window
	sum        uint64
	power      uint64 // base to the power end−start
	ok         bool   // there is a next window
}

const base = 0x9e3779b97f4a7c15

var (
	inverse = invert(base)
	letters = func() (table [256]uint64) {
		state := uint64(0)
		for i := range table { // SplitMix64 (Steele, Lea, Flood 2014)
			state += base
			z := (state ^ state>>30) * 0xbf58476d1ce4e5b9
			z = (z ^ z>>27) * 0x94d049bb133111eb
			table[i] = z ^ z>>31
		}
		return table
	}()
)

// invert is the inverse of an odd number modulo 2⁶⁴, by Newton's iteration: each step doubles the
// bits that are right.
func invert(x uint64) uint64 {
	y := x
	for range 6 {
		y *= 2 - x*y
	}
	return y
}

// seek makes the window that begins at or after position p the next one.
func (r *roller) seek(text []byte, p int) {
	r.text, r.sum, r.power = text, 0, 1
	r.start, r.end = p, p
	r.ok = false
	for i := range r.count {
		start, end, ok := r.unit.next(text, r.end)
		if !ok {
			return
		}
		if i == 0 {
			r.start, r.end = start, start
		}
		r.push(end)
	}
	r.ok = true
}

// push appends the bytes up to end.
func (r *roller) push(end int) {
	for _, c := range r.text[r.end:end] {
		r.sum += letters[c] * r.power
		r.power *= base
	}
	r.end = end
}

// drop removes the bytes before start.
func (r *roller) drop(start int) {
	for _, c := range r.text[r.start:start] {
		r.sum = (r.sum - letters[c]) * inverse
		r.power *= inverse
	}
	r.start = start
}

// fill lists the next windows. There are no more when it leaves w.n at 0.
func (r *roller) fill(w *windows) {
	w.n = 0
	if r.unit == Bytes {
		r.fillBytes(w)
		return
	}
	for r.ok && w.n < batch {
		w.start[w.n], w.end[w.n], w.key[w.n] = r.start, r.end, mix(r.sum)^r.salt
		w.n++
		_, end, ok := r.unit.next(r.text, r.end)
		if !ok {
			r.ok = false
			return
		}
		r.push(end)
		_, first, _ := r.unit.next(r.text, r.start)
		second, _, _ := r.unit.next(r.text, first)
		r.drop(second)
	}
}

// fillBytes is fill where each unit is one byte, so that the power stays the same.
func (r *roller) fillBytes(w *windows) {
	if !r.ok {
		return
	}
	sum, power := r.sum, r.power*inverse
	more := r.text[r.end:]
	n := min(batch, len(more))
	for i, in := range more[:n] {
		w.start[i], w.end[i], w.key[i] = r.start+i, r.end+i, mix(sum)^r.salt
		sum = (sum-letters[r.text[r.start+i]])*inverse + letters[in]*power
	}
	r.start, r.end, r.sum = r.start+n, r.end+n, sum
	w.n = n
	if n < batch { // the last window ends with the text
		w.start[n], w.end[n], w.key[n] = r.start, r.end, mix(sum)^r.salt
		w.n++
		r.ok = false
	}
}

// mix spreads a sum, whose low bits depend on few bits of the text, over all bits.
func mix(sum uint64) uint64 {
	high, low := bits.Mul64(sum^0xd1b54a32d192ed03, 0xaef17502108ef2d9)
	return high ^ low
}

// place maps a key evenly to 0 … n−1, by its high bits.
func place(key uint64, n int) int {
	high, _ := bits.Mul64(key, uint64(n))
	return int(high)
}
