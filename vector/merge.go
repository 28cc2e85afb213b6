package vector

import (
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// Absorb remembers what a log holds, as of records that follow those of the index. Its entries find
// the lists that are nearest to them here. A row whose cosine with one that is remembered is 1 is
// not kept. shift is what is to be added to the numbers of records in notes, each of which is
// handed over if notes is not nil.
func (x *Index) Absorb(file io.ReaderAt, length int64, notes func(note []byte, shift uint64) error) error {
	if length == 0 {
		return nil
	}
	shift, known := x.records, uint64(0)
	var counts framelog.Counts
	contents := framelog.Contents{
		Header: logHeader(x.params),
		Entries: func(payload []byte, _ int64) error {
			return x.eachEntry(payload, func(record uint64, _ int) error {
				if shift+record <= x.records {
					return fmt.Errorf("%w: record %d follows record %d", ErrCorrupt, record, x.records-shift)
				}
				x.records = shift + record
				if x.search().cosine == 1 {
					known++
					return nil
				}
				return x.remember(x.records, int(x.nearest[0].list))
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
