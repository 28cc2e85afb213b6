package main

import (
	"bufio"
	"fmt"
	"io"
)

// A tally is how many records of each kind there were, and how many of them were removed.
type tally struct{ records, removed [kinds]uint64 }

// judge reads what --flags says about that many records, a line for each: 1 for kept, 0 for
// removed.
func judge(flags io.Reader, records uint64) (tally, error) {
	var t tally
	in := bufio.NewReaderSize(flags, 1<<18)
	for number := range records {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return t, fmt.Errorf("flag of record %d of %d: %w", number, records, err)
		}
		k := recordOf(number).kind
		t.records[k]++
		switch string(line) {
		case "0\n":
			t.removed[k]++
		case "1\n":
		default:
			return t, fmt.Errorf("flag of record %d: %q is neither 0 nor 1", number, line)
		}
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return t, fmt.Errorf("there are more flags than the %d records", records)
	}
	return t, nil
}

// wrong is how many originals were removed.
func (t tally) wrong() uint64 { return t.removed[original] }

// missed is how many copies of a kind were kept.
func (t tally) missed(k kind) uint64 { return t.records[k] - t.removed[k] }
