package files

import (
	"errors"
	"io"
	"os"
	"sync"

	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A gzip or xz stream is decompressed on one core. If there are several files and more cores, the
// next files are decompressed in the meantime, up to a limit.

// readAheadBytes is the number of bytes that may be decompressed in advance, of all files together.
const readAheadBytes = 128 << 20

// maxAhead is the maximum number of files that are opened before their turn.
const maxAhead = 4

// A ReadAhead opens files before their turn, and starts to decompress those that are compressed. A
// nil *ReadAhead opens none.
type ReadAhead struct {
	paths []string
	std   Streams
	files int // number of files to open ahead

	mu     sync.Mutex // the goroutine that reads may outlive the run
	opened map[int]*aheadFile
	closed bool
}

// OpenAhead makes inputs open before their turn. It returns nil if there are too few cores or
// files.
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

// open returns file i, and opens the next ones.
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

// isPlainFile reports whether a path can be opened early without any effect, unlike a FIFO.
func isPlainFile(path string) bool {
	if path == "-" || object.IsRemote(path) {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Close closes the files that were opened but not needed.
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

// An aheadFile is an open file, which is being decompressed if it is compressed.
type aheadFile struct {
	src io.ReadCloser
	err error // why it could not be opened

	chunks chan aheadChunk // nil if it is not compressed
	free   chan []byte
	done   chan struct{} // closed when no more is wanted
	ended  chan struct{} // closed when src is no longer read
	chunk  []byte        // buffer whose end is rest
	rest   aheadChunk
}

// An aheadChunk is a part of a file, and the error that follows it.
type aheadChunk struct {
	bytes []byte
	err   error
}

const aheadChunkBytes = 256 << 10

// begin opens a file, and starts to decompress it if it is compressed.
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

// run decompresses the file. It waits while there is no space for another chunk.
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

// reader returns the file, once its turn has come.
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
