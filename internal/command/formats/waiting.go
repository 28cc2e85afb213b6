package formats

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/stream"
)

// waiting holds the records of an output until its columns are known, which is after the last
// record. They are in a temporary file, as JSON Lines.
type waiting struct {
	to      *tableWriter
	file    *os.File
	z       *compress.Writer // into file
	records uint64           // so far

	next   nextFile       // nil if there is one file
	ends   []uint64       // how many records come before the second file, the third, and so on
	done   []stream.Shard // what was written to the files that have ended
	number int            // of the current file, from 0
}

func newWaiting(to *tableWriter, threads int) (*waiting, error) {
	file, err := files.Spool(bytes.NewReader(nil), "the output", "")
	if err != nil {
		return nil, err
	}
	z, err := compress.NewWriter(file, compress.Method{Format: "zstd", Level: 1}, threads, false)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &waiting{to: to, file: file, z: z}, nil
}

// WriteRecord takes a record, and learns its columns.
func (w *waiting) WriteRecord(record []byte) error {
	record = jsontext.WithoutNonFinite(record)
	if err := w.to.of.learn(record); err != nil {
		return err
	}
	w.records++
	w.to.of.waited.Add(1)
	if _, err := w.z.Write(record); err != nil {
		return fmt.Errorf("keep records in %s until the columns are known: %w", os.TempDir(), err)
	}
	return nil
}

func (w *waiting) Write(record []byte) (int, error) { return len(record), w.WriteRecord(record) }

// Flush does nothing, since nothing is written before the end.
func (w *waiting) Flush() error { return nil }

// divide notes where files end, so that they can be written at the end.
func (w *waiting) divide(next nextFile) nextFile {
	w.next = next
	return func(done stream.Shard, _ int) (io.Writer, error) {
		w.ends, w.done = append(w.ends, w.records), append(w.done, done)
		return w, nil
	}
}

// finish writes the table.
func (w *waiting) finish(ctx context.Context) error {
	if err := w.z.End(); err != nil {
		return err
	}
	if _, err := w.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	unpacked, err := compress.NewReader(io.NopCloser(w.file), "", compress.DefaultMaxWindow)
	if err != nil {
		return err
	}
	defer unpacked.Close()
	if err := w.addAll(ctx, bufio.NewReaderSize(unpacked, 1<<20)); err != nil {
		return err
	}
	if err := w.advance(w.records); err != nil { // files without records
		return err
	}
	return w.to.close()
}

// addAll adds the lines, which WriteRecord has written.
func (w *waiting) addAll(ctx context.Context, lines *bufio.Reader) error {
	for n := uint64(0); ctx.Err() == nil; n++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = w.advance(n)
		}
		if err == nil {
			w.to.of.written.Add(1)
			err = w.to.add(line)
		}
		if err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// advance begins all files up to the one with the record that follows the first before records.
func (w *waiting) advance(before uint64) error {
	for w.number < len(w.ends) && w.ends[w.number] <= before {
		w.number++
		if _, err := w.next(w.done[w.number-1], w.number); err != nil {
			return err
		}
	}
	return nil
}

// close releases the temporary file.
func (w *waiting) close() error { return w.file.Close() }

// passing passes on the records of an output whose columns are known beforehand. They become rows
// as they arrive.
type passing struct{ to *tableWriter }

// WriteRecord writes a record. If the record does not fit, it flushes the ones before it.
func (w passing) WriteRecord(record []byte) error {
	record = jsontext.WithoutNonFinite(record)
	if err := w.to.of.learn(record); err != nil {
		return errors.Join(err, w.to.flush())
	}
	return w.to.add(record)
}

func (w passing) Write(record []byte) (int, error) { return len(record), w.WriteRecord(record) }

// Flush passes on the rows so far, since a reader may be waiting for them.
func (w passing) Flush() error { return w.to.flush() }

// divide ends a file where the stream says so.
func (w passing) divide(next nextFile) nextFile {
	return func(done stream.Shard, number int) (io.Writer, error) {
		_, err := next(done, number)
		return w, err
	}
}

// finish ends the table.
func (w passing) finish(context.Context) error { return w.to.close() }

func (w passing) close() error { return nil }
