package days

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// Contents are told what the log of a day holds. If Names is nil, notes of all kinds are passed
// over.
type Contents struct {
	// Sketch is told that of each record, empty if it has none, and where it stands in the log. It
	// is good until the next one.
	Sketch func(sketch []uint64, at int64) error
	Names  func(note []byte) error   // of memory.Names, whose records begin at 1 each day
	Joined func(record uint64) error // stands for no group; its number is one over all days
	Pair   func(memory.Join) error   // was joined this day, in the order of later ones over all days

	Buffer *[]byte // for what is read, from one log to the next; nil for one of its own
}

// Read hands over what the log of a day in dir holds. It must be as the day says: else the error is
// memory.ErrCorrupt, with the place.
func Read(dir string, number int, day Day, to Contents) (err error) {
	path := Path(dir, number)
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return readError(path, fmt.Errorf("%w: it is missing", memory.ErrCorrupt))
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := readLog(file, number, day.Bytes, day.Records, to); err != nil {
		return readError(path, err)
	}
	return nil
}

// Verify reads the log of a day and looks at all of it.
func Verify(dir string, number int, day Day) error {
	var names memory.Names
	err := Read(dir, number, day, Contents{
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
	contents := framelog.Contents{Header: header(number), Entries: r.entries, Buffer: to.Buffer}
	if to.Names != nil {
		contents.Notes = r.note
	}
	err := framelog.Read(file, bytes, contents)
	if err == nil && r.records != records {
		err = fmt.Errorf("%w: it has %d records in the place of %d", memory.ErrCorrupt, r.records, records)
	}
	return err
}

// A reader takes apart what frames hold.
type reader struct {
	to      Contents
	records uint64
	joined  uint64   // the last record that stands for no group
	later   uint64   // of the last pair
	sketch  []uint64 // of the record at hand
}

const wordBytes = 8

// entries hands over the sketches of a frame. The length of each is checked against what is there.
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

// note hands over names, records that stand for no group, or pairs.
func (r *reader) note(note []byte) error {
	switch {
	case memory.IsNames(note):
		return r.to.Names(note)
	case len(note) > 0 && note[0] == joinedMark:
		return r.joinedNote(note[1:])
	case len(note) > 0 && note[0] == pairsMark:
		return r.pairsNote(note[1:])
	}
	return fmt.Errorf("%w: a note of no known kind", memory.ErrVersion)
}

func (r *reader) pairsNote(note []byte) error {
	for len(note) > 0 {
		step, size := binary.Uvarint(note)
		distance, more := binary.Uvarint(note[max(0, size):])
		if size <= 0 || more <= 0 || step > math.MaxUint32-r.later || distance>>1 == 0 ||
			distance>>1 > r.later+step {
			return fmt.Errorf("%w: a pair that cannot be", memory.ErrCorrupt)
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
