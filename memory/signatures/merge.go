package signatures

import (
	"io"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// Absorb has an index remember what is in the log of another one of the same parameters, up to a
// length: its records follow those of this index, with higher numbers. Signatures that are known
// already stay entries of the earlier record. shift is how much is to be added to numbers of
// records in notes, each of which is handed over if notes is not nil.
func (x *Index) Absorb(file io.ReaderAt, length int64, notes func(note []byte, shift uint64) error) error {
	before := framelog.Counts{Records: x.records, Duplicates: x.duplicates, Copies: x.copies}
	entries := func(payload []byte, at int64) (known uint64, err error) {
		err = x.entriesOf(payload, at, func(number uint64, signature []uint64) error {
			x.records = before.Records + number
			isKnown, err := x.remembered(signature)
			if err != nil || isKnown {
				known++
				return err
			}
			_, err = x.remember(signature)
			return err
		})
		return known, err
	}
	counts, err := framelog.Absorb(file, length, before, logHeader(x.params), entries, notes)
	x.records, x.duplicates, x.copies = counts.Records, counts.Duplicates, counts.Copies
	return err
}

// remembered reports whether there is an entry of the same signature, and set, as the record at
// hand has.
func (x *Index) remembered(signature []uint64) (known bool, err error) {
	if x.sealed != nil {
		x.marks = x.marksOf(x.marks[:0], signature)
	}
	if !x.params.Sets {
		_, known = x.copyOf(signature)
		return known, nil
	}
	_, known, err = x.bestOfSets(signature)
	return known, err
}
