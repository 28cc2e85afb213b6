package stream

import (
	"errors"
	"io"
)

// Shards has Output divided into streams that follow each other, each of them whole: with the
// header of a table, or the brackets of an array. Options.Output is the first of them, or the one
// that a run which is resumed goes on with; without it a Sink writes what is kept, and only Records
// can say how much. If neither Records nor Bytes is set there is one for each input.
//
// What is Aside counts as bytes, but not as a record. It may begin a shard: what describes a record
// often stands before it.
type Shards struct {
	Records uint64 // that are written to one, after which the next begins; 0 is any number
	Bytes   uint64 // the same of the bytes: the record that reaches them is the last one

	// Next is called when a shard is through, before sinks are told of a record of the next one,
	// and returns the writer of that. number counts from 0, which is the first.
	Next func(number int) (io.Writer, error)
}

// A Shard is what was written to one.
type Shard struct {
	Read    uint64 // records that came while it was written
	Written uint64 // of them, those that are in it
	Bytes   uint64
	Lost    string `json:",omitempty"` // why the input could not be read any further, of the last such input
}

// byInput reports whether there is a shard for each input.
func (s *Shards) byInput() bool { return s.Records == 0 && s.Bytes == 0 }

// isFull reports whether the next record goes into the next shard.
func (s *Shards) isFull(at Shard) bool {
	return s.Records > 0 && at.Written >= s.Records || s.Bytes > 0 && at.Bytes >= s.Bytes
}

// A sharder is the part of a committer that knows about shards. It is nil if there is one output.
type sharder struct {
	*Shards
	number  int    // of the shard at hand
	written uint64 // records in it
	read    uint64 // records that came before it
	lost    string // why an input of it was left
	header  []byte // what stands before its records
}

func newSharder(s *Shards, from Stats) *sharder {
	if s == nil {
		return nil
	}
	sh := &sharder{Shards: s, number: len(from.Shards), written: from.Shard.Written, lost: from.Shard.Lost}
	for _, done := range from.Shards {
		sh.read += done.Read
	}
	return sh
}

// at is the shard at hand, after records of the run. pending bytes are about to be written to it.
func (s *sharder) at(records uint64, o *output, pending int) Shard {
	at := Shard{Read: records - s.read, Written: s.written, Lost: s.lost}
	if o != nil {
		at.Bytes = *o.written - o.start + uint64(pending)
	}
	return at
}

// enterShard begins the shards up to the shard of an input.
func (c *committer) enterShard(input int) error {
	if c.shards == nil || !c.shards.byInput() {
		return nil
	}
	for c.shards.number < input {
		c.shards.header = nil
		if err := c.nextShard(c.stats.Records); err != nil {
			return err
		}
	}
	return nil
}

// loseInShard notes why an input is left, in the shard that its records went to.
func (c *committer) loseInShard(input int, why string) error {
	if c.shards == nil {
		return nil
	}
	err := c.enterShard(input)
	c.shards.lost = why
	c.stats.Shard = c.shards.at(c.stats.Records, c.kept, 0)
	return err
}

// isShardFull reports whether a record that is to be written begins another shard. pending bytes
// will be written before it.
func (c *committer) isShardFull(b *batch, pending int) bool {
	return c.shards != nil && !c.shards.byInput() && b.piece <= FirstPiece &&
		c.shards.isFull(c.shards.at(c.stats.Records, c.kept, pending))
}

// recordsBefore is how many records came before the one at hand, on which the decision is d.
func (c *committer) recordsBefore(d Decision) uint64 {
	if d.Fate == Aside {
		return c.stats.Records // it is not counted itself
	}
	return c.stats.Records - 1
}

// nextShard ends the shard at hand, which has what is kept of so many records, and begins the next.
func (c *committer) nextShard(records uint64) error {
	s := c.shards
	if err := errors.Join(c.kept.begin(s.header), c.kept.end(), c.kept.flush()); err != nil {
		return err
	}
	done := s.at(records, c.kept, 0)
	c.stats.Shards = append(c.stats.Shards, done)
	s.read, s.written, s.lost = s.read+done.Read, 0, ""
	s.number++
	w, err := s.Next(s.number)
	if err != nil {
		return writeError{"output", err}
	}
	c.kept.restart(w)
	return c.kept.begin(s.header)
}

// endShards begins the shards of the inputs that had no records.
func (c *committer) endShards() error {
	if c.shards == nil {
		return nil
	}
	err := c.enterShard(len(c.opts.Inputs) - 1)
	c.stats.Shard = c.shards.at(c.stats.Records, c.kept, 0)
	return err
}

// restart has records go to another writer, as if nothing had been written. A RecordWriter stays:
// it has made that writer itself.
func (o *output) restart(w io.Writer) {
	if o == nil {
		return
	}
	if o.records == nil {
		o.w.Reset(w)
	}
	o.start = *o.written
}
