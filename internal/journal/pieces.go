package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Pieces holds the functions of a judge that concern pieces of records. The zero value is for a
// judge that does not judge pieces.
type Pieces struct {
	// AppendSeen appends, for each piece of a record in the last batch judged, whether it was seen.
	AppendSeen func(dst []bool, b stream.Batch, record int) []bool
	// Repeat treats a batch as judged. next returns, for each piece in order, whether it was seen.
	Repeat func(b stream.Batch, next func() (seen bool, err error)) error
}

// piecesSuffix is the suffix of the file with a bit for each piece, lowest bit first.
const piecesSuffix = ".pieces"

// A pieceRecorder records which pieces were seen.
type pieceRecorder struct {
	of    Pieces
	file  *index.File
	state pieceState
	buf   []byte
	seen  []bool // pieces of one record
}

// A pieceState is the state of a pieceRecorder at a checkpoint.
type pieceState struct {
	Bytes int64 `json:"bytes"` // complete bytes in the file
	Open  byte  `json:"open"`  // the incomplete byte
	Bits  int   `json:"bits"`  // bits used of Open
}

// recordPieces starts recording, or continues after a checkpoint.
func recordPieces(dir *index.Dir, name string, of Pieces, from pieceState) (*pieceRecorder, error) {
	if of.AppendSeen == nil {
		return nil, errors.New("the judge does not know which pieces of a record were seen")
	}
	f, err := openAt(dir, name, from.Bytes)
	if err != nil {
		return nil, err
	}
	return &pieceRecorder{of: of, file: f, state: from}, nil
}

// add records the pieces of the first records of the last batch judged.
func (r *pieceRecorder) add(b stream.Batch, records int) error {
	for i := range records {
		r.seen = r.of.AppendSeen(r.seen[:0], b, i)
		for _, seen := range r.seen {
			if seen {
				r.state.Open |= 1 << r.state.Bits
			}
			if r.state.Bits++; r.state.Bits == 8 {
				r.buf = append(r.buf, r.state.Open)
				r.state.Bytes++
				r.state.Open, r.state.Bits = 0, 0
			}
		}
	}
	if len(r.buf) >= 64<<10 {
		return r.flush()
	}
	return nil
}

func (r *pieceRecorder) flush() error {
	_, err := r.file.Write(r.buf)
	r.buf = r.buf[:0]
	if err != nil {
		return fmt.Errorf("write which pieces were seen: %w", err)
	}
	return nil
}

// sync makes what is recorded so far durable, except for an incomplete byte.
func (r *pieceRecorder) sync() error {
	if r == nil {
		return nil
	}
	return errors.Join(r.flush(), r.file.Sync())
}

// complete makes everything durable and returns the hash of the file.
func (r *pieceRecorder) complete() (hash string, err error) {
	if r == nil {
		return "", nil
	}
	if r.state.Bits > 0 {
		r.buf = append(r.buf, r.state.Open)
	}
	if err := r.sync(); err != nil {
		return "", err
	}
	return hashOf(r.file)
}

func (r *pieceRecorder) close() error {
	if r == nil {
		return nil
	}
	return r.file.Close()
}

// A pieceReplayer replays which pieces were seen.
type pieceReplayer struct {
	of   Pieces
	file *index.File
	src  *bufio.Reader
	open byte
	bits int // unread bits of the current byte
}

// replayPieces opens a file of pieces after checking it.
func replayPieces(dir *index.Dir, name string, told Pieces, hash string) (*pieceReplayer, error) {
	f, err := openChecked(dir, name, hash)
	if err != nil {
		return nil, err
	}
	return &pieceReplayer{of: told, file: f, src: bufio.NewReader(f)}, nil
}

func (r *pieceReplayer) next() (seen bool, err error) {
	if r.bits == 0 {
		if r.open, err = r.src.ReadByte(); err != nil {
			return false, errPieces(err)
		}
		r.bits = 8
	}
	seen = r.open&1 == 1
	r.open >>= 1
	r.bits--
	return seen, nil
}

// errPieces distinguishes an input with more pieces than the run had from a file that cannot be
// read.
func errPieces(err error) error {
	if err == io.EOF {
		return fmt.Errorf("%w: its records have more paragraphs", ErrOtherInput)
	}
	return fmt.Errorf("read which pieces were seen: %w", err)
}

func (r *pieceReplayer) repeat(b stream.Batch) error { return r.of.Repeat(b, r.next) }

func (r *pieceReplayer) close() error {
	if r == nil {
		return nil
	}
	return r.file.Close()
}

// openAt opens a file for appending at a length, and cuts off whatever follows. If length is 0, it
// creates the file.
func openAt(dir *index.Dir, name string, length int64) (*index.File, error) {
	if length == 0 {
		return dir.Create(name)
	}
	f, err := dir.OpenForWriting(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case length < 0 || info.Size() < length:
		err = fmt.Errorf("%s: %w: it has %d bytes, the last checkpoint wrote %d", f.Name(), ErrDamaged, info.Size(),
			length)
	default:
		if err = f.Truncate(length); err == nil {
			_, err = f.Seek(length, io.SeekStart)
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// openChecked opens a file after checking that it has the given hash.
func openChecked(dir *index.Dir, name, hash string) (*index.File, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	got, err := hashOf(f)
	if err == nil && got != hash {
		err = fmt.Errorf("%s: %w: its checksum is wrong", f.Name(), ErrDamaged)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
