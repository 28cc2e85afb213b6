package columnar

import (
	"errors"
	"io"

	"github.com/mithril-stream/mithril-stream/stream"
)

// An Output is a destination of rows. Without a writer rows are discarded. Path may affect the form
// of the output.
type Output struct {
	To    io.Writer
	Path  string
	Input string // the only input whose rows it takes; empty if it takes those of several
}

// Outputs are the outputs of a run: for kept rows, removed rows, and rows that cannot be read.
type Outputs struct {
	Kept, Duplicates, Rejects Output
	// the inputs that have an output each for kept rows, in order; nil if all share one
	Inputs []string
}

// A Writer writes rows to an output.
type Writer[R any] interface {
	Write(rows R, from, to int) error
	Close() error // writes the remaining rows and the end of the output
}

// A Sink writes rows to the outputs where they belong. The tag of a record is the rows that were
// read together with it.
type Sink[R interface{ Len() int }] struct {
	newWriter func(Output) (Writer[R], error)
	done      func(R)
	parts     [3]part[R]
	inputs    []string // inputs whose outputs follow
}

// NewSink returns a Sink. It calls begin for each output when its first row arrives or when it
// stays empty, and done when all rows that were read together are written.
func NewSink[R interface{ Len() int }](o Outputs, begin func(Output) (Writer[R], error), done func(R)) *Sink[R] {
	s := &Sink[R]{newWriter: begin, done: done}
	s.parts[0].out, s.parts[1].out, s.parts[2].out = o.Kept, o.Duplicates, o.Rejects
	if s.inputs = o.Inputs; len(s.inputs) > 0 {
		s.parts[0].out.Input, s.inputs = s.inputs[0], s.inputs[1:]
	}
	return s
}

// A part is one of the outputs.
type part[R any] struct {
	out      Output
	w        Writer[R] // nil until the first row arrives
	rows     R         // the current rows
	from, to int       // the range of them not yet passed to w
}

// Next ends the output of kept rows, and starts another for the rows taken from now on.
func (s *Sink[R]) Next(out io.Writer, path string) error {
	p := &s.parts[0]
	if err := s.writePending(p); err != nil {
		return err
	}
	if err := s.close(p); err != nil {
		return err
	}
	p.out, p.w = Output{To: out, Path: path}, nil
	if len(s.inputs) > 0 {
		p.out.Input, s.inputs = s.inputs[0], s.inputs[1:]
	}
	return nil
}

// Observe records what happens to a row.
func (s *Sink[R]) Observe(d *stream.Decided) error {
	rows, i := d.Tag.(R), d.Number
	var err error
	if d.Fate.IsKept() {
		for range max(1, d.Times) {
			err = errors.Join(err, s.addRow(&s.parts[0], rows, i))
		}
	}
	switch d.Fate {
	case stream.Duplicate:
		err = errors.Join(err, s.addRow(&s.parts[1], rows, i))
	case stream.Tolerated, stream.Diverted:
		err = errors.Join(err, s.addRow(&s.parts[2], rows, i))
	}
	if i < rows.Len()-1 {
		return err
	}
	for p := range s.parts {
		err = errors.Join(err, s.writePending(&s.parts[p]))
	}
	s.done(rows)
	return err
}

// Flush does nothing: rows are written in groups.
func (s *Sink[R]) Flush() error { return nil }

// Close ends the outputs. Do not call it after a failed run: without their ends outputs are
// recognizably incomplete.
func (s *Sink[R]) Close() (err error) {
	for p := range s.parts {
		err = errors.Join(err, s.close(&s.parts[p]))
	}
	return err
}

// addRow adds row i to an output; adjacent rows are passed on together.
func (s *Sink[R]) addRow(p *part[R], rows R, i int) error {
	switch {
	case p.out.To == nil:
		return nil
	case i == p.to && p.from < p.to:
		p.to++
		return nil
	}
	err := s.writePending(p)
	p.rows, p.from, p.to = rows, i, i+1
	return err
}

// writePending writes the pending rows.
func (s *Sink[R]) writePending(p *part[R]) error {
	rows, from, to := p.rows, p.from, p.to
	if from == to {
		return nil
	}
	*p = part[R]{out: p.out, w: p.w}
	if err := s.open(p); err != nil {
		return err
	}
	return p.w.Write(rows, from, to)
}

// close ends an output. It has columns even if it has no rows.
func (s *Sink[R]) close(p *part[R]) error {
	if p.out.To == nil {
		return nil
	}
	if err := s.open(p); err != nil {
		return err
	}
	return p.w.Close()
}

func (s *Sink[R]) open(p *part[R]) error {
	if p.w != nil {
		return nil
	}
	w, err := s.newWriter(p.out)
	if err == nil {
		p.w = w
	}
	return err
}
