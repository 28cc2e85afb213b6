package framelog

import "io"

// Absorb hands over what a log holds to a memory that has counted some records before, which follow
// those: entries returns how many were known already. Notes come with the number of these records.
// It returns what the memory has counted then.
func Absorb(
	file io.ReaderAt, length int64, before Counts, header []byte,
	entries func(payload []byte, at int64) (known uint64, err error),
	notes func(note []byte, shift uint64) error,
) (after Counts, err error) {
	if length == 0 {
		return before, nil
	}
	var counted Counts // the last ones of the log are those of all of it
	known := uint64(0)
	contents := Contents{
		Header: header,
		Entries: func(payload []byte, at int64) error {
			n, err := entries(payload, at)
			known += n
			return err
		},
		Counts: func(c Counts) error {
			counted = c
			return nil
		},
	}
	if notes != nil {
		contents.Notes = func(note []byte) error { return notes(note, before.Records) }
	}
	err = Read(file, length, contents)
	return Counts{
		Records: before.Records + counted.Records, Duplicates: before.Duplicates + counted.Duplicates,
		Copies: before.Copies + counted.Copies + known,
	}, err
}
