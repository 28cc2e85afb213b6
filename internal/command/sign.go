package command

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// runSign writes the signature of each record.
func runSign(ctx context.Context, c *config.Sign, std files.Streams) (err error) {
	started := time.Now()
	of, err := method.SigningOf(c.Filter.Method)
	if err != nil {
		return usage.Error(err)
	}
	defer func() { err = errors.Join(err, of.Keys.Close()) }()
	out, err := openResults(c.Filter.Input.Paths, nil, c.Output, std)
	if err != nil {
		return err
	}
	stats, err := sign(ctx, c, of, out, std)
	if err = out.finish(err); err == nil && !c.Filter.Output.Quiet {
		line := fmt.Sprintf("%s in %s: %s", units.Of(stats.Records, "record"),
			time.Since(started).Round(10*time.Millisecond),
			units.Of(stats.Records-stats.Rejects.Total()-stats.Empty, "signature"))
		if stats.Empty > 0 {
			line += fmt.Sprintf("; %s without text", units.Count(stats.Empty))
		}
		shown.Notice(std.Err, "%s", line+run.Unread(stats))
	}
	return err
}

func sign(
	ctx context.Context, c *config.Sign, of method.Signing, out *resultFile, std files.Streams,
) (stats stream.Stats, err error) {
	s := &signer{Signing: of, isBinary: c.Binary, row: make([][]byte, 2)}
	schema := "record:string,"
	switch {
	case c.Binary:
		schema += "signature:string"
	case of.Name == "simhash" || of.Name == "tlsh":
		schema += of.Name + ":string"
	default:
		schema += of.Name + ":json"
	}
	if s.table, err = out.table(c.Format, schema); err != nil {
		return stats, err
	}
	by := run.Sketching{New: of.NewSketcher}
	stats, err = run.Read(ctx, &c.Filter, by, std, func(from *run.Source) (run.Reading, error) {
		return run.JudgedBy(from, c.Filter.Input.ID, of.Keys.Failures.Before(stream.ByRecord(s.begin, s.judge)), s)
	})
	if err == nil {
		err = s.table.Close()
	}
	return stats, err
}

// A signer is the judge that takes the sketches of records, and the sink that writes them with the
// records' names.
type signer struct {
	method.Signing
	isBinary bool
	table    *formats.Results
	row      [][]byte

	values []byte // of the records of a batch, as JSON
	ends   []int  // where that of each record ends
	taken  int    // records of the batch that have been written
	form   []byte // scratch
}

// begin begins a batch.
func (s *signer) begin(stream.Batch) { s.values, s.ends, s.taken = s.values[:0], s.ends[:0], 0 }

// judge takes the sketch of a record. Nothing is a duplicate.
func (s *signer) judge(b stream.Batch, i int) (v stream.Verdict, err error) {
	if words := b.Sketch(i); len(words) > 0 {
		err = s.append(words)
	}
	s.ends = append(s.ends, len(s.values))
	return v, err
}

// append appends the value of a sketch.
func (s *signer) append(words []uint64) error {
	if !s.isBinary {
		s.values = s.AppendValue(s.values, words)
		return nil
	}
	of, err := s.Form(words)
	if err == nil {
		s.form, err = of.AppendBinary(s.form[:0])
	}
	if err != nil {
		return fmt.Errorf("--binary: %w", err)
	}
	s.values = append(base64.StdEncoding.AppendEncode(append(s.values, '"'), s.form), '"')
	return nil
}

// Observe writes the row of a record. The signature is null if the record has none.
func (s *signer) Observe(d *stream.Decided) error {
	start := 0
	if s.taken > 0 {
		start = s.ends[s.taken-1]
	}
	s.row[0] = memory.AppendName(s.row[0][:0], d)
	s.row[1] = s.values[start:s.ends[s.taken]]
	s.taken++
	return s.table.Add(s.row)
}

// Flush writes the rows, since a program at the other end of a pipe may wait for them.
func (s *signer) Flush() error { return s.table.Flush() }
