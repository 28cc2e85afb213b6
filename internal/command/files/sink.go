package files

import (
	"io"

	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// A sink writes a stream to its file. It compresses the stream if requested, and counts its bytes.
type sink struct {
	file     *store.File
	length   uint64           // bytes that this run, or the one that it resumes, has written to the file
	received uint64           // bytes that this run has written, before they were compressed
	z        *compress.Writer // nil if the stream is not compressed
	packed   bool             // the stream consists of gzip members

	durable bool   // the file will be synced
	flushed uint64 // bytes of it that the system was told to start writing to disk
	excess  bool   // bytes of an interrupted run may follow length
}

// writeback is the number of bytes after which the system is told to start writing them to disk.
const writeback = 8 << 20

// newSink returns a sink that continues after the first length bytes of the stream. It may use the
// given number of cores for compression.
func newSink(file *store.File, m compress.Method, cores int, length uint64) (*sink, error) {
	s := &sink{file: file, length: length, flushed: length}
	if m == (compress.Method{}) {
		return s, nil
	}
	var err error
	s.z, err = compress.NewWriter(fileOf{s}, m, cores, length > 0)
	return s, err
}

// Write writes a part of the stream.
func (s *sink) Write(p []byte) (int, error) {
	s.received += uint64(len(p))
	if s.z != nil {
		return s.z.Write(p)
	}
	return fileOf{s}.Write(p)
}

// fileOf is the end of a sink, which writes to the file.
type fileOf struct{ *sink }

func (f fileOf) Write(p []byte) (int, error) {
	if err := f.cut(); err != nil {
		return 0, err
	}
	n, err := f.file.Write(p)
	f.length += uint64(n)
	if f.durable && f.length-f.flushed >= writeback {
		f.flushed = f.length
		startWriteback(f.file.File)
	}
	return n, err
}

// cut removes what an interrupted run left after its last commit. That is not done on opening,
// since only later are the inputs known to be those of that run.
func (s *sink) cut() error {
	if !s.excess {
		return nil
	}
	at, err := s.file.Seek(0, io.SeekCurrent)
	if err == nil {
		err = s.file.Truncate(at)
	}
	s.excess = err != nil
	return err
}

// settle writes all pending bytes to the file. A compressed stream could be cut off after them.
func (s *sink) settle() error {
	if s.z == nil {
		return nil
	}
	return s.z.End()
}

// end writes an empty member to a stream of members that has none.
func (s *sink) end() error {
	if !s.packed || s.length > 0 {
		return nil
	}
	_, err := s.Write(compress.NewPacker(0).Append(nil, nil))
	return err
}
