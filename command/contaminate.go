package command

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/formats"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/memory"
	"github.com/mithril-stream/mithril-stream/overlap"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A contamination is what a run finds out about an evaluation set. It is a sink.
type contamination struct {
	items    *overlap.Items
	names    [][]byte // of the items, as JSON
	findings *overlap.Findings
	taken    uint64 // records
	found    int    // items
}

// useItems has an evaluation set looked for in the records.
func (f *filterRun) useItems(ctx context.Context) error {
	c := f.c.Contaminate
	if err := stream.CheckID(f.opts.Format, f.c.ID); err != nil {
		return usage.Error(fmt.Errorf("--id: %w", err))
	}
	const advice = "name it .jsonl"
	if err := formats.HoldsOnly(f.c.Originals, "jsonl", advice); err != nil {
		return usage.Error(err)
	}
	read, err := f.readItems(ctx)
	if err != nil {
		return err
	}
	items, err := overlap.NewItems(read.texts, c.NGram, c.Changes)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Items, err)
	}
	f.items = &contamination{
		items: items, names: read.names, findings: overlap.NewFindings(items, c.Action == "remove"),
	}
	f.opts.Method = stream.Method{
		NewSketcher: func() stream.Sketcher { return items.NewFinder() }, Judge: f.items.findings,
	}
	f.opts.ID, f.ending = f.c.ID, f.reportItems
	f.opts.Sinks = append(f.opts.Sinks, f.items)
	if c.Action != config.ActionMask {
		return nil
	}
	f.parts = &partEditor{judge: f.items.findings, action: c.Action, mask: []byte(c.Mask)}
	return f.parts.prepare(f.source.Settings)
}

// Take notes what was found in a record, under its name.
func (c *contamination) Take(d *stream.Decided) error {
	c.taken++
	c.findings.Note(c.findings.Index(c.taken), func(dst []byte) []byte { return memory.AppendName(dst, d) })
	return nil
}

// Flush has nothing to do: what was found is reported in the end.
func (*contamination) Flush() error { return nil }

// reportItems writes a line for each item that was found.
func (f *filterRun) reportItems() error {
	c := f.items
	if f.out.originals == nil {
		c.found = c.findings.Items()
		return nil
	}
	out := bufio.NewWriterSize(f.out.originals, 64<<10)
	var line []byte
	for i := range c.items.Len() {
		passages, records, places := c.findings.Found(i)
		if records == 0 {
			continue
		}
		c.found++
		all := c.items.At(i).Passages()
		line = append(append(line[:0], `{"item":`...), c.names[i]...)
		line = append(line, `,"share":`...)
		line = strconv.AppendFloat(line, math.Round(float64(passages)/float64(all)*1e4)/1e4, 'f', -1, 64)
		line = fmt.Appendf(line, `,"ngrams":%d,"found":%d,"records":%d,"places":[`, all, passages, records)
		for k, p := range places {
			if k > 0 {
				line = append(line, ',')
			}
			line = append(append(line, `{"record":`...), p.Record...)
			line = fmt.Appendf(line, `,"offset":%d,"passage":`, p.Offset)
			line = stream.AppendQuoted(line, p.Passage)
			line = append(line, `,"in_item":`...)
			line = append(stream.AppendQuoted(line, p.Item), '}')
		}
		line = append(line, "]}\n"...)
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("write findings: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write findings: %w", err)
	}
	return nil
}
