package files

import (
	"errors"
	"io"
	"math"
	"os"
	"sync"
	"sync/atomic"
)

// ReadPositions know how far each input that is open has been read, in bytes of its file, by its
// path. All methods may be called at once, and of nil they do nothing.
type ReadPositions struct {
	mu sync.Mutex
	of map[string]func() int64
}

// set has a path read from a file from now on.
func (p *ReadPositions) set(path string, at func() int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[string]func() int64{}
	}
	p.of[path] = at
}

// Of is how far the file of that path has been read: 0 if that is unknown, and more than it has if
// it was closed.
func (p *ReadPositions) Of(path string) int64 {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	at := p.of[path]
	p.mu.Unlock()
	if at == nil {
		return 0
	}
	return at()
}

// Forget lets go of a file that has been read.
func (p *ReadPositions) Forget(path string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.of, path)
}

// follow watches a file that is read from its beginning to its end.
func (p *ReadPositions) follow(path string, f *os.File) {
	p.set(path, func() int64 {
		at, err := f.Seek(0, io.SeekCurrent)
		if errors.Is(err, os.ErrClosed) {
			return math.MaxInt64
		}
		return at // 0 of a pipe
	})
}

// FollowAt watches a file that is read at any place, one part after the other, through what it
// returns.
func (p *ReadPositions) FollowAt(path string, f *os.File) io.ReaderAt {
	if p == nil {
		return f
	}
	followed := &followedFile{File: f}
	p.set(path, followed.at.Load)
	return followed
}

// A followedFile remembers where it was read last.
type followedFile struct {
	*os.File
	at atomic.Int64
}

// ReadAt reads at a place, and remembers it.
func (f *followedFile) ReadAt(b []byte, at int64) (int, error) {
	f.at.Store(at)
	return f.File.ReadAt(b, at)
}
