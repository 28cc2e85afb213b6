package counts

// Known is a record of one index whose sketch is also in another index. The merged index uses First
// in its place.
type Known struct{ Record, First uint64 }

// Absorb appends the records of other. known lists those whose sketch c already has, by their
// numbers in the merged index. A kept one among them joins the group of Known.First, with all
// records that were removed for it. A deleted record keeps only its place. Both Counts must count
// the same.
func (c *Counts) Absorb(other *Counts, known []Known) error {
	before := c.Records()
	joined := map[uint32]uint32{}
	for _, k := range known {
		record := k.Record - before
		if err := other.check(record); err != nil {
			return err
		}
		if err := c.check(k.First); err != nil {
			return err
		}
		if uint64(other.roots.at(record-1)) == record {
			joined[uint32(record)] = c.roots.at(k.First - 1)
		}
	}
	for i := range other.Records() {
		root := before + uint64(other.roots.at(i))
		if to, isJoined := joined[other.roots.at(i)]; isJoined {
			root = uint64(to)
		}
		if err := c.putOf(other, i, root); err != nil {
			return err
		}
	}
	return nil
}

// putOf appends record i, from 0, of other counts.
func (c *Counts) putOf(other *Counts, i, root uint64) error {
	if other.deleted.has(uint32(i+1), other.Now().Run) {
		return c.putDeleted(root)
	}
	second, ids := int64(unknownTime), make([]uint16, len(c.values))
	if c.selection.Time != "" {
		second = other.times.at(i)
	}
	for field := range ids {
		value := other.values[field].names.value(other.values[field].ids.at(i))
		ids[field], _ = c.values[field].names.id([]byte(value))
	}
	return c.put(root, second, ids)
}

// putDeleted appends a deleted record, whose group is all that is known.
func (c *Counts) putDeleted(root uint64) error {
	if err := c.put(root, unknownTime, make([]uint16, len(c.values))); err != nil {
		return err
	}
	c.delete(uint32(c.Records()), 0)
	if c.log != nil {
		c.pending.deleted = append(c.pending.deleted, c.Records())
	}
	return nil
}
