package files

import (
	"errors"
	"io"
	"math"
	"os"
	"sync"
	"sync/atomic"
)

// ReadPositions records how far each open input has been read, by path and in bytes of its file. It
// is safe for concurrent use. The methods of a nil *ReadPositions do nothing.
type ReadPositions struct {
	mu sync.Mutex
	of map[string]func() int64
}

// set makes at the function that returns the position of a path.
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

// Of returns how far the file at a path has been read. It is 0 if that is unknown, and more than
// the size of the file if that was closed.
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

// Forget drops the position of a file that has been read.
func (p *ReadPositions) Forget(path string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.of, path)
}

// follow tracks a file that is read from beginning to end.
func (p *ReadPositions) follow(path string, f *os.File) {
	p.set(path, func() int64 {
		at, err := f.Seek(0, io.SeekCurrent)
		if errors.Is(err, os.ErrClosed) {
			return math.MaxInt64
		}
		return at // 0 for a pipe
	})
}

// FollowAt tracks a file that is read at any offset, one part after another, through the returned
// reader.
func (p *ReadPositions) FollowAt(path string, f *os.File) io.ReaderAt {
	if p == nil {
		return f
	}
	followed := &followedFile{File: f}
	p.set(path, followed.at.Load)
	return followed
}

// A followedFile remembers the offset of its last read.
type followedFile struct {
	*os.File
	at atomic.Int64
}

// ReadAt implements io.ReaderAt, and remembers the offset.
func (f *followedFile) ReadAt(b []byte, at int64) (int, error) {
	f.at.Store(at)
	return f.File.ReadAt(b, at)
}
