package vectors

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
	before := framelog.Counts{Records: x.records, Duplicates: x.duplicates, Copies: x.copies}
	entries := func(payload []byte, _ int64) (known uint64, err error) {
		err = x.eachEntry(payload, func(record uint64, _ int) error {
			if before.Records+record <= x.records {
				return fmt.Errorf("%w: record %d follows record %d", ErrCorrupt, record, x.records-before.Records)
			}
			x.records = before.Records + record
			if x.search().cosine == 1 {
				known++
				return nil
			}
			return x.remember(x.records, int(x.nearest[0].list))
		})
		return known, err
	}
	counts, err := framelog.Absorb(file, length, before, logHeader(x.params), entries, notes)
	x.records, x.duplicates, x.copies = counts.Records, counts.Duplicates, counts.Copies
	return err
}
