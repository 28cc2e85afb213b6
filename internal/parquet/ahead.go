package parquet

import (
	"container/heap"
	"context"
	"io"
	"slices"
	"sync"
	"sync/atomic"
)

// A Remote is a file on another machine: each reading of it is a request to a server, which takes
// its time. It is safe for concurrent use. Of such a file a File reads the chunks of the columns
// that it needs alone, several at once, before it is their turn.
type Remote interface {
	io.ReaderAt
	// Fetch fills p with the bytes from off on. It ends soon after ctx is done.
	Fetch(ctx context.Context, p []byte, off int64) error
}

// What is held of a remote file before it is needed. What is needed is fetched in any case, for
// each column a piece.
const (
	aheadBytes  = 32 << 20
	columnBytes = 64 << 10  // or these for each column,
	mostBytes   = 256 << 20 // but never more
	fetches     = 8         // at once
	mostLanes   = 4096      // of several row groups together
	unitsAhead  = 64
)

// An ahead fetches what a File is going to need. Its methods are for one goroutine.
type ahead struct {
	file    Remote
	footer  *footer
	columns []int // that are read
	most    int64 // bytes to be held
	window  int64 // bytes of a lane that may be held without need

	units []*unit // the one that is read, and those after it
	next  int     // the first row group that is in none
	flows bool    // it is read on, and not only looked at

	held    int64
	running atomic.Int64
	spare   [][]byte // memory of pieces that were let go
	idle    int64    // bytes of it: with what is held no more than most

	ctx    context.Context
	cancel context.CancelFunc
	ends   sync.WaitGroup
}

// A unit is row groups that follow each other: one, or several small ones.
type unit struct {
	first, groups int
	lanes         []*lane  // of the columns of its first group, of its second, and so on
	shared        []*piece // of the short ones
	begun         int      // of these, those that were asked for
	long          queue    // lanes that are not asked for up to their ends
}

// A fetch is what comes of a request.
type fetch struct {
	buf  []byte
	err  error
	done chan struct{} // closed when buf or err is there
}

func newAhead(file Remote, f *footer, columns []int) *ahead {
	a := &ahead{file: file, footer: f, columns: columns}
	n := int64(max(1, len(columns)))
	a.most = min(max(aheadBytes, n*columnBytes), mostBytes)
	a.window = min(a.most/n, pieceBytes)
	a.ctx, a.cancel = context.WithCancel(context.Background())
	return a
}

// enter goes to row group i. What was fetched of those before it is let go.
func (a *ahead) enter(i int) error {
	for len(a.units) > 0 && i >= a.units[0].first+a.units[0].groups {
		for _, p := range a.units[0].shared {
			a.release(p)
		}
		for _, l := range a.units[0].lanes {
			a.pass(l, l.to)
		}
		a.units = a.units[1:]
	}
	if len(a.units) > 0 {
		return nil
	}
	a.next = i
	return a.plan()
}

// plan makes the next unit.
func (a *ahead) plan() error {
	u := &unit{first: a.next}
	for a.next < len(a.footer.groups) {
		g, err := a.footer.group(a.next)
		if err != nil {
			return err // which Open would have met
		}
		lanes := u.lanes
		for _, i := range a.columns {
			l := &lane{}
			if k := g.chunks[i]; k.levels > 0 {
				l.span = span{k.start, k.end}
			}
			lanes = append(lanes, l)
		}
		if u.groups > 0 && (extent(lanes) > pieceBytes || len(lanes) > mostLanes) {
			break
		}
		u.lanes = lanes
		u.groups++
		a.next++
	}
	u.shared, u.long = share(u.lanes, a.window)
	heap.Init(&u.long)
	a.units = append(a.units, u)
	return nil
}

// lane is where column number i, of those that are read, is read from in a row group.
func (a *ahead) lane(group, i int) io.ReaderAt {
	u := a.units[0]
	return &laneReader{a, u, u.lanes[(group-u.first)*len(a.columns)+i]}
}

// need returns a piece when it is there. Meanwhile those that follow are fetched.
func (a *ahead) need(p *piece) ([]byte, error) {
	if p.got == nil {
		a.begin(p)
	}
	a.more()
	<-p.got.done
	return p.got.buf, p.got.err
}

// more asks for what will be needed next, as far as there is room. Of a file that may only be
// looked at this is what stands at the beginning.
func (a *ahead) more() {
	for at := 0; a.running.Load() < fetches; {
		if at == len(a.units) {
			isLast := !a.flows || a.next == len(a.footer.groups) || at == unitsAhead
			if isLast || a.plan() != nil {
				return
			}
		}
		u, room := a.units[at], a.most-a.held
		switch {
		case u.begun < len(u.shared):
			p := u.shared[u.begun]
			if p.got == nil && p.size() > room {
				return
			}
			if u.begun++; p.got == nil {
				a.begin(p)
			}
		case len(u.long) > 0:
			l := u.long[0]
			if !a.flows && l.made > l.from || l.length > room {
				return
			}
			a.begin(u.extend(l, a.window))
		default:
			at++
		}
	}
}

// extend makes the next piece of a long lane.
func (u *unit) extend(l *lane, window int64) *piece {
	p := l.next(window)
	if l.made < l.to {
		heap.Fix(&u.long, l.place)
	} else {
		heap.Remove(&u.long, l.place)
	}
	return p
}

// begin asks for a piece.
func (a *ahead) begin(p *piece) {
	f := &fetch{buf: a.buffer(p.size()), done: make(chan struct{})}
	p.got = f
	a.held += p.size()
	a.running.Add(1)
	a.ends.Go(func() {
		defer close(f.done)
		f.err = a.file.Fetch(a.ctx, f.buf, p.from)
		a.running.Add(-1)
	})
}

// pass lets go of the pieces of a long lane before a place.
func (a *ahead) pass(l *lane, off int64) {
	for len(l.pieces) > 0 && l.pieces[0].to <= off {
		a.release(l.pieces[0])
		l.pieces = l.pieces[1:]
	}
}

func (a *ahead) release(p *piece) {
	if p.got == nil {
		return
	}
	a.held -= p.size()
	select {
	case <-p.got.done:
		if size := int64(cap(p.got.buf)); size >= firstBytes && a.held+a.idle+size <= a.most {
			a.spare, a.idle = append(a.spare, p.got.buf), a.idle+size
		}
	default: // a fetch still writes to it
	}
	p.got = nil
}

// buffer returns memory for a piece, of one that was let go if there is one not much too large.
func (a *ahead) buffer(size int64) []byte {
	for i, b := range a.spare {
		if int64(cap(b)) >= size && int64(cap(b)) <= 2*size {
			a.spare, a.idle = slices.Delete(a.spare, i, i+1), a.idle-int64(cap(b))
			return b[:size]
		}
	}
	if a.held+a.idle+size > a.most {
		a.spare, a.idle = nil, 0
	}
	return make([]byte, size)
}

// close ends all fetches.
func (a *ahead) close() {
	a.cancel()
	a.ends.Wait()
}
