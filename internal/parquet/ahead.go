package parquet

import (
	"container/heap"
	"context"
	"io"
	"slices"
	"sync"
	"sync/atomic"
)

// A Remote is a file on another machine, where each read is a request to a server and takes time.
// It must be safe for concurrent use. A File reads only the needed columns of a Remote, and fetches
// several chunks ahead of time in parallel.
type Remote interface {
	io.ReaderAt
	// Fetch fills p with the bytes starting at off. It returns soon after ctx is done.
	Fetch(ctx context.Context, p []byte, off int64) error
}

// Limits on the bytes of a remote file fetched ahead. What is needed right now is fetched in any
// case, one piece for each column.
const (
	aheadBytes  = 32 << 20
	columnBytes = 64 << 10  // or this for each column, if more
	mostBytes   = 256 << 20 // but never more
	fetches     = 8         // concurrent requests
	mostLanes   = 4096      // in several row groups
	unitsAhead  = 64
)

// ahead fetches what a File will need next. Only one goroutine may call its methods.
type ahead struct {
	file    Remote
	footer  *footer
	columns []int // the columns that are read
	maxHeld int64 // maximum bytes held
	window  int64 // bytes that each lane may hold ahead of need

	units []*unit // the one being read, and those after it
	next  int     // the first row group not yet in a unit
	flows bool    // the file is being read, not only looked at

	pieceMemory

	ctx    context.Context
	cancel context.CancelFunc
	ends   sync.WaitGroup
}

// pieceMemory is the memory of pieces: those held, and what is kept for others.
type pieceMemory struct {
	held    int64
	running atomic.Int64
	spare   [][]byte // memory of released pieces, for reuse
	idle    int64    // bytes of spare; with the pieces held at most `most`
}

// A unit is one row group, or several small consecutive ones.
type unit struct {
	first, groups int
	lanes         []*lane  // of the columns of its first group, then of its second, and so on
	shared        []*piece // pieces of the short lanes
	begun         int      // number of shared pieces already requested
	long          queue    // lanes not yet requested to their end
}

// A fetch is the result of a request.
type fetch struct {
	buf  []byte
	err  error
	done chan struct{} // closed once buf or err is set
}

func newAhead(file Remote, f *footer, columns []int) *ahead {
	a := &ahead{file: file, footer: f, columns: columns}
	n := int64(max(1, len(columns)))
	a.maxHeld = min(max(aheadBytes, n*columnBytes), mostBytes)
	a.window = min(a.maxHeld/n, pieceBytes)
	a.ctx, a.cancel = context.WithCancel(context.Background())
	return a
}

// moveTo moves to row group i, and releases what was fetched for those before.
func (a *ahead) moveTo(i int) error {
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

// plan creates the next unit.
func (a *ahead) plan() error {
	u := &unit{first: a.next}
	for a.next < len(a.footer.groups) {
		g, err := a.footer.group(a.next)
		if err != nil {
			return err // Open would have returned it
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

// lane returns the reader for column i, among those that are read, of a row group.
func (a *ahead) lane(group, i int) io.ReaderAt {
	u := a.units[0]
	return &laneReader{a, u, u.lanes[(group-u.first)*len(a.columns)+i]}
}

// need waits for a piece and returns it. Meanwhile the following ones are fetched.
func (a *ahead) need(p *piece) ([]byte, error) {
	if p.got == nil {
		a.begin(p)
	}
	a.more()
	<-p.got.done
	return p.got.buf, p.got.err
}

// more requests what will be needed next, within the limits. For a file that may only be looked at,
// that is its beginning.
func (a *ahead) more() {
	for at := 0; a.running.Load() < fetches; {
		if at == len(a.units) {
			isLast := !a.flows || a.next == len(a.footer.groups) || at == unitsAhead
			if isLast || a.plan() != nil {
				return
			}
		}
		u, room := a.units[at], a.maxHeld-a.held
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

// extend creates the next piece of a long lane.
func (u *unit) extend(l *lane, window int64) *piece {
	p := l.next(window)
	if l.made < l.to {
		heap.Fix(&u.long, l.place)
	} else {
		heap.Remove(&u.long, l.place)
	}
	return p
}

// begin requests a piece.
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

// pass releases the pieces of a long lane before an offset.
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
		if size := int64(cap(p.got.buf)); size >= firstBytes && a.held+a.idle+size <= a.maxHeld {
			a.spare, a.idle = append(a.spare, p.got.buf), a.idle+size
		}
	default: // a fetch is still writing to it
	}
	p.got = nil
}

// buffer returns memory for a piece, reusing a released one that is not much too large.
func (a *ahead) buffer(size int64) []byte {
	for i, b := range a.spare {
		if int64(cap(b)) >= size && int64(cap(b)) <= 2*size {
			a.spare, a.idle = slices.Delete(a.spare, i, i+1), a.idle-int64(cap(b))
			return b[:size]
		}
	}
	if a.held+a.idle+size > a.maxHeld {
		a.spare, a.idle = nil, 0
	}
	return make([]byte, size)
}

// close cancels all fetches.
func (a *ahead) close() {
	a.cancel()
	a.ends.Wait()
}
