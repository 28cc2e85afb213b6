package days

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// Contents receives what the log of a day holds. If Names is nil, all notes are skipped.
type Contents struct {
	// Sketch is called with the sketch of each record, empty if it has none, and its offset in the
	// log. The slice is valid only during the call.
	Sketch func(sketch []uint64, at int64) error
	Names  func(note []byte) error   // a note of memory.Names, whose records start at 1 each day
	Joined func(record uint64) error // a record that represents no group, numbered over all days
	// a pair joined this day, ordered by its later record, numbered over all days
	Pair func(memory.Join) error

	Reader *framelog.Reader // reused for the next log; nil makes one
}

// Read passes the contents of the log of a day to to. open opens the log. If the log is damaged or
// does not match day, the error matches memory.ErrCorrupt.
func Read(open index.ReadLog, number int, day Day, to Contents) (err error) {
	file, length, err := open(logName(number))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := readLog(file, number, length, day.Records, to); err != nil {
		return readError(file.Name(), err)
	}
	return nil
}

// Verify reads and checks the whole log of a day.
func Verify(open index.ReadLog, number int, day Day) error {
	var names memory.Names
	err := Read(open, number, day, Contents{
		Sketch: func([]uint64, int64) error { return nil }, Names: names.Load,
		Joined: func(uint64) error { return nil }, Pair: func(memory.Join) error { return nil },
	})
	if err == nil {
		err = names.Check(day.Records)
	}
	return err
}

func readLog(file io.ReaderAt, number int, bytes int64, records uint64, to Contents) error {
	r := reader{to: to}
	contents := framelog.Contents{Header: header(number), Entries: r.entries, Reader: to.Reader}
	if to.Names != nil {
		contents.Notes = r.note
	}
	err := framelog.Read(file, bytes, contents)
	if err == nil && r.records != records {
		err = fmt.Errorf("%w: it has %d records in place of %d", memory.ErrCorrupt, r.records, records)
	}
	return err
}

// A reader parses the contents of frames.
type reader struct {
	to      Contents
	records uint64
	joined  uint64   // the last record that represents no group
	later   uint64   // of the last pair
	sketch  []uint64 // the current sketch
}

const wordBytes = 8

// entries passes on the sketches of a frame. It checks the length of each against the frame.
func (r *reader) entries(payload []byte, at int64) error {
	end := at + int64(len(payload))
	for len(payload) > 0 {
		at := end - int64(len(payload))
		if len(payload) < wordBytes {
			return fmt.Errorf("%w: half a record", memory.ErrCorrupt)
		}
		words := binary.LittleEndian.Uint64(payload)
		if payload = payload[wordBytes:]; words > uint64(len(payload)/wordBytes) {
			return fmt.Errorf("%w: a sketch of %d words, where there is no room for it", memory.ErrCorrupt, words)
		}
		r.sketch = slices.Grow(r.sketch[:0], int(words))[:words]
		for i := range r.sketch {
			r.sketch[i] = binary.LittleEndian.Uint64(payload[i*wordBytes:])
		}
		payload = payload[words*wordBytes:]
		r.records++
		if err := r.to.Sketch(r.sketch, at); err != nil {
			return err
		}
	}
	return nil
}

// note passes on names, records that represent no group, or pairs.
func (r *reader) note(note []byte) error {
	switch {
	case memory.IsNames(note):
		return r.to.Names(note)
	case len(note) > 0 && note[0] == joinedMark:
		return r.joinedNote(note[1:])
	case len(note) > 0 && note[0] == pairsMark:
		return r.pairsNote(note[1:])
	}
	return fmt.Errorf("%w: a note of no known kind: use a newer program", memory.ErrVersion)
}

func (r *reader) pairsNote(note []byte) error {
	for len(note) > 0 {
		step, size := binary.Uvarint(note)
		distance, more := binary.Uvarint(note[max(0, size):])
		if size <= 0 || more <= 0 || step > math.MaxUint32-r.later || distance>>1 == 0 ||
			distance>>1 > r.later+step {
			return fmt.Errorf("%w: a pair that is not possible", memory.ErrCorrupt)
		}
		r.later += step
		pair := memory.Join{Later: uint32(r.later), Earlier: uint32(r.later - distance>>1), IsCopy: distance&1 == 1}
		if err := r.to.Pair(pair); err != nil {
			return err
		}
		note = note[size+more:]
	}
	return nil
}

func (r *reader) joinedNote(note []byte) error {
	for len(note) > 0 {
		step, size := binary.Uvarint(note)
		if size <= 0 || step == 0 || r.joined+step < step {
			return fmt.Errorf("%w: records that are joined, and in no order", memory.ErrCorrupt)
		}
		r.joined += step
		if err := r.to.Joined(r.joined); err != nil {
			return err
		}
		note = note[size:]
	}
	return nil
}
