package files

import (
	"io"

	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// A sink is the way of a stream into its file: compressed, if asked for, and counted.
type sink struct {
	file     *store.File
	length   uint64           // bytes that this run, or the one that it resumes, has written to the file
	received uint64           // bytes that this run has written, before they were compressed
	z        *compress.Writer // nil if nothing is to be compressed
	packed   bool             // what is written are gzip members

	durable bool   // the file will be synced
	flushed uint64 // how much of it the system was told to write to the disk already
	excess  bool   // after length there may be bytes of a run that was interrupted
}

// writeback is how much is written to a file before the system is told to begin with it.
const writeback = 8 << 20

// newSink goes on after the first bytes of the stream. It may compress on the given number of
// cores.
func newSink(file *store.File, m compress.Method, cores int, length uint64) (*sink, error) {
	s := &sink{file: file, length: length, flushed: length}
	if m == (compress.Method{}) {
		return s, nil
	}
	var err error
	s.z, err = compress.NewWriter(fileOf{s}, m, cores, length > 0)
	return s, err
}

// Write takes a part of the stream.
func (s *sink) Write(p []byte) (int, error) {
	s.received += uint64(len(p))
	if s.z != nil {
		return s.z.Write(p)
	}
	return fileOf{s}.Write(p)
}

// fileOf is the end of a sink.
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

// cut drops what an interrupted run has left after its last commit. It waits until something is to
// be written: only then the inputs are known to be the inputs of that run.
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

// settle brings everything into the file that is on its way there. A compressed stream could be cut
// off after it.
func (s *sink) settle() error {
	if s.z == nil {
		return nil
	}
	return s.z.End()
}

// end makes a stream of members, into which none was written, a compressed nothing.
func (s *sink) end() error {
	if !s.packed || s.length > 0 {
		return nil
	}
	_, err := s.Write(compress.NewPacker(0).Append(nil, nil))
	return err
}
