package warc

import (
	"io"

	"golang.org/x/text/transform"
)

// smallBody is the maximum size of a body in a goroutine's own memory.
const smallBody = 1 << 20

// A budget is the memory for longer bodies, shared by all goroutines of a run.
type budget struct {
	maxBody int // maximum bytes of a decoded body
	pair    chan *pair
}

// A pair of buffers: what is decoded from one is written to the other.
type pair [2][]byte

func newBudget(most int) *budget {
	b := &budget{maxBody: most, pair: make(chan *pair, 1)}
	b.pair <- new(pair)
	return b
}

// A room is a goroutine's memory for decoding bodies. A result is valid until the second next one,
// or until leave.
type bodyBuffers struct {
	*budget
	small pair
	large *pair // the pair from the budget, while this goroutine holds it
	at    int   // index of the next buffer
}

// next returns the next buffer, empty.
func (r *bodyBuffers) next() []byte {
	r.at ^= 1
	if r.large != nil {
		return r.longBuffer(r.at)
	}
	return r.small[r.at][:0]
}

// grow returns a larger buffer with the contents of a full one. For the first long body of a record
// it waits until the shared pair is free.
func (r *bodyBuffers) grow(buf []byte) []byte {
	if cap(buf) < smallBody {
		grown := make([]byte, len(buf), max(4<<10, 2*cap(buf)))
		copy(grown, buf)
		r.small[r.at] = grown
		return grown
	}
	if r.large == nil {
		r.large = <-r.pair
	}
	return append(r.longBuffer(r.at), buf...)
}

// longBuffer returns a buffer for the longest body. Pages never written use no memory.
func (r *bodyBuffers) longBuffer(i int) []byte {
	if r.large[i] == nil {
		r.large[i] = make([]byte, r.maxBody+1)
	}
	return r.large[i][:0]
}

// isFull reports whether buf is beyond the limit.
func (r *bodyBuffers) isFull(buf []byte) bool { return len(buf) > r.maxBody }

// readAll reads everything up to one byte above the limit.
func (r *bodyBuffers) readAll(src io.Reader) (buf []byte, err error) {
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

// transform returns the output of t for src, within the same limit.
func (r *bodyBuffers) transform(t transform.Transformer, src []byte) (buf []byte, err error) {
	for buf = r.next(); !r.isFull(buf); {
		n, read, err := t.Transform(buf[len(buf):cap(buf)], src, true)
		buf, src = buf[:len(buf)+n], src[read:]
		if err != transform.ErrShortDst {
			return buf, err
		}
		if cap(buf) > r.maxBody {
			return buf[:cap(buf)], nil // output beyond the capacity is above the limit
		}
		buf = r.grow(buf)
	}
	return buf, nil
}

// leave releases the shared pair.
func (r *bodyBuffers) leave() {
	if r.large != nil {
		r.pair <- r.large
		r.large = nil
	}
}
