package stream

import (
	"errors"
	"io"
)

// A Sink observes what happens to every record. Sinks write, for example, flags, the rows of a
// Parquet file and the messages of a topic. A single goroutine calls a Sink, in the order of the
// records.
type Sink interface {
	// Observe is called once for each record that is judged or set aside. d is valid until Observe
	// returns.
	Observe(d *Decided) error
	// Flush writes everything that the sink has buffered. It is called before a checkpoint, at the
	// end of the run, and whenever the run has to wait for input.
	Flush() error
}

// A SinkFunc is a Sink that buffers nothing.
type SinkFunc func(d *Decided) error

// Observe calls f.
func (f SinkFunc) Observe(d *Decided) error { return f(d) }

// Flush does nothing.
func (SinkFunc) Flush() error { return nil }

// Decided is a decision together with the record.
type Decided struct {
	Decision
	Tag     any      // that of the record's Records
	Number  int      // of the record there
	Input   string   // the name of the record's input
	Record  uint64   // its number there, from 1
	ID      []byte   // what Options.ID names in it, as JSON; empty if that is no string and no number
	Fields  [][]byte // values of Options.Fields, which may also be booleans; nil if no fields are wanted
	Times   int      // how often the record is written to Output if it goes there
	Excerpt []byte   // the first bytes of the text, as many as Options.Excerpt says
}

// Flags returns a sink that writes a line for each record to w: 1 for kept, 0 for removed.
func Flags(w io.Writer) Sink {
	f := &flags{}
	f.out = newOutput("flags", w, &f.written, nil)
	return f
}

type flags struct {
	out     *output
	written uint64
}

var flagKept, flagRemoved = []byte("1\n"), []byte("0\n")

func (f *flags) Observe(d *Decided) error {
	if d.Fate.IsKept() {
		return f.out.write(flagKept)
	}
	return f.out.write(flagRemoved)
}

func (f *flags) Flush() error { return f.out.flush() }

// asWriteError marks the error of a sink as one after which nothing more is written.
func asWriteError(err error) error {
	if errors.As(err, new(writeError)) {
		return err
	}
	return writeError{"output", err}
}
