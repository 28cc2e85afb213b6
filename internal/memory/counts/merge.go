package counts

// A Known is a record of one index whose sketch another one knows: in the union of both the first
// one stands for it.
type Known struct{ Record, First uint64 }

// Absorb has the records of other counts follow those of c. known are the records among them that c
// knows, by their numbers in the union. Of these a record that was kept is in the group of the
// first one now, and so are those that were removed for it. Of what was deleted nothing comes along
// but that it was there. Both must count the same.
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

// putOf appends a record of other counts, whose number there is from 0.
func (c *Counts) putOf(other *Counts, i, root uint64) error {
	if other.deleted.has(uint32(i+1), other.Now().Run) {
		return c.putDeleted(root)
	}
	second, ids := int64(unknownTime), make([]uint16, len(c.values))
	if c.what.Time != "" {
		second = other.times.at(i)
	}
	for field := range ids {
		value := other.values[field].names.value(other.values[field].ids.at(i))
		ids[field], _ = c.values[field].names.id([]byte(value))
	}
	if c.rank = c.rank[:0]; c.what.ranked() {
		c.rank = other.ranks.appendOf(c.rank, i)
	}
	return c.put(root, second, ids, c.rank)
}

// putDeleted appends a record that was deleted, of which nothing is known but its group.
func (c *Counts) putDeleted(root uint64) error {
	if err := c.put(root, unknownTime, make([]uint16, len(c.values)), nil); err != nil {
		return err
	}
	c.delete(uint32(c.Records()), 0)
	if c.log != nil {
		c.pending.deleted = append(c.pending.deleted, c.Records())
	}
	return nil
}
