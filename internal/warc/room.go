package warc

import (
	"io"

	"golang.org/x/text/transform"
)

// smallBody is how long a body may become in the memory of a goroutine of its own.
const smallBody = 1 << 20

// A budget is the memory that all goroutines of a run have together for bodies that are longer.
type budget struct {
	most int // bytes of a decoded body
	pair chan *pair
}

// A pair is two buffers: what is decoded from one goes into the other.
type pair [2][]byte

func newBudget(most int) *budget {
	b := &budget{most: most, pair: make(chan *pair, 1)}
	b.pair <- new(pair)
	return b
}

// A room is where a goroutine decodes bodies. Each result is good until the next but one, or until
// leave.
type room struct {
	*budget
	small pair
	large *pair // that of the budget, while this goroutine has it
	at    int   // which of the two comes next
}

// next returns the buffer that comes next, empty.
func (r *room) next() []byte {
	r.at ^= 1
	if r.large != nil {
		return r.roomy(r.at)
	}
	return r.small[r.at][:0]
}

// grow returns a larger buffer with the contents of a full one that next has returned. It waits for
// the others if a body is the first long one of its record.
func (r *room) grow(buf []byte) []byte {
	if cap(buf) < smallBody {
		grown := make([]byte, len(buf), max(4<<10, 2*cap(buf)))
		copy(grown, buf)
		r.small[r.at] = grown
		return grown
	}
	if r.large == nil {
		r.large = <-r.pair
	}
	return append(r.roomy(r.at), buf...)
}

// roomy returns a buffer for the longest body. What of it is never touched takes no memory.
func (r *room) roomy(i int) []byte {
	if r.large[i] == nil {
		r.large[i] = make([]byte, r.most+1)
	}
	return r.large[i][:0]
}

// isFull reports whether there is no room in buf, and may not be any more.
func (r *room) isFull(buf []byte) bool { return len(buf) > r.most }

// readAll reads what there is, but no more than one byte more than is allowed.
func (r *room) readAll(src io.Reader) (buf []byte, err error) {
	for buf = r.next(); !r.isFull(buf); {
		if len(buf) == cap(buf) {
			buf = r.grow(buf)
		}
		n, err := src.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
	}
	return buf, nil
}

// transform returns what t makes of src, likewise.
func (r *room) transform(t transform.Transformer, src []byte) (buf []byte, err error) {
	for buf = r.next(); !r.isFull(buf); {
		n, read, err := t.Transform(buf[len(buf):cap(buf)], src, true)
		buf, src = buf[:len(buf)+n], src[read:]
		if err != transform.ErrShortDst {
			return buf, err
		}
		if cap(buf) > r.most {
			return buf[:cap(buf)], nil // what does not fit any more is too much
		}
		buf = r.grow(buf)
	}
	return buf, nil
}

// leave gives the long buffers back.
func (r *room) leave() {
	if r.large != nil {
		r.pair <- r.large
		r.large = nil
	}
}
