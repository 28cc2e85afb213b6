package counts

import (
	"encoding/binary"
	"math"
)

// A deleted record keeps its number but leaves its group. If it was the kept record of the group,
// that group is no longer reported, even when other records join it. The run that deleted a record
// is stored, so that an earlier run that is repeated finds the groups as they were.

// deletions maps deleted records to the run that deleted them; 0 is before all runs.
type deletions map[uint32]uint64

// has reports whether a record was deleted before a run.
func (d deletions) has(record uint32, run uint64) bool {
	by, isDeleted := d[record]
	return isDeleted && by < run
}

// A Moment selects the state of the groups at the end of a run.
type Moment struct {
	Records uint64 // number of records at that time
	Run     uint64 // number of the run; what it or a later run has deleted is still counted
}

// Now returns the moment after everything that has happened.
func (c *Counts) Now() Moment { return Moment{Records: c.Records(), Run: math.MaxUint64} }

// DeletionNotes returns notes for the log of a memory with that many records, saying that a run
// deleted some of them. The numbers in deleted are in ascending order. A program without runs, such
// as a consumer, passes run 0: what it deletes is deleted in every repeated run.
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

// deletion reads a note of deletions after its head.
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
		r.fail("%d bytes follow its end", len(r.rest))
	}
	return r.err
}

func (c *Counts) delete(record uint32, run uint64) {
	if c.deleted == nil {
		c.deleted = deletions{}
	}
	c.deleted[record] = run
}

// counted returns the kept record of the group that record i, from 0, belongs to as of a run. ok is
// false if that group is not reported.
func (c *Counts) counted(i uint64, run uint64) (root uint32, ok bool) {
	root = c.roots.at(i)
	return root, c.marked.has(root) && !c.deleted.has(uint32(i+1), run)
}
