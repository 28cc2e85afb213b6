package days

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// Earlier reads the records of a sequence of days. It keeps in memory only the
// position of each sketch. It is not safe for concurrent use.
type Earlier struct {
	index *index.Writer
	days  []Day
	to    Contents

	read   uint64  // records of the days read so far
	first  []int   // for each day, the number of its first sketch
	places []int64 // offset of each sketch in the log of its day

	files map[int]*index.File // a few open logs
	buf   []byte              // scratch buffer
	words []uint64            // scratch buffer
}

// NewEarlier returns the records of days of an index. It passes the other contents of their logs to
// to.
func NewEarlier(of *index.Writer, days []Day, to Contents) *Earlier {
	return &Earlier{index: of, days: days, to: to, files: map[int]*index.File{}}
}

// Packed returns the records as groups take them.
func (e *Earlier) Packed() memory.Packed {
	return memory.Packed{Each: e.each, Records: e.records, At: e.at}
}

// Read returns the number of records in the days that were read completely.
func (e *Earlier) Read() uint64 { return e.read }

// records returns the number of records, but no more than the logs can hold.
func (e *Earlier) records() (records int) {
	for i, day := range e.days {
		records += int(min(day.Records, uint64(e.bytes(i))/wordBytes))
	}
	return records
}

// bytes returns the length of the log of a day, numbered from 0.
func (e *Earlier) bytes(day int) int64 {
	length, _ := e.index.LastCommit().Log(logName(day + 1))
	return length
}

// each implements memory.Packed.Each. It may be called once.
func (e *Earlier) each(do func(packed []uint64) error) error {
	to := e.to
	to.Reader = &framelog.Reader{}
	e.places = make([]int64, 0, e.records())
	for i, day := range e.days {
		e.first = append(e.first, len(e.places))
		to.Sketch = func(sketch []uint64, at int64) error {
			if len(sketch) > 0 {
				e.places = append(e.places, at)
			}
			return do(sketch)
		}
		if err := Read(e.index.ReadLog, i+1, day, to); err != nil {
			return err
		}
		e.read += day.Records
	}
	return nil
}

// at implements memory.Packed.At.
func (e *Earlier) at(dst []uint64, entry uint32) ([]uint64, error) {
	day, _ := slices.BinarySearch(e.first, int(entry)+1)
	day-- // the last day that does not begin after the entry
	words, err := e.sketch(day, e.places[entry])
	if err != nil {
		return dst, readError(e.index.LogPath(logName(day+1)), err)
	}
	return append(dst, words...), nil
}

// readError adds the path of the log to an error, and what to do about it.
func readError(path string, err error) error {
	if errors.Is(err, memory.ErrVersion) {
		return fmt.Errorf("%s: %w", path, err)
	}
	return fmt.Errorf("%s: %w: restore the index from a copy, or group all days anew", path, err)
}

// sketch reads the sketch at an offset in the log of a day. It expects that the sketch is as long
// as the previous one.
func (e *Earlier) sketch(day int, at int64) ([]uint64, error) {
	file, err := e.open(day)
	if err != nil {
		return nil, err
	}
	count := 0
	for want := max(1, len(e.words)); ; want = count {
		size := wordBytes * (1 + want)
		e.buf = slices.Grow(e.buf[:0], size)[:size]
		n, err := file.ReadAt(e.buf, at)
		if err != nil && err != io.EOF {
			return nil, err
		}
		words := binary.LittleEndian.Uint64(e.buf)
		if n < wordBytes || words > uint64(e.bytes(day)-at)/wordBytes {
			return nil, fmt.Errorf("%w: there is no sketch any more at byte %d", memory.ErrCorrupt, at)
		}
		count = int(words)
		if n >= wordBytes*(1+count) {
			break
		}
		if count <= want {
			return nil, fmt.Errorf("%w: half a sketch at byte %d", memory.ErrCorrupt, at)
		}
	}
	e.words = slices.Grow(e.words[:0], count)[:count]
	for i := range e.words {
		e.words[i] = binary.LittleEndian.Uint64(e.buf[wordBytes*(1+i):])
	}
	return e.words, nil
}

// mostFiles is the maximum number of open logs.
const mostFiles = 16

// open returns the log of a day.
func (e *Earlier) open(day int) (*index.File, error) {
	if file := e.files[day]; file != nil {
		return file, nil
	}
	if len(e.files) == mostFiles {
		if err := e.Close(); err != nil {
			return nil, err
		}
	}
	file, _, err := e.index.ReadLog(logName(day + 1))
	if err == nil {
		e.files[day] = file
	}
	return file, err
}

// Close closes the open logs. At opens them again.
func (e *Earlier) Close() (err error) {
	for _, file := range e.files {
		err = errors.Join(err, file.Close())
	}
	clear(e.files)
	return err
}
