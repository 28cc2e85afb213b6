package boilerplate

import (
	"bufio"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mithril-stream/mithril-stream/internal/private"
)

// A run is a temporary file of sorted items with their counts: three words of 8 bytes each.
type run struct {
	file *os.File
	out  *bufio.Writer
	in   *bufio.Reader

	// The next one while runs are merged.
	of    item
	count uint64
}

const (
	countedBytes = itemBytes + 8
	runBuffer    = 1 << 16
)

func createRun(dir string) (*run, error) {
	file, err := private.Unnamed(dir)
	if err != nil {
		return nil, fmt.Errorf("make a file for counts beyond the memory: %w", err)
	}
	return &run{file: file, out: bufio.NewWriterSize(file, runBuffer)}, nil
}

func (r *run) write(of item, count uint64) error {
	var b [countedBytes]byte
	binary.LittleEndian.PutUint64(b[:], of.site)
	binary.LittleEndian.PutUint64(b[8:], of.hash)
	binary.LittleEndian.PutUint64(b[16:], count)
	_, err := r.out.Write(b[:])
	return err
}

// end is called after the last item.
func (r *run) end() error {
	if err := r.out.Flush(); err != nil {
		return fmt.Errorf("write counts beyond the memory: %w", err)
	}
	r.out = nil
	return nil
}

// next reads the next item. The error is io.EOF after the last one.
func (r *run) next() error {
	var b [countedBytes]byte
	_, err := io.ReadFull(r.in, b[:])
	switch {
	case errors.Is(err, io.EOF):
		return err
	case err != nil:
		return fmt.Errorf("read counts beyond the memory: %w", err)
	}
	r.of = item{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])}
	r.count = binary.LittleEndian.Uint64(b[16:])
	return nil
}

func closeRuns(runs []*run) (err error) {
	for _, r := range runs {
		err = errors.Join(err, r.file.Close())
	}
	return err
}

// merging is the heap of runs that are merged, the one with the least item first.
type merging []*run

func (m merging) Len() int           { return len(m) }
func (m merging) Less(i, j int) bool { return m[i].of.compare(m[j].of) < 0 }
func (m merging) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merging) Push(any)          {} // runs only leave
func (m *merging) Pop() any {
	*m = (*m)[:len(*m)-1]
	return nil
}

// merge hands over how often each item occurs in all runs together, in order.
func merge(runs []*run, take func(of item, count uint64) error) error {
	var m merging
	for _, r := range runs {
		if _, err := r.file.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("read counts beyond the memory: %w", err)
		}
		r.in = bufio.NewReaderSize(r.file, runBuffer)
		switch err := r.next(); {
		case err == nil:
			m = append(m, r)
		case !errors.Is(err, io.EOF):
			return err
		}
	}
	heap.Init(&m)
	for len(m) > 0 {
		of, count := m[0].of, uint64(0)
		for len(m) > 0 && m[0].of == of {
			count += m[0].count
			switch err := m[0].next(); {
			case err == nil:
				heap.Fix(&m, 0)
			case errors.Is(err, io.EOF):
				heap.Pop(&m)
			default:
				return err
			}
		}
		if err := take(of, count); err != nil {
			return err
		}
	}
	return nil
}
