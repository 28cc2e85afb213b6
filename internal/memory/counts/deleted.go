package counts

import (
	"encoding/binary"
	"math"
)

// A record that was deleted keeps its number, and is in no group any more. Its own group, if it was
// kept, is told of no longer, also when others join it: it has no kept record. When a run deletes
// something is known, so that an earlier run which is repeated finds its groups as they were.

// deletions are the records that were deleted, each with the run that did so; 0 is before all runs.
type deletions map[uint32]uint64

// has reports whether a record was deleted before a run.
func (d deletions) has(record uint32, run uint64) bool {
	by, isDeleted := d[record]
	return isDeleted && by < run
}

// A Moment is when groups are looked at: as the end of a run has found them.
type Moment struct {
	Records uint64 // how many the memory had
	Run     uint64 // its number; what this run or a later one has deleted is still there
}

// Now is the moment after all that has happened.
func (c *Counts) Now() Moment { return Moment{Records: c.Records(), Run: math.MaxUint64} }

// DeletionNotes are notes for the log of a memory that counts so many records: a run has deleted
// some of them, whose numbers are in ascending order. A program that has no runs, such as a
// consumer, is run 0: what it deletes is deleted for every run that is repeated.
func DeletionNotes(records, run uint64, deleted []uint64) (notes [][]byte) {
	for len(deleted) > 0 {
		part := deleted[:min(len(deleted), NotedWithin)]
		deleted = deleted[len(part):]
		note := binary.AppendUvarint([]byte{noteMark, noteDeletes}, records)
		note = binary.AppendUvarint(note, run)
		note = binary.AppendUvarint(note, uint64(len(part)))
		before := uint64(0)
		for _, record := range part {
			note = binary.AppendUvarint(note, record-before)
			before = record
		}
		notes = append(notes, note)
	}
	return notes
}

// deletion reads what stands after the head of such a note.
func (r *noteReader) deletion(c *Counts) error {
	if before := r.uint(); before != c.Records() {
		r.fail("it deletes of %d records, not of %d", before, c.Records())
	}
	run, record := r.uint(), uint64(0)
	for count := r.count(); count > 0 && r.err == nil; count-- {
		gap := r.uint()
		if gap == 0 || gap > c.Records()-record {
			r.fail("it deletes a record that is not there, after record %d", record)
			break
		}
		record += gap
		if _, twice := c.deleted[uint32(record)]; twice {
			r.fail("it deletes record %d for the second time", record)
			break
		}
		c.delete(uint32(record), run)
	}
	if len(r.rest) > 0 {
		r.fail("%d bytes follow on its end", len(r.rest))
	}
	return r.err
}

func (c *Counts) delete(record uint32, run uint64) {
	if c.deleted == nil {
		c.deleted = deletions{}
	}
	c.deleted[record] = run
}

// counted is the kept record of the group in which a record, whose number is from 0, is counted as
// of a run. ok is false if nothing is to be told of that group.
func (c *Counts) counted(i uint64, run uint64) (root uint32, ok bool) {
	root = c.roots.at(i)
	return root, c.marked.has(root) && !c.deleted.has(uint32(i+1), run)
}
