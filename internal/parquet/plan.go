package parquet

import (
	"cmp"
	"slices"
)

// Sizes of the requests for a remote file.
const (
	pieceBytes = 4 << 20   // maximum of a request
	firstBytes = 512 << 10 // at the beginning of a long chunk
	gapBytes   = 64 << 10  // unneeded bytes that are fetched along rather than split a request
)

// A span is a range of bytes of a file.
type span struct{ from, to int64 }

func (s span) size() int64 { return s.to - s.from }

// A piece is a range of bytes fetched by one request.
type piece struct {
	span
	got *fetch // nil until it is requested
}

// A lane is the bytes of one chunk. Several lanes are read in parallel, each sequentially. A short
// lane is in a piece that it shares with its neighbours. A long lane has pieces of its own, created
// as they are needed, since the file may be shorter than it claims.
type lane struct {
	span
	shared *piece
	pieces []*piece // its own pieces, from the current one on
	made   int64    // where its own pieces end so far
	length int64    // length of the next piece
	place  int      // index in a queue
}

// share assigns lanes of at most window bytes to pieces shared with their neighbours. It returns
// these pieces, and the other lanes.
func share(lanes []*lane, window int64) (shared []*piece, long queue) {
	byPlace := func(a, b *lane) int { return cmp.Compare(a.from, b.from) }
	var last *piece
	for _, l := range slices.SortedStableFunc(slices.Values(lanes), byPlace) {
		switch {
		case l.size() == 0:
			continue
		case l.size() > window:
			l.made, l.length, l.place = l.from, min(firstBytes, window), len(long)
			long = append(long, l)
			continue
		case last == nil || l.from > last.to+gapBytes || max(l.to, last.to)-last.from > pieceBytes:
			last = &piece{span: l.span}
			shared = append(shared, last)
		}
		last.to = max(last.to, l.to)
		l.shared = last
	}
	return shared, long
}

// next creates the next piece of a long lane. The first pieces are small, since the lane may only
// be looked at.
func (l *lane) next(window int64) *piece {
	to := l.to
	if l.to-l.made > l.length+l.length/8 { // the rest is worth a request of its own
		to = l.made + l.length
	}
	p := &piece{span: span{l.made, to}}
	l.pieces, l.made, l.length = append(l.pieces, p), to, min(2*l.length, window)
	return p
}

// due returns how far, from 0 to 1, a long lane is read when its next piece is needed.
func (l *lane) due() float64 { return float64(l.made-l.from) / float64(l.size()) }

// extent returns the number of bytes from the first byte of lanes to the last.
func extent(lanes []*lane) int64 {
	all := span{}
	for _, l := range lanes {
		switch {
		case l.size() == 0:
		case all.size() == 0:
			all = l.span
		default:
			all = span{min(all.from, l.from), max(all.to, l.to)}
		}
	}
	return all.size()
}

// A queue is a heap of long lanes, ordered by when their next piece is needed.
type queue []*lane

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	if a, b := q[i].due(), q[j].due(); a != b {
		return a < b
	}
	return q[i].from < q[j].from
}

func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

// Push implements heap.Interface.
func (q *queue) Push(l any) {
	l.(*lane).place = len(*q)
	*q = append(*q, l.(*lane))
}

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	last := len(*q) - 1
	l := (*q)[last]
	*q = (*q)[:last]
	return l
}
