package columnar

import (
	"errors"
	"io"

	"github.com/mithril-stream/mithril-stream/stream"
)

// An Output is where rows go, which may depend on what it is called. Without a writer they go
// nowhere.
type Output struct {
	To    io.Writer
	Path  string
	Input string // whose rows alone it takes; empty if it takes those of several
}

// Outputs are the outputs of a run: of kept rows, of removed ones, and of those that cannot be
// read.
type Outputs struct {
	Kept, Duplicates, Rejects Output
	Inputs                    []string // of which each has an output of kept rows, in their order; nil if all have one
}

// A Writer writes rows to an output.
type Writer[R any] interface {
	Write(rows R, from, to int) error
	Close() error // writes what is left, and the end
}

// A Sink writes rows where they belong. Rows that were read together are the tag of their records.
type Sink[R interface{ Len() int }] struct {
	begin  func(Output) (Writer[R], error)
	done   func(R)
	parts  [3]part[R]
	inputs []string // whose outputs follow
}

// NewSink is for outputs that begin begins, when the first row comes or when there is none. done is
// called when rows that were read together are written.
func NewSink[R interface{ Len() int }](o Outputs, begin func(Output) (Writer[R], error), done func(R)) *Sink[R] {
	s := &Sink[R]{begin: begin, done: done}
	s.parts[0].out, s.parts[1].out, s.parts[2].out = o.Kept, o.Duplicates, o.Rejects
	if s.inputs = o.Inputs; len(s.inputs) > 0 {
		s.parts[0].out.Input, s.inputs = s.inputs[0], s.inputs[1:]
	}
	return s
}

// A part is one of the outputs.
type part[R any] struct {
	out      Output
	w        Writer[R] // nil until the first row comes
	rows     R         // at hand
	from, to int       // of them, those that are not handed to w yet
}

// Next ends the output of kept rows, and begins another one, whose rows are those that are taken
// from now on.
func (s *Sink[R]) Next(out io.Writer, path string) error {
	p := &s.parts[0]
	if err := s.hand(p); err != nil {
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

// Take notes what becomes of a row.
func (s *Sink[R]) Take(d *stream.Decided) error {
	rows, i := d.Tag.(R), d.Number
	var err error
	if d.Fate.GoesOn() {
		err = s.take(&s.parts[0], rows, i)
	}
	switch d.Fate {
	case stream.Duplicate:
		err = errors.Join(err, s.take(&s.parts[1], rows, i))
	case stream.Tolerated, stream.Diverted:
		err = errors.Join(err, s.take(&s.parts[2], rows, i))
	}
	if i < rows.Len()-1 {
		return err
	}
	for p := range s.parts {
		err = errors.Join(err, s.hand(&s.parts[p]))
	}
	s.done(rows)
	return err
}

// Flush has nothing to do: rows leave in groups.
func (s *Sink[R]) Flush() error { return nil }

// Close ends the outputs. It is not for a run that has failed: without their ends they do not pass
// for complete.
func (s *Sink[R]) Close() (err error) {
	for p := range s.parts {
		err = errors.Join(err, s.close(&s.parts[p]))
	}
	return err
}

// take adds row i to an output; neighbouring rows are handed on together.
func (s *Sink[R]) take(p *part[R], rows R, i int) error {
	switch {
	case p.out.To == nil:
		return nil
	case i == p.to && p.from < p.to:
		p.to++
		return nil
	}
	err := s.hand(p)
	p.rows, p.from, p.to = rows, i, i+1
	return err
}

// hand writes the rows that wait.
func (s *Sink[R]) hand(p *part[R]) error {
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

// close ends an output, which has columns even if it has no row.
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
	w, err := s.begin(p.out)
	if err == nil {
		p.w = w
	}
	return err
}
