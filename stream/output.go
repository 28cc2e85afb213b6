package stream

import (
	"bufio"
	"io"
)

// outputBuffer is large enough that a system call carries many records; a run of records that is larger goes past it.
const outputBuffer = 128 << 10

// An output is one of the streams that a run writes. A nil *output swallows what it is given: that stream was not asked for.
type output struct {
	name    string // for messages: "output", "duplicates", …
	w       *bufio.Writer
	written *uint64
}

// A writeError is a failed write: after it nothing more is written anywhere.
type writeError struct {
	name string
	err  error
}

func (e writeError) Error() string { return "write " + e.name + ": " + e.err.Error() }
func (e writeError) Unwrap() error { return e.err }

// newOutput counts in written what is written, buffered bytes included.
func newOutput(name string, w io.Writer, written *uint64) *output {
	if w == nil {
		return nil
	}
	return &output{name: name, w: bufio.NewWriterSize(w, outputBuffer), written: written}
}

func (o *output) write(p []byte) error {
	if o == nil || len(p) == 0 {
		return nil
	}
	n, err := o.w.Write(p)
	*o.written += uint64(n)
	if err != nil {
		return writeError{o.name, err}
	}
	return nil
}

func (o *output) flush() error {
	if o == nil {
		return nil
	}
	if err := o.w.Flush(); err != nil {
		return writeError{o.name, err}
	}
	return nil
}
