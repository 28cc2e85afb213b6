package command

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A contamination is the task of finding an evaluation set in records, with what a run finds. It is
// a sink.
type contamination struct {
	run.Textless // no texts are sketched before the items are known

	of       *config.Contaminate
	items    *overlap.Items
	names    [][]byte // of the items, as JSON
	findings *overlap.Findings
	taken    uint64 // records
	found    int    // items
	answered int    // of these, found with their answers in some record
	parts    int    // items that no record has enough of
	left     int    // items that are not looked for
	suites   suites
}

// Method returns a method that looks for an evaluation set in the records.
func (c *contamination) Method(ctx context.Context, filter *config.Filter, from *run.Source) (*run.Method, error) {
	of := filter.Contaminate
	if err := from.CheckFields("--id", filter.Input.ID); err != nil {
		return nil, err
	}
	const advice = "name it .jsonl"
	if err := layout.CheckFormat(filter.Output.Originals, "jsonl", advice); err != nil {
		return nil, usage.Error(err)
	}
	read, err := readItems(ctx, filter, from.Std)
	if err != nil {
		return nil, err
	}
	left := read.leaveOut(of.MinWords, filter.Output.Quiet, from.Std)
	items, err := overlap.NewItems(read.texts, read.answers, of.NGram, of.Changes, of.MinShare)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", of.Items, err)
	}
	*c = contamination{
		of: of, items: items, names: read.names, findings: overlap.NewFindings(items, of.Action == "remove"),
		left: left, suites: suitesOf(read, items.Same),
	}
	m := &run.Method{
		Stream: stream.Method{
			NewSketcher: func() stream.Sketcher { return items.NewFinder() }, Judge: c.findings.Judge(),
		},
		Needs: run.Needs{SinkData: stream.SinkData{ID: filter.Input.ID}},
		Sinks: []stream.Sink{stream.SinkFunc(c.Observe)},
		Calls: run.Calls{
			End: func(to *run.Outputs) error {
				c.sum()
				c.suites.announce(filter.Output.Quiet, from.Std)
				return c.report(to.Originals())
			},
			Summary: c.summary,
		},
		Found: &run.Found{Collect: c.collect, Parameters: c.parameters, Describe: c.describe},
	}
	if of.Action == config.ActionMask {
		m.Parts, err = run.EditPieces(&c.findings.LastBatch, of.Action, of.Mask, from)
	}
	return m, err
}

// summary says how many items were found, and how many records were removed for that.
func (c *contamination) summary(s stream.Stats) string {
	line := fmt.Sprintf("%s of %s items found", units.Count(uint64(c.found)), units.Count(uint64(c.items.Len())))
	if c.of.ItemsAnswer != "" {
		line += fmt.Sprintf(", %s with their answers", units.Count(uint64(c.answered)))
	}
	if c.parts > 0 {
		line += fmt.Sprintf(" (less than --min-share %v of %s others)", c.of.MinShare, units.Count(uint64(c.parts)))
	}
	if c.left > 0 {
		line += fmt.Sprintf(", %s of too few or too common words not looked for", units.Count(uint64(c.left)))
	}
	if s.Duplicates > 0 {
		line += fmt.Sprintf(", %s removed (%.1f %%)", units.Of(s.Duplicates, "record"),
			units.Percent(s.Duplicates, s.Records))
	}
	return line
}

// sum counts what was found, after the last record.
func (c *contamination) sum() {
	c.found, c.parts = c.findings.Items()
	c.suites.take(func(item int) uint64 {
		if c.findings.Answered(item) > 0 {
			c.answered++
		}
		_, records, _ := c.findings.Found(item)
		return records
	})
}

// Observe notes what was found in a record, under its name.
func (c *contamination) Observe(d *stream.Decided) error {
	c.taken++
	name := func(dst []byte) []byte { return memory.AppendName(dst, d) }
	c.suites.count(c.taken, c.findings.Note(c.findings.Index(c.taken), name))
	return nil
}

// report writes a line for each item that was found to a file, if there is one.
func (c *contamination) report(file *files.Output) error {
	if file == nil {
		return nil
	}
	out := bufio.NewWriterSize(file, 64<<10)
	var line []byte
	for i := range c.items.Len() {
		passages, records, places := c.findings.Found(i)
		if records == 0 {
			continue
		}
		all := c.items.At(i).Passages()
		line = append(append(line[:0], `{"item":`...), c.names[i]...)
		line = c.suites.append(line, i)
		line = append(line, `,"share":`...)
		line = strconv.AppendFloat(line, math.Round(c.findings.Share(i)*1e4)/1e4, 'f', -1, 64)
		line = fmt.Appendf(line, `,"ngrams":%d,"found":%d,"records":%d`, all, passages, records)
		if c.of.ItemsAnswer != "" {
			line = fmt.Appendf(line, `,"answered":%d`, c.findings.Answered(i))
		}
		line = append(line, `,"places":[`...)
		for k, p := range places {
			if k > 0 {
				line = append(line, ',')
			}
			line = append(append(line, `{"record":`...), p.Record...)
			line = fmt.Appendf(line, `,"offset":%d,"passage":`, p.Offset)
			line = jsontext.AppendQuoted(line, p.Passage)
			line = append(line, `,"in_item":`...)
			line = append(jsontext.AppendQuoted(line, p.Item), '}')
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
