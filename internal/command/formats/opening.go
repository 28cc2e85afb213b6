package formats

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/record"
)

// How much of one of several inputs is read, after decompression, to see whether it has any
// records: at first, and at most. A single readable record is enough.
const (
	firstLook = 32 << 10
	mostLook  = 16 << 20
)

// A ForeignError ends one of several inputs if none of its first records can be read. Most likely
// the file does not have the format, and nothing of it may be written as records.
type ForeignError struct {
	record.Unfit
	text string
}

func (e *ForeignError) Error() string { return e.text }

// admit returns one of several inputs for reading if its first records can be read. isFirst says
// that no input precedes it. In that case, a field that many of the first records lack ends the
// run.
func (s *Source) admit(r io.ReadCloser, isFirst bool) (io.ReadCloser, error) {
	file, isFile := r.(*os.File)
	if !isFile || !files.IsSeekable(file) {
		return &opening{ReadCloser: r, look: func() ([]byte, error) { return s.look(r, isFirst) }}, nil
	}
	at, err := file.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = s.look(io.NewSectionReader(file, at, math.MaxInt64-at), isFirst)
	}
	if errors.As(err, new(*ForeignError)) {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil // any other error occurs again
}

// An opening is a stream that is checked when it is first read.
type opening struct {
	io.ReadCloser
	look func() (head []byte, err error) // nil afterwards
	head []byte                          // has been read, and is returned first
	err  error                           // is returned after head
}

func (o *opening) Read(p []byte) (int, error) {
	if o.look != nil {
		o.head, o.err = o.look()
		o.look = nil
	}
	switch {
	case len(o.head) > 0:
		n := copy(p, o.head)
		if o.head = o.head[n:]; len(o.head) == 0 {
			o.head = nil // which may be long
		}
		return n, nil
	case o.err != nil:
		return 0, o.err
	}
	return o.ReadCloser.Read(p)
}

// look reads an input until it is clear whether it has records. It returns what it has read, and
// the input's error, which follows that. Or it returns a ForeignError, and nothing of the input
// counts.
func (s *Source) look(in io.Reader, isFirst bool) (head []byte, err error) {
	of := record.NewOpening(s.Format, s.request.Unreadable)
	head = make([]byte, 0, firstLook)
	for idle := 0; err == nil && !of.Look(head) && len(head) < mostLook; {
		if len(head) == cap(head) {
			head = append(make([]byte, 0, min(2*cap(head), mostLook)), head...)
		}
		var n int
		n, err = in.Read(head[len(head):cap(head)])
		head = head[:len(head)+n]
		if idle++; n > 0 {
			idle = 0
		} else if idle == 100 && err == nil {
			err = io.ErrNoProgress
		}
	}
	of.Look(head)
	of.End(head, err == io.EOF)
	unfit, refused := of.Refused()
	// A field that the first input lacks is one that the user has misnamed.
	isField := isFirst && unfit.Problem.IsTextProblem() && unfit.Records >= s.request.Unreadable
	switch {
	case of.Err() != nil && (!isFirst || errors.Is(of.Err(), record.ErrUTF16)):
		err = &ForeignError{text: of.Err().Error()}
	case !refused || isField:
		return head, err
	case err == nil || err == io.EOF:
		err = s.foreign(unfit, head)
	}
	return nil, err
}

// foreign returns an error that says what is wrong with an input if none of its first records can
// be read.
func (s *Source) foreign(of record.Unfit, head []byte) error {
	which := "its first record could not be read"
	if of.Records > 1 {
		which = fmt.Sprintf("none of its first %d records could be read, the first: %s %d", of.Records,
			record.UnitOf(s.Format), of.First)
	}
	text := fmt.Sprintf("%s: %s", which, of.Problem.Describe(s.Format, s.request.MaxRecord))
	head = head[:min(len(head), record.HeadSize)]
	auto := FieldsIn(s.Settings, head, s.request.MaxRecord)
	if advice := DescribeInput(head, s.Dialect, s.TextFields(), auto); advice != "" {
		text += ": " + advice
	}
	return &ForeignError{of, text}
}
