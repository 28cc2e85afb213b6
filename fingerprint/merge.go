package fingerprint

import (
	"fmt"
	"io"
	"math"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// Absorb remembers what a log holds, as of records that follow those of the index. A fingerprint
// that is remembered already is not kept. shift is what is to be added to the numbers of records in
// notes, each of which is handed over if notes is not nil.
func (x *Index) Absorb(file io.ReaderAt, length int64, notes func(note []byte, shift uint64) error) error {
	if length == 0 {
		return nil
	}
	shift, known := x.records, uint64(0)
	var counts framelog.Counts
	contents := framelog.Contents{
		Header: logHeader(x.params),
		Entries: func(payload []byte, _ int64) error {
			return x.eachEntry(payload, func(number uint64, fingerprint []uint64) error {
				if shift+number <= x.records {
					return fmt.Errorf("%w: record %d follows record %d", ErrCorrupt, number, x.records-shift)
				}
				if number > math.MaxUint32-shift {
					return ErrFull
				}
				x.records = shift + number
				if x.finder.nearest(fingerprint, 0).Record > 0 {
					known++
					return nil
				}
				return x.remember(fingerprint)
			})
		},
		Counts: func(c framelog.Counts) error {
			counts = c
			return nil
		},
	}
	if notes != nil {
		contents.Notes = func(note []byte) error { return notes(note, shift) }
	}
	err := framelog.Read(file, length, contents)
	x.records = shift + counts.Records
	x.duplicates += counts.Duplicates
	x.copies += counts.Copies + known
	return err
}
