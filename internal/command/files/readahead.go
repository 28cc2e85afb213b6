package files

import (
	"errors"
	"io"
	"os"
	"sync"

	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A stream of gzip or xz is decompressed on one core. Where several files are given and there are
// more cores, the files that come next are decompressed meanwhile, as far as there is room.

// readAheadBytes is how much is decompressed beforehand, of all files together.
const readAheadBytes = 128 << 20

// maxAhead is how many files at most are opened before it is their turn.
const maxAhead = 4

// A ReadAhead opens compressed files before it is their turn. A nil *readAhead opens none.
type ReadAhead struct {
	paths []string
	std   Streams
	files int // to be ahead

	mu     sync.Mutex // the goroutine that reads may outlive the run
	opened map[int]*aheadFile
	closed bool
}

// OpenAhead has inputs opened before it is their turn. It is nil if there are no cores for it.
func OpenAhead(paths []string, inputs []stream.Input, std Streams) *ReadAhead {
	files := min(std.Cores.Count()-1, len(paths)-1, maxAhead)
	if files < 1 {
		return nil
	}
	a := &ReadAhead{paths: paths, std: std, files: files, opened: map[int]*aheadFile{}}
	for i, in := range inputs {
		inputs[i].Open = func() (io.ReadCloser, error) { return a.open(i, in.Open) }
	}
	return a
}

// open returns a file, and opens those that come next.
func (a *ReadAhead) open(i int, open func() (io.ReadCloser, error)) (io.ReadCloser, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil, os.ErrClosed
	}
	file, ok := a.opened[i]
	delete(a.opened, i)
	for next := i + 1; next <= i+a.files && next < len(a.paths); next++ {
		if _, ok := a.opened[next]; !ok && isPlainFile(a.paths[next]) {
			a.opened[next] = a.begin(a.paths[next])
		}
	}
	if ok {
		return file.reader()
	}
	return open()
}

// isPlainFile reports whether opening a path early changes nothing: opening a FIFO does.
func isPlainFile(path string) bool {
	if path == "-" || object.IsRemote(path) {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Close closes what was opened and is not needed.
func (a *ReadAhead) Close() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	var errs []error
	for _, file := range a.opened {
		errs = append(errs, file.close())
	}
	clear(a.opened)
	return errors.Join(errs...)
}

// An aheadFile is a file that is open, and being decompressed if it is compressed.
type aheadFile struct {
	src io.ReadCloser
	err error // it could not be opened

	chunks chan aheadChunk // nil if it is not compressed
	free   chan []byte
	done   chan struct{} // closed when nobody wants more
	ended  chan struct{} // closed when src is not read any more
	chunk  []byte        // the one that rest is the end of
	rest   aheadChunk
}

// An aheadChunk is a part of a file, or the error after it.
type aheadChunk struct {
	bytes []byte
	err   error
}

const aheadChunkBytes = 256 << 10

// begin opens a file.
func (a *ReadAhead) begin(path string) *aheadFile {
	f := &aheadFile{}
	if f.src, f.err = a.std.Open(path); f.err != nil {
		return f
	}
	if _, isPlain := f.src.(*os.File); isPlain {
		return f
	}
	chunks := readAheadBytes / aheadChunkBytes / a.files
	f.chunks, f.free = make(chan aheadChunk, chunks), make(chan []byte, chunks+2) // two are in hand
	f.done, f.ended = make(chan struct{}), make(chan struct{})
	go f.run()
	return f
}

// run decompresses as far as there is room.
func (f *aheadFile) run() {
	defer close(f.ended)
	for {
		var chunk []byte
		select {
		case chunk = <-f.free:
		default:
			chunk = make([]byte, aheadChunkBytes)
		}
		n, err := io.ReadFull(f.src, chunk)
		if err == io.ErrUnexpectedEOF {
			err = io.EOF
		}
		select {
		case f.chunks <- aheadChunk{chunk[:n], err}:
		case <-f.done:
			return
		}
		if err != nil {
			return
		}
	}
}

// reader is the file, when it is its turn.
func (f *aheadFile) reader() (io.ReadCloser, error) {
	if f.err != nil || f.chunks == nil {
		return f.src, f.err
	}
	return aheadReader{f}, nil
}

func (f *aheadFile) close() error {
	if f.err != nil {
		return nil
	}
	if f.done != nil {
		close(f.done)
		<-f.ended
	}
	return f.src.Close()
}

type aheadReader struct{ *aheadFile }

func (r aheadReader) Read(p []byte) (int, error) {
	f := r.aheadFile
	if len(f.rest.bytes) == 0 && f.rest.err == nil {
		f.rest = <-f.chunks
		f.chunk = f.rest.bytes[:cap(f.rest.bytes)]
	}
	n := copy(p, f.rest.bytes)
	if f.rest.bytes = f.rest.bytes[n:]; len(f.rest.bytes) > 0 {
		return n, nil
	}
	if f.rest.err == nil {
		f.free <- f.chunk // never blocks: there are no more chunks than places
	}
	return n, f.rest.err
}

func (r aheadReader) Close() error { return r.close() }
