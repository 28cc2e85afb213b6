package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mithril-stream/mithril-stream/stream/compress"
)

// waiting are the records of an output until its columns are known, which is when all records are.
// They are in a temporary file, as JSON Lines.
type waiting struct {
	to    *tableWriter
	lines wholeLines
	file  *os.File
	z     *compress.Writer // into file

	next   nextFile // nil if there is one file
	ends   []uint64 // how many records come before the second file, the third, and so on
	number int      // of the file at hand, from 0
}

func newWaiting(of *columned, to *tableWriter) (*waiting, error) {
	file, err := spool(bytes.NewReader(nil), "the output", "")
	if err != nil {
		return nil, err
	}
	z, err := compress.NewWriter(file, compress.Method{Format: "zstd", Level: 1}, of.cores, false)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &waiting{to: to, file: file, z: z}, nil
}

// Write takes some lines, and learns their columns.
func (w *waiting) Write(p []byte) (int, error) {
	before := w.lines.number
	if err := w.lines.each(p, w.to.of.learn); err != nil {
		return 0, err
	}
	w.to.of.waited.Add(w.lines.number - before)
	if _, err := w.z.Write(p); err != nil {
		return 0, fmt.Errorf("keep records in %s until the columns are known: %w", os.TempDir(), err)
	}
	return len(p), nil
}

// divide notes where files end, and has them written in the end.
func (w *waiting) divide(next nextFile) nextFile {
	w.next = next
	return func(int) (io.Writer, error) {
		w.ends = append(w.ends, w.lines.number)
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
	lines, err := compress.NewReader(io.NopCloser(w.file), "", compress.DefaultMaxWindow)
	if err != nil {
		return err
	}
	defer lines.Close()
	err = eachLine(ctx, lines, "the output", func(line []byte, _ string, n uint64) error {
		if err := w.enter(n - 1); err != nil {
			return err
		}
		w.to.of.written.Add(1)
		return w.to.add(line)
	})
	if err == nil {
		err = w.enter(w.lines.number) // files without records
	}
	if err != nil {
		return err
	}
	return w.to.close()
}

// enter begins the files up to the one of the record that comes after so many.
func (w *waiting) enter(before uint64) error {
	for w.number < len(w.ends) && w.ends[w.number] <= before {
		w.number++
		if _, err := w.next(w.number); err != nil {
			return err
		}
	}
	return nil
}

// close gives back the temporary file.
func (w *waiting) close() error { return w.file.Close() }

// passing are the records of an output whose columns are known beforehand: they become rows as they
// come.
type passing struct {
	to    *tableWriter
	lines wholeLines
}

// Write takes some lines. It leaves no row of a text in a buffer, for which a reader may wait, and
// none that stands before a record that does not fit.
func (w *passing) Write(p []byte) (int, error) {
	err := w.lines.each(p, func(line []byte, number uint64) error {
		if err := w.to.of.learn(line, number); err != nil {
			return err
		}
		return w.to.add(line)
	})
	if err = errors.Join(err, w.to.flush()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// divide has a file end where the stream says so.
func (w *passing) divide(next nextFile) nextFile {
	return func(number int) (io.Writer, error) {
		_, err := next(number)
		return w, err
	}
}

// finish ends the table.
func (w *passing) finish(context.Context) error { return w.to.close() }

func (w *passing) close() error { return nil }

// wholeLines makes lines of what comes in pieces.
type wholeLines struct {
	part   []byte // a line that is not whole
	number uint64 // of lines so far
}

// each calls do with each line that p ends, and with its number from 1.
func (l *wholeLines) each(p []byte, do func(line []byte, number uint64) error) error {
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n') + 1
		if end == 0 {
			l.part = append(l.part, p...)
			break
		}
		line := p[:end]
		p = p[end:]
		if len(l.part) > 0 {
			l.part = append(l.part, line...)
			line = l.part
		}
		l.number++
		if err := do(line, l.number); err != nil {
			return err
		}
		l.part = l.part[:0]
	}
	return nil
}
