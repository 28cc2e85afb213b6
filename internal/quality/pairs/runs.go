package pairs

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"

	"github.com/mithril-stream/mithril-stream/internal/private"
)

// runs stores sorted runs of pairs in a file. For any first record, the pairs in an earlier run
// precede those in later ones.
type runs struct {
	file *os.File
	out  *bufio.Writer
	at   int64
	ends []int64 // of each run
	row  [pairBytes]byte
}

// pairBytes is the size of a pair in the file.
const pairBytes = 32

func newRuns() (*runs, error) {
	file, err := private.Unnamed("")
	if err != nil {
		return nil, unwritable(err)
	}
	return &runs{file: file, out: bufio.NewWriterSize(file, 1<<16)}, nil
}

// add adds a pair to the current run.
func (r *runs) add(p Pair) error {
	binary.LittleEndian.PutUint64(r.row[:], p.First)
	binary.LittleEndian.PutUint64(r.row[8:], p.Second)
	binary.LittleEndian.PutUint64(r.row[16:], math.Float64bits(p.Similarity))
	binary.LittleEndian.PutUint64(r.row[24:], uint64(p.Keys))
	if _, err := r.out.Write(r.row[:]); err != nil {
		return unwritable(err)
	}
	r.at += pairBytes
	return nil
}

// end ends the current run.
func (r *runs) end() { r.ends = append(r.ends, r.at) }

// merge emits the pairs of all runs in order, and removes them.
func (r *runs) merge(emit func(Pair) error) error {
	if err := r.out.Flush(); err != nil {
		return unwritable(err)
	}
	var open []*reader
	start := int64(0)
	for _, end := range r.ends {
		if end > start {
			open = append(open, &reader{in: bufio.NewReaderSize(io.NewSectionReader(r.file, start, end-start), 1<<14)})
		}
		start = end
	}
	for _, run := range open {
		if _, err := run.next(); err != nil {
			return err
		}
	}
	for len(open) > 0 {
		lowest := 0
		for i, run := range open {
			if run.pair.First < open[lowest].pair.First {
				lowest = i
			}
		}
		if err := emit(open[lowest].pair); err != nil {
			return err
		}
		isMore, err := open[lowest].next()
		if err != nil {
			return err
		}
		if !isMore {
			open = append(open[:lowest], open[lowest+1:]...)
		}
	}
	return r.reset()
}

// reset truncates the file.
func (r *runs) reset() error {
	r.at, r.ends = 0, r.ends[:0]
	_, err := r.file.Seek(0, io.SeekStart)
	if err = errors.Join(err, r.file.Truncate(0)); err != nil {
		return unwritable(err)
	}
	return nil
}

func (r *runs) close() error { return r.file.Close() }

// A reader reads a run.
type reader struct {
	in   *bufio.Reader
	row  [pairBytes]byte
	pair Pair
}

// next reads a pair, and reports whether there was one.
func (r *reader) next() (isMore bool, err error) {
	if _, err := io.ReadFull(r.in, r.row[:]); err == io.EOF {
		return false, nil
	} else if err != nil {
		return false, unreadable(err)
	}
	r.pair = Pair{
		First: binary.LittleEndian.Uint64(r.row[:]), Second: binary.LittleEndian.Uint64(r.row[8:]),
		Similarity: math.Float64frombits(binary.LittleEndian.Uint64(r.row[16:])),
		Keys:       int(binary.LittleEndian.Uint64(r.row[24:])),
	}
	return true, nil
}
