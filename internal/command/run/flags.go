package run

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A flagReader reads a file of flags: a byte for each record, with or without line ends. It judges
// records by them.
type flagReader struct {
	src    *bufio.Reader
	close  func() error
	name   string
	number uint64 // of flags that were read
}

// followFlags copies the records whose flag is 1.
func followFlags(ctx context.Context, c *config.Filter, from *Source) (*Method, error) {
	r, err := openFlags(ctx, c.Input.Verdicts, from.Std)
	if err != nil {
		return nil, err
	}
	return &Method{
		Stream: stream.Method{Judge: stream.ByRecord(nil, r.judge), DecidesAll: true},
		Calls:  Calls{End: func(*Outputs) error { return r.end() }},
	}, nil
}

func openFlags(ctx context.Context, name string, std files.Streams) (*flagReader, error) {
	src, err := files.OpenStoppable(ctx, name, std)
	if err != nil {
		return nil, err
	}
	if name == "-" {
		name = "stdin"
	}
	return &flagReader{src: bufio.NewReaderSize(src, 64<<10), close: src.Close, name: name}, nil
}

// judge reads the flag of a record.
func (r *flagReader) judge(stream.Batch, int) (stream.Verdict, error) {
	keep, err := r.next()
	return stream.Verdict{Duplicate: !keep}, err
}

// next reads a flag, after the line end of the previous one. Reading that line end earlier could
// block a pipe.
func (r *flagReader) next() (keep bool, err error) {
	if err := r.skipLineEnd(); err != nil {
		return false, err
	}
	r.number++
	flag, err := r.src.ReadByte()
	switch {
	case err == io.EOF:
		return false, fmt.Errorf("%s:%d: the flags end here, but there are more records", r.name, r.number)
	case err != nil:
		return false, r.failed(err)
	case flag != '0' && flag != '1':
		return false, fmt.Errorf("%s:%d: %q is neither 0 nor 1", r.name, r.number, r.wordFrom(flag))
	}
	return flag == '1', nil
}

// skipLineEnd reads the line end after a flag, if there is one.
func (r *flagReader) skipLineEnd() error {
	if r.number == 0 {
		return nil
	}
	c, err := r.src.ReadByte()
	if err == nil && c == '\r' {
		if c, err = r.src.ReadByte(); err == nil && c != '\n' {
			return fmt.Errorf("%s:%d: a carriage return without a newline follows the flag", r.name, r.number)
		}
	}
	switch {
	case err == io.EOF:
		return nil // the next read says so again
	case err != nil:
		return r.failed(err)
	case c == '\n':
		return nil
	}
	return r.src.UnreadByte()
}

// wordFrom returns the rest of the line from that byte on, shortened.
func (r *flagReader) wordFrom(first byte) string {
	if first == '\n' {
		return ""
	}
	line, _ := r.src.ReadSlice('\n') // what cannot be read is not shown
	return fmt.Sprintf("%c%.19s", first, bytes.TrimRight(line, "\r\n"))
}

// end checks that no flags are left after the last record.
func (r *flagReader) end() error {
	if err := r.skipLineEnd(); err != nil {
		return err
	}
	_, err := r.src.ReadByte()
	switch {
	case err == nil:
		return fmt.Errorf("%s:%d: there are more flags than records (%d)", r.name, r.number+1, r.number)
	case err != io.EOF:
		return r.failed(err)
	}
	return r.close()
}

func (r *flagReader) failed(err error) error { return fmt.Errorf("read %s: %w", r.name, err) }
