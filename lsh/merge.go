package lsh

import (
	"encoding/binary"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// Absorb has an index remember what is in the log of another one of the same parameters, up to a
// length: its records follow those of this index, with higher numbers. Signatures that are known
// already stay entries of the earlier record. shift is how much is to be added to numbers of
// records in notes, each of which is handed over if notes is not nil.
func (x *Index) Absorb(file io.ReaderAt, length int64, notes func(note []byte, shift uint64) error) error {
	if length == 0 {
		return nil
	}
	shift := x.records
	var counts [countsOfRecord]uint64
	known := uint64(0)
	err := framelog.Frames(file, length, x.checkHeader, func(kind uint32, payload []byte, at int64) error {
		switch {
		case kind == kindEntries:
			return x.entriesOf(payload, at, func(number uint64, signature []uint64) error {
				x.records = shift + number
				isKnown, err := x.remembered(signature)
				if err != nil || isKnown {
					known++
					return err
				}
				_, err = x.remember(signature)
				return err
			})
		case kind == kindCounts && len(payload) == 8*countsOfRecord:
			for i := range counts {
				counts[i] = binary.LittleEndian.Uint64(payload[8*i:])
			}
			return nil
		case kind == kindNote && notes != nil:
			return notes(payload, shift)
		case kind == kindNote:
			return nil
		}
		return errKind
	})
	x.records = shift + counts[0]
	x.duplicates += counts[1]
	x.copies += counts[2] + known
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
