package parquet

import (
	"cmp"
	"slices"
)

// How the bytes of a remote file are asked for.
const (
	pieceBytes = 4 << 20   // at once
	firstBytes = 512 << 10 // at the beginning of a long chunk
	gapBytes   = 64 << 10  // that nobody needs are fetched along, rather than asked around
)

// A span is some bytes of a file.
type span struct{ from, to int64 }

func (s span) size() int64 { return s.to - s.from }

// A piece is bytes that are asked for at once.
type piece struct {
	span
	got *fetch // nil as long as it is not asked for
}

// A lane is the bytes of one chunk. Several lanes are read beside each other, each from its
// beginning to its end. A short one has its bytes in a piece that it shares with its neighbours, a
// long one in pieces of its own, which are made as they are needed: nobody knows yet whether its
// bytes are there at all.
type lane struct {
	span
	shared *piece
	pieces []*piece // of its own, in their order, from the one at hand on
	made   int64    // up to where its own pieces go
	length int64    // of the next of them
	place  int      // in a queue
}

// share gives lanes of at most window bytes pieces that they share with their neighbours. It
// returns these pieces, and the other lanes.
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

// next makes the next piece of a long lane. The first ones are small, since it may only be looked
// at.
func (l *lane) next(window int64) *piece {
	to := l.to
	if l.to-l.made > l.length+l.length/8 { // what is left is worth a request
		to = l.made + l.length
	}
	p := &piece{span: span{l.made, to}}
	l.pieces, l.made, l.length = append(l.pieces, p), to, min(2*l.length, window)
	return p
}

// due is how far a long lane is read, from 0 to 1, before its next piece is needed.
func (l *lane) due() float64 { return float64(l.made-l.from) / float64(l.size()) }

// extent is how many bytes stand between the first byte of lanes and the last one.
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

// A queue is long lanes, first the one whose next piece is needed first, as container/heap has it.
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

// Push puts a lane at the end.
func (q *queue) Push(l any) {
	l.(*lane).place = len(*q)
	*q = append(*q, l.(*lane))
}

// Pop takes the last lane.
func (q *queue) Pop() any {
	last := len(*q) - 1
	l := (*q)[last]
	*q = (*q)[:last]
	return l
}
