package stream

import (
	"bytes"
	"errors"
)

// A divide is the link that divides the output into shards.
type divide struct {
	passive
	*Shards
	opts    *Options
	stats   *Stats
	out     *output // nil if a sink writes kept records
	number  int     // of the shard that is written
	written uint64  // records in it
	read    uint64  // records that came before it
	failure string  // why an input of it was left
	header  []byte  // precedes its records, of the last input that has one
}

func newDivide(p plan) link {
	if p.Shards == nil {
		return nil
	}
	from := p.From
	d := &divide{
		Shards: p.Shards, opts: p.Options, stats: p.stats, out: p.out,
		number: len(from.Shards), written: from.Shard.Written, failure: from.Shard.Lost,
		header: bytes.Clone(p.header),
	}
	for _, done := range from.Shards {
		d.read += done.Read
	}
	return d
}

// at describes the current shard after that many records of the run.
func (d *divide) at(records uint64) Shard {
	return Shard{Read: records - d.read, Written: d.written, Bytes: d.out.sinceStart(), Lost: d.failure}
}

func (d *divide) begin(b *batch) error {
	if err := d.advanceTo(b.input); err != nil {
		return err
	}
	if header := b.header(); len(header) > 0 {
		d.header = append(d.header[:0], header...)
	}
	return nil
}

// advanceTo begins all shards up to that of an input.
func (d *divide) advanceTo(input int) error {
	for d.byInput() && d.number < input {
		d.header = nil
		if err := d.next(d.stats.Records); err != nil {
			return err
		}
	}
	return nil
}

// process begins another shard if the current one is full.
func (d *divide) process(r *passing) error {
	if !r.isKept || !r.isFirst() {
		return nil
	}
	isCounted := r.decision.Fate.isJudged()
	if !d.byInput() && d.isFull(d.at(r.number)) {
		before := r.number
		if isCounted {
			before--
		}
		if err := d.next(before); err != nil {
			return err
		}
	}
	if isCounted {
		d.written++
	}
	return nil
}

// next ends the current shard, after that many records of the run, and begins the next one.
func (d *divide) next(records uint64) error {
	if err := errors.Join(d.out.open(d.header), d.out.close(), d.out.flush()); err != nil {
		return err
	}
	done := d.at(records)
	d.stats.Shards = append(d.stats.Shards, done)
	d.read, d.written, d.failure = d.read+done.Read, 0, ""
	d.number++
	w, err := d.Next(done, d.number)
	if err != nil {
		return writeError{"output", err}
	}
	d.out.restart(w)
	return d.out.open(d.header)
}

// done updates the counts of the shard.
func (d *divide) done() error {
	d.note()
	return nil
}

func (d *divide) note() { d.stats.Shard = d.at(d.stats.Records) }

// inputFailed notes in the current shard why the rest of its input is missing.
func (d *divide) inputFailed(why error) {
	d.failure = why.Error()
	d.note()
}

// end begins the shards of the last inputs, which had no records.
func (d *divide) end() error {
	err := d.advanceTo(len(d.opts.Inputs) - 1)
	d.note()
	return err
}
