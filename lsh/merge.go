package lsh

import (
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
	var counts framelog.Counts
	known := uint64(0)
	contents := framelog.Contents{
		Header: logHeader(x.params),
		Entries: func(payload []byte, at int64) error {
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
