package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// An itemReader collects the texts of an evaluation set. It is a judge and a sink, which get items
// as others get records.
type itemReader struct {
	texts   [][]byte
	answers []overlap.Answer // of each text; nil if answers are not looked for
	names   [][]byte         // as JSON
	files   []string         // that the items are from
	from    []int            // the number of the file of each item
	batch   [][]byte         // the texts of the last batch
}

// readItems reads an evaluation set, whatever its format.
func readItems(ctx context.Context, filter *config.Filter, std files.Streams) (*itemReader, error) {
	c, maxRecord := filter.Contaminate, filter.Input.MaxRecord
	if c.Items == "-" {
		return nil, usage.Error(errors.New("--items - is not possible: standard input has the records"))
	}
	std.First, std.Selection = nil, &files.Selection{Match: c.Format.Reads, All: c.Format.AllFiles}
	paths, err := std.Paths([]string{c.Items})
	if err != nil {
		return nil, err
	}
	run.AnnounceLeftOut(filter.Output.Quiet, std)
	wanted := formats.Request{Settings: c.Format, Paths: paths, MaxRecord: maxRecord}
	wanted.Unwritten = true
	items, err := formats.Choose(ctx, wanted, std)
	if err != nil {
		return nil, err
	}
	defer items.Close()
	run.AnnounceField(items, filter.Output.Quiet, std)
	if err := record.CheckName(items.Format, c.ItemsID); err != nil {
		return nil, usage.Error(fmt.Errorf("--items-id: %w", err))
	}
	r := &itemReader{}
	data := stream.SinkData{ID: c.ItemsID}
	if c.ItemsAnswer != "" {
		if err := record.CheckName(items.Format, c.ItemsAnswer); err != nil {
			return nil, usage.Error(fmt.Errorf("--items-answer: %w", err))
		}
		data.Fields, r.answers = []string{c.ItemsAnswer}, []overlap.Answer{}
	}
	run, err := stream.New(stream.Options{
		Source: stream.Source{
			Inputs: items.Inputs, Format: items.Format, MaxRecord: maxRecord,
			SinkData: data, Limits: stream.Limits{NeedsFields: true},
		},
		Method: stream.Method{
			NewSketcher: func() stream.Sketcher { return rawText{} }, Judge: stream.ByRecord(r.begin, r.judge),
		},
		Outputs: stream.Outputs{Sinks: []stream.Sink{stream.SinkFunc(r.Observe)}}, Threads: 1,
	})
	if err != nil {
		return nil, err
	}
	stats, err := run.Do(ctx)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the evaluation set: %w", err)
	case stats.Rejects.CutOff() > 0:
		return nil, fmt.Errorf("the evaluation set is incomplete: %s", stats.FirstCut)
	case stats.Rejects.Total() > 0:
		return nil, fmt.Errorf("the evaluation set cannot be read: %s: name its text with --items-field",
			stats.FirstReject)
	case len(r.texts) == 0:
		return nil, fmt.Errorf("%s has no items", c.Items)
	}
	return r, nil
}

// leaveOut empties the items that would be found by chance, so that they are not looked for. It
// names the first of them, and returns how many they are. Items that are distinct enough together
// with their answers are looked for only with these.
func (r *itemReader) leaveOut(least int, quiet bool, std files.Streams) (left int) {
	if least == 1 {
		return 0 // an item without words is never found
	}
	var named []string
	words := overlap.NewWords(r.texts)
	for i, text := range r.texts {
		if words.Count(text).IsDistinct(least) {
			continue
		}
		if r.answers != nil && words.Count(r.answers[i].Text).Different > 0 &&
			words.Count(text, r.answers[i].Text).IsDistinct(least) {
			r.answers[i].Needed = true
			continue
		}
		if left++; left <= mostLeftNamed {
			named = append(named, fmt.Sprintf("%s (%.40q)", r.names[i], text))
		}
		r.texts[i] = nil
	}
	if left == 0 || quiet {
		return left
	}
	if left > mostLeftNamed {
		named = append(named, fmt.Sprintf("and %s more", units.Count(uint64(left-mostLeftNamed))))
	}
	shown.Notice(std.Err, "items with fewer than %d different words, or of common words, are not looked for: %s; "+
		"--min-words 1 looks for them, too", least, strings.Join(named, ", "))
	return left
}

// mostLeftNamed is how many of the items that are not looked for are named.
const mostLeftNamed = 10

// rawText is a sketcher whose sketch is the text, after its length.
type rawText struct{}

func (rawText) Append(dst []uint64, text []byte) ([]uint64, bool) {
	if len(text) == 0 {
		return dst, false
	}
	return overlap.AppendBytes(append(dst, uint64(len(text))), text), true
}

// begin begins a batch.
func (r *itemReader) begin(stream.Batch) { r.batch = r.batch[:0] }

// judge takes the text of an item. Nothing is a duplicate.
func (r *itemReader) judge(b stream.Batch, i int) (v stream.Verdict, err error) {
	var text []byte
	if sketch := b.Sketch(i); len(sketch) > 0 {
		text = append(text, overlap.BytesOf(sketch[1:], int(sketch[0]))...)
	}
	r.batch = append(r.batch, text)
	return v, nil
}

// Observe adds an item, even if it is empty, so that numbers are as in the file.
func (r *itemReader) Observe(d *stream.Decided) error {
	r.texts, r.batch = append(r.texts, r.batch[0]), r.batch[1:]
	name := append([]byte(nil), d.ID...)
	if len(name) == 0 {
		name = strconv.AppendInt(nil, int64(len(r.texts)), 10)
	}
	r.names = append(r.names, name)
	if len(r.files) == 0 || r.files[len(r.files)-1] != d.Input {
		r.files = append(r.files, d.Input)
	}
	r.from = append(r.from, len(r.files)-1)
	if r.answers == nil {
		return nil
	}
	answer, err := textOf(d.Fields[0])
	r.answers = append(r.answers, overlap.Answer{Text: answer})
	return err
}

// textOf returns the text of a JSON value. Values other than strings are returned as they are
// written.
func textOf(value []byte) ([]byte, error) {
	if len(value) == 0 || value[0] != '"' {
		return bytes.Clone(value), nil
	}
	var text string
	err := json.Unmarshal(value, &text)
	return []byte(text), err
}
