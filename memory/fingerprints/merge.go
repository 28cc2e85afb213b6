package fingerprints

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
	before := framelog.Counts{Records: x.records, Duplicates: x.duplicates, Copies: x.copies}
	entries := func(payload []byte, _ int64) (known uint64, err error) {
		err = x.eachEntry(payload, func(number uint64, fingerprint []uint64) error {
			if before.Records+number <= x.records {
				return fmt.Errorf("%w: record %d follows record %d", ErrCorrupt, number, x.records-before.Records)
			}
			if number > math.MaxUint32-before.Records {
				return ErrFull
			}
			x.records = before.Records + number
			if x.finder.nearest(fingerprint, 0).Record > 0 {
				known++
				return nil
			}
			return x.remember(fingerprint)
		})
		return known, err
	}
	counts, err := framelog.Absorb(file, length, before, logHeader(x.params), entries, notes)
	x.records, x.duplicates, x.copies = counts.Records, counts.Duplicates, counts.Copies
	return err
}
