package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/private"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// runApply copies the records that the flags keep. With --swaps it reads them twice.
func runApply(ctx context.Context, c *config.Apply, std files.Streams) error {
	if c.Counts == "" {
		return runSwap(ctx, c, run.TaskOf(&c.Filter), std)
	}
	r, err := newResampling(ctx, c, run.TaskOf(&c.Filter), std)
	if err != nil {
		return err
	}
	if c.Swaps != "" {
		err = runSwap(ctx, c, r, std)
	} else {
		err = run.Filter(ctx, &c.Filter, r, std)
	}
	if err == nil && !c.Filter.Output.Quiet {
		r.note(std.Err)
	}
	return err
}

// runSwap reads the records twice: to collect the better ones, and to copy those that the flags
// keep, with the better ones in the places of some.
func runSwap(ctx context.Context, c *config.Apply, task run.Task, std files.Streams) (err error) {
	if err := files.RefuseToMix([]string{c.Swaps}, c.Filter.Written(), std); err != nil {
		return err
	}
	swaps, err := readSwaps(ctx, c, std)
	if err != nil {
		return err
	}
	quiet := c.Filter.Output.Quiet
	std, inputs, done, err := files.ReadTwice(ctx, std, c.Filter.Input.Paths, c.Filter.Written(), "", quiet)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	filter, err := leaveEditable(c.Filter.WithPaths(inputs), std)
	if err != nil {
		return err
	}
	s := &swapper{Task: task, list: swaps, std: std, quiet: quiet}
	if err := s.better.open(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.better.file.Close()) }()
	if err := run.Filter(ctx, &filter, s, std); err != nil {
		return err
	}
	if !quiet {
		shown.Notice(std.Err, "%s of them replaced by better ones", units.Count(uint64(len(swaps.byKept))))
	}
	return nil
}

// A swapper is the task of following flags, with better records in the places of some. It is a
// sink, which is told of each record before that is written.
type swapper struct {
	run.Task // that of following flags
	list     *swapList
	std      files.Streams
	quiet    bool

	better  betterRecords
	records uint64 // read so far
	first   uint64 // of the first reading
	name    []byte // scratch

	isCollecting bool
	wanted       []*swap // whose better record is the current one
	replaced     *swap   // whose kept record is the current one; may be nil
}

// Method reads the records for the first time, before anything is written. The run then follows the
// flags, and replaces records as they are written.
func (s *swapper) Method(ctx context.Context, c *config.Filter, from *run.Source) (*run.Method, error) {
	if err := from.CheckFields("--id", c.Input.ID); err != nil {
		return nil, err
	}
	if _, err := from.Literals(); err != nil {
		return nil, usage.Error(fmt.Errorf("--swaps: %w", err))
	}
	// what cannot be read cannot be copied either
	needs := run.Needs{SinkData: stream.SinkData{ID: c.Input.ID}, Whole: true}
	s.isCollecting = true
	err := from.ReadBefore(ctx, needs, s.collect, s.Observe)
	if err = errors.Join(err, s.better.out.Flush()); err != nil {
		return nil, err
	}
	if err := s.list.missing(); err != nil {
		return nil, err
	}
	s.isCollecting, s.first, s.records = false, s.records, 0
	m, err := s.Task.Method(ctx, c, from)
	if err != nil {
		return nil, err
	}
	m.Needs, m.Sinks, m.Editing.Edit = needs, []stream.Sink{stream.SinkFunc(s.Observe)}, s.replace
	flagsEnd := m.Ending
	m.Ending = func(to *run.Outputs) error {
		if s.records != s.first {
			return errChanged
		}
		return errors.Join(flagsEnd(to), s.list.undone())
	}
	return m, nil
}

var errChanged = errors.New("the inputs have changed since they were first read: run again when nothing writes to them")

// Observe decides by the name of the current record whether it replaces another or is replaced.
func (s *swapper) Observe(d *stream.Decided) error {
	s.records++
	s.name = memory.AppendName(s.name[:0], d)
	key := nameKey(s.name)
	kept := s.list.byKept[key]
	if !s.isCollecting {
		if s.replaced = nil; d.Fate == stream.Unseen {
			s.replaced = kept
		}
		return nil
	}
	s.wanted = s.list.byBetter[key]
	if kept == nil && len(s.wanted) == 0 {
		return nil
	}
	if kept != nil && kept.isThere || len(s.wanted) > 0 && s.wanted[0].isFound {
		return fmt.Errorf("%s:%d: an earlier record is called %s too: give --id a field that tells them apart", d.Input,
			d.Record, s.name)
	}
	if d.Problem == record.TooLong {
		return fmt.Errorf("%s:%d: %s, which %s names, is longer than --max-record: give more", d.Input,
			d.Record, s.name, s.list.file)
	}
	if kept != nil {
		kept.isThere = true
	}
	return nil
}

// collect keeps a better record, and writes nothing.
func (s *swapper) collect(dst []byte, r stream.Editable) (_ []byte, changed bool, err error) {
	if len(s.wanted) == 0 {
		return dst, true, nil
	}
	start, end, err := s.better.add(r.Body)
	for _, w := range s.wanted {
		w.start, w.end, w.isFound = start, end, true
	}
	return dst, true, err
}

// replace appends the better record, if there is one. It ends as the one that it replaces.
func (s *swapper) replace(dst []byte, r stream.Editable) (_ []byte, changed bool, err error) {
	if s.replaced == nil {
		return dst, false, nil
	}
	s.replaced.isDone = true
	dst, err = s.better.append(dst, s.replaced.start, s.replaced.end)
	return append(dst, r.Terminator...), true, err
}

// leaveEditable has records leave as they came, or as JSON where they cannot be replaced as bytes.
func leaveEditable(filter config.Filter, std files.Streams) (_ config.Filter, err error) {
	named := filter.Input.Records.Name
	if named == "" {
		paths, err := std.Paths(filter.Input.Paths)
		if err != nil {
			return filter, err
		}
		if named, err = formats.ByPaths(paths, std); err != nil {
			return filter, usage.Error(err)
		}
	}
	if !formats.IsEditable(named) && layout.ByPath(filter.Output.Output) == "" && filter.Input.Records.To == "" {
		return filter.WrittenAs("jsonl"), nil
	}
	return filter, nil
}

// betterRecords are records in a file that no other program sees.
type betterRecords struct {
	file *os.File
	out  *bufio.Writer
	size int64
}

func (b *betterRecords) open() (err error) {
	if b.file, err = private.Unnamed(""); err != nil {
		return err
	}
	b.out = bufio.NewWriterSize(b.file, 1<<18)
	return nil
}

// add appends a record to the file.
func (b *betterRecords) add(record []byte) (start, end int64, err error) {
	start = b.size
	b.size += int64(len(record))
	if _, err := b.out.Write(record); err != nil {
		return start, b.size, fmt.Errorf("keep a better record in %s: %w", b.file.Name(), err)
	}
	return start, b.size, nil
}

// append appends a range of the file.
func (b *betterRecords) append(dst []byte, start, end int64) ([]byte, error) {
	at, length := len(dst), int(end-start)
	dst = append(dst, make([]byte, length)...)
	_, err := b.file.ReadAt(dst[at:], start)
	if err != nil {
		err = fmt.Errorf("read a better record from %s: %w", b.file.Name(), err)
	}
	return dst, err
}
