package dedup

import (
	"context"
	"errors"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Counts are of the records that Filter has read, up to an error.
type Counts struct{ Records, Duplicates uint64 }

// Filter copies JSON Lines from r to w without the records whose texts resemble an earlier one. The
// text is the field of that name, or path, as of the program's --field. Records leave as they came,
// byte for byte, and all cores are used. One with a blank text stays.
//
// It ends at the first line that has no text (ParseError, DocumentError), when all before it are
// written. With Options.Index it is as with Unique: an error leaves the index as it was. Records
// are remembered when w has taken all that stay. If no record has the field of Options.Within, that
// is a ConfigError, since its name is most likely misspelt.
func Filter(ctx context.Context, r io.Reader, w io.Writer, field string, o Options) (Counts, error) {
	path, err := stream.ParseField(field)
	if err != nil {
		return Counts{}, &ConfigError{"field", err}
	}
	m, err := o.open()
	if err != nil {
		return Counts{}, err
	}
	within := spec.ParseWithin(o.Within).Field
	in, out := &noting{r: r}, &noting{w: w}
	run, err := stream.New(stream.Options{
		Source: stream.Source{
			Format: stream.JSONLines([]stream.Field{path}),
			Inputs: []stream.Input{{
				Name: nameOfTexts, Open: func() (io.ReadCloser, error) { return io.NopCloser(in), nil },
			}},
			Within: within,
			Limits: stream.Limits{NeedsFields: within != ""},
		},
		Method: stream.Method{
			NewSketcher: m.newSketcher, Judge: strictly(m.session.Judge(), field),
		},
		Outputs: stream.Outputs{Output: out, Sinks: m.sinks()},
	})
	var stats stream.Stats
	if err == nil {
		stats, err = run.Do(ctx)
	}
	if err = m.filterError(err, in.err, out.err); err == nil {
		err = m.commit(stats.Records)
	}
	if closing := m.close(); closing != nil {
		err = errors.Join(err, closing)
	}
	return Counts{stats.Records, stats.Duplicates}, err
}

// sinks are told the names of records, where originals have names: as in dedup:1, by their lines.
func (m *remembered) sinks() []stream.Sink {
	if m.detector.Exact == nil || m.session.Repeats() {
		return nil
	}
	return []stream.Sink{m.detector.Exact}
}

// filterError classifies the error of a run.
func (m *remembered) filterError(err, read, written error) error {
	var parse *ParseError
	var document *DocumentError
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(*stream.NoFieldError)):
		return &ConfigError{"Within", err}
	case errors.As(err, &parse):
		return parse
	case errors.As(err, &document):
		return document
	case read != nil && errors.Is(err, read):
		return &IOError{"input", err}
	case written != nil && errors.Is(err, written):
		return &IOError{"output", err}
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return m.options.judgeError(err, m.detector.Bytes())
}

// noting remembers how reading, or writing, has failed.
type noting struct {
	r   io.Reader
	w   io.Writer
	err error
}

func (n *noting) Read(p []byte) (int, error) {
	got, err := n.r.Read(p)
	if err != nil && err != io.EOF {
		n.err = err
	}
	return got, err
}

func (n *noting) Write(p []byte) (int, error) {
	written, err := n.w.Write(p)
	if err != nil {
		n.err = err
	}
	return written, err
}

// strictly returns a judge that stops at the first record without a text, which is in that field.
func strictly(judge stream.Judge, field string) stream.Judge {
	s := &strict{judge.Decide, field, 0}
	judge.Decide = s.decide
	return judge
}

type strict struct {
	judge func(stream.Batch, []stream.Verdict) (int, error)
	field string
	lines uint64 // that were judged
}

// decide judges the records before the one that stops it.
func (s *strict) decide(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	for i, p := range b.Problems {
		failed := s.problem(p, s.lines+uint64(i)+1)
		if failed == nil {
			continue
		}
		if i > 0 {
			judged, err = s.judge(b.Slice(0, i), out[:i])
		}
		return judged, errors.Join(err, failed)
	}
	s.lines += uint64(len(out))
	return s.judge(b, out)
}

// problem is the error of a record that has no text, and is not just blank.
func (s *strict) problem(p stream.Problem, line uint64) error {
	switch name := p.Name(); name {
	case "readable", "empty text", "blank line":
		return nil
	case "field missing", "field not a string", "field null":
		return &DocumentError{Line: line, Field: s.field, Problem: name}
	default:
		return &ParseError{Line: line, Problem: name}
	}
}
