package command

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/quality/pairs"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// runPairs reads the records, those of --against after the others, and then finds the pairs.
func runPairs(ctx context.Context, c *config.Pairs, std files.Streams) error {
	started := time.Now()
	out, err := openResults(c.Filter.Input.Paths, c.Against, c.Output, std)
	if err != nil {
		return err
	}
	p, err := newPairing(c, std)
	if err == nil {
		err = errors.Join(p.run(ctx, std, out), p.join.Close())
	}
	if err = out.finish(err); err != nil {
		return err
	}
	if !c.Filter.Output.Quiet {
		shown.Notice(std.Err, "%s", p.summary(time.Since(started)))
	}
	return nil
}

// A pairing is the state of a search for pairs of records.
type pairing struct {
	c      *config.Pairs
	meter  *files.Meter
	usable uint64 // bytes of memory
	sketch pairSketch
	join   *pairs.Join
	names  memory.Names
	stats  [2]stream.Stats // of the records, and of those they are compared with
	pairs  uint64          // that were found
}

func newPairing(c *config.Pairs, std files.Streams) (p *pairing, err error) {
	p = &pairing{
		c: c, meter: files.NewMeter("compared", std.Err, c.Filter.Output.Quiet),
		usable: uint64(c.MaxMemory), names: memory.Names{WithIDs: c.Filter.Input.ID != ""},
	}
	if p.usable == 0 {
		p.usable, _ = bloomlsh.UsableMemory()
	}
	if p.sketch, err = newPairSketch(c); err != nil {
		return nil, usage.Error(err)
	}
	p.join, err = pairs.New(pairs.Params{
		Threshold: c.Filter.Rule.Threshold, Votes: p.sketch.votes(), Unverified: c.Unverified,
		MaxMemory: p.usable, Threads: std.Threads(c.Filter.Input.Threads),
	})
	return p, err
}

func (p *pairing) run(ctx context.Context, std files.Streams, out *resultFile) error {
	err := p.read(ctx, std)
	if err == nil {
		err = p.find(ctx, out)
	}
	if room := (*pairs.MemoryError)(nil); errors.As(err, &room) {
		return fmt.Errorf("not enough memory: two records of one size need up to %s, and %s may be taken: allow more "+
			"with --max-memory", units.Bytes(room.Needed), units.Bytes(room.Usable))
	}
	return err
}

// read adds all records to the join.
func (p *pairing) read(ctx context.Context, std files.Streams) (err error) {
	if p.stats[0], err = p.readAll(ctx, p.c.Filter, std); err != nil || len(p.c.Against) == 0 {
		return err
	}
	p.join.Divide()
	std.First = nil // of other inputs
	p.stats[1], err = p.readAll(ctx, p.c.Filter.WithPaths(p.c.Against), std)
	return err
}

func (p *pairing) readAll(ctx context.Context, c config.Filter, std files.Streams) (stats stream.Stats, err error) {
	by := run.Sketching{New: p.sketch.newSketcher}
	return run.Read(ctx, &c, by, std, func(from *run.Source) (run.Reading, error) {
		add := run.Each(func(words []uint64) error { return p.join.Add(p.sketch.split(words)) })
		return run.JudgedBy(from, c.Input.ID, add, &p.names)
	})
}

// find writes the pairs.
func (p *pairing) find(ctx context.Context, out *resultFile) error {
	schema := "first:string,second:string,similarity:double"
	if p.c.Unverified {
		schema = "first:string,second:string,bands:int64"
	}
	table, err := out.table(p.c.Format, schema)
	if err != nil {
		return err
	}
	defer p.meter.Clear()
	row, first := make([][]byte, 3), uint64(0)
	err = p.join.Find(ctx, func(of pairs.Pair) error {
		if of.First != first {
			first = of.First
			row[0] = p.names.Append(row[0][:0], first)
			p.meter.Show(p.join.Progress())
		}
		row[1] = p.names.Append(row[1][:0], of.Second)
		if p.c.Unverified {
			row[2] = strconv.AppendInt(row[2][:0], int64(of.Keys), 10)
		} else {
			row[2] = strconv.AppendFloat(row[2][:0], of.Similarity, 'f', -1, 64)
		}
		p.pairs++
		return table.Add(row)
	})
	if err != nil {
		return err
	}
	return table.Close()
}

func (p *pairing) summary(elapsed time.Duration) string {
	line := units.Of(p.stats[0].Records, "record")
	if len(p.c.Against) > 0 {
		line += fmt.Sprintf(" against %s", units.Count(p.stats[1].Records))
	}
	line += fmt.Sprintf(" in %s: %s", elapsed.Round(10*time.Millisecond), units.Of(p.pairs, "pair"))
	if p.c.Unverified {
		line += " to be compared"
	}
	if n := p.join.Blocks(); n > 1 {
		line += fmt.Sprintf(", in %d blocks of %s", n, units.Bytes(p.usable/2))
	}
	line += p.sketch.about(p.c.Filter.Rule.Threshold)
	if empty := p.stats[0].Empty + p.stats[1].Empty; empty > 0 {
		line += fmt.Sprintf("; %s without text", units.Count(empty))
	}
	if n := p.sketch.tooLong.Load(); n > 0 {
		line += fmt.Sprintf("; %s with too many shingles to be compared", units.Count(n))
	}
	return line + run.Unread(p.stats[0]) + run.Unread(p.stats[1])
}
