package stream

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"syscall"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// An Input is a source of records. Exactly one of Open and OpenRecords is set. It is called when
// the run gets to the input.
type Input struct {
	Name string // for messages
	// a stream of bytes; a resumed run skips faster if it is an io.Seeker
	Open        func() (io.ReadCloser, error)
	OpenRecords func() (RecordReader, error)
}

// open opens an input of a source.
func (s *Source) open(in Input) (opened, error) {
	if in.OpenRecords == nil {
		src, err := in.Open()
		return opened{src: src}, err
	}
	records, err := in.OpenRecords()
	if err != nil {
		return opened{}, err
	}
	if err := s.name(records); err != nil {
		return opened{}, errors.Join(err, records.Close())
	}
	return opened{records: records}, nil
}

// named returns the fields whose values a Namer finds.
func (s *Source) named() []string {
	var names []string
	for _, name := range append([]string{s.ID, s.Time, s.Within}, s.Fields...) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// name asks a RecordReader for the values of fields.
func (s *Source) name(r RecordReader) error {
	namer, ok := r.(Namer)
	names := s.named()
	if !ok || len(names) == 0 {
		return nil
	}
	fields := make([]Field, len(names))
	for i, name := range names {
		fields[i], _ = ParseField(name) // which CheckID has accepted
	}
	return namer.Name(fields)
}

// A Position is a place in the inputs of a run, after a record.
type Position struct {
	Input   int    // which one
	Name    string // of it
	Records uint64 // of it
	Bytes   uint64 // of it
	Head    uint64 // XXH3-64 of the first of these bytes, at most 64 KiB: a resumed run asks for the same input
	Tail    uint64 `json:",omitempty"` // the same of the last bytes after those (tailBytes); 0 if unknown
	Before  uint64 `json:",omitempty"` // XXH3-64 of the names of the inputs before this one; 0 if unknown
	Lost    bool   // it cannot be read any further
}

// tailSize is the number of bytes before a position that a resumed run compares.
const tailSize = 4 << 10

// tailBytes returns how many bytes Tail is the hash of.
func (p *Position) tailBytes() uint64 { return min(tailSize, p.Bytes-min(p.Bytes, record.HeadSize)) }

// namesBefore returns the hash of the names of the inputs before number i.
func namesBefore(inputs []Input, i int) uint64 {
	if i == 0 {
		return 0
	}
	h := xxh3.New()
	for _, in := range inputs[:i] {
		_, _ = h.WriteString(in.Name + "\x00") // never fails
	}
	return h.Sum64()
}

// An opened input has been opened and possibly read up to some position. If src and records are
// nil, it is not open.
type opened struct {
	src     io.ReadCloser
	records RecordReader // instead of src
	head    []byte       // the first bytes of src
}

func (o opened) isOpen() bool { return o.src != nil || o.records != nil }

// close ignores errors, since nothing was written.
func (o opened) close() {
	if o.records != nil {
		o.records.Close()
	} else {
		o.src.Close()
	}
}

// skip passes over the records that an earlier run has processed.
func (o *opened) skip(at Position) (err error) {
	if o.records != nil {
		return o.records.Skip(at)
	}
	o.head, err = skip(o.src, at)
	return err
}

// isFatal reports whether an error of an input ends the run.
func (o *Source) isFatal(err error) bool {
	return o.OnLost == nil || isFatal(err) || o.IsFatal != nil && o.IsFatal(err)
}

func isFatal(err error) bool {
	isIt := func(target error) bool { return errors.Is(err, target) }
	return isIt(errStopped) || record.IsFatal(err) || slices.ContainsFunc(shortages, isIt)
}

// shortages are errors about resources of the machine. They say nothing about the input, which the
// same command can read at another time, so the input must not count as lost in a run that is
// committed.
var shortages = []error{
	syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EAGAIN, syscall.ENOSPC, syscall.EDQUOT,
}

// resume moves to the position where an earlier run stopped, and returns the number of that input.
// The returned input may not be open yet.
func (s *Source) resume(at Position) (input int, o opened, err error) {
	switch inputs := s.Inputs; {
	case at == Position{}:
		return 0, opened{}, nil
	case at.Input < 0:
		return 0, opened{}, CannotResume("the run to be resumed was in input %d, which cannot exist", at.Input+1)
	case at.Input >= len(inputs) || !isCalled(inputs[at.Input].Name, at.Name):
		return 0, opened{}, CannotResume("input %d of the run to be resumed was %s: give it the same "+
			"inputs, in the same order", at.Input+1, at.Name)
	case at.Before != 0 && at.Before != namesBefore(inputs, at.Input):
		return 0, opened{}, CannotResume("the inputs before %s are not those of the run to be resumed: give it the "+
			"same inputs, in the same order", at.Name)
	case at.Lost:
		return at.Input + 1, opened{}, nil
	}
	if o, err = s.open(s.Inputs[at.Input]); err != nil {
		return 0, opened{}, err
	}
	if err := o.skip(at); err != nil {
		o.close()
		return 0, opened{}, err
	}
	return at.Input, o, nil
}

// isCalled reports whether name is the name that a run noted as JSON, and so as UTF-8.
func isCalled(name, noted string) bool { return name == noted || string([]rune(name)) == noted }

// skip passes over the part of an input that an earlier run has processed, and returns its head.
func skip(in io.Reader, at Position) (head []byte, err error) {
	head = make([]byte, min(record.HeadSize, at.Bytes))
	n, err := io.ReadFull(in, head)
	switch {
	case errors.Is(err, io.EOF) || err == io.ErrUnexpectedEOF:
		return nil, tooShort(at, int64(n))
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", at.Name, err)
	case len(head) > 0 && xxh3.Hash(head) != at.Head:
		return nil, CannotResume("%s does not begin like the input of the run to be resumed: give it the same "+
			"input from its beginning", at.Name)
	}
	tail := uint64(0)
	if at.Tail != 0 {
		tail = at.tailBytes()
	}
	if err := skipTo(int64(at.Bytes-tail), in, at, int64(len(head))); err != nil {
		return nil, err
	}
	return head, checkTail(in, at, tail)
}

// checkTail reads the last bytes before the position, and returns an error if they have changed.
func checkTail(in io.Reader, at Position, bytes uint64) error {
	if bytes == 0 {
		return nil
	}
	tail := make([]byte, bytes)
	n, err := io.ReadFull(in, tail)
	switch {
	case errors.Is(err, io.EOF) || err == io.ErrUnexpectedEOF:
		return tooShort(at, int64(at.Bytes-bytes)+int64(n))
	case err != nil:
		return fmt.Errorf("read %s: %w", at.Name, err)
	case xxh3.Hash(tail) != at.Tail:
		return CannotResume("%s has changed before byte %d, up to which the run to be resumed had read it: give it "+
			"the same input from its beginning", at.Name, at.Bytes)
	}
	return nil
}

// skipTo skips bytes of an input after the first read bytes.
func skipTo(to int64, in io.Reader, at Position, read int64) error {
	rest := to - read
	if rest == 0 {
		return nil
	}
	if seeker, ok := in.(io.Seeker); ok {
		if here, err := seeker.Seek(0, io.SeekCurrent); err == nil {
			end, err := seeker.Seek(0, io.SeekEnd)
			if err == nil && end-here < rest {
				return tooShort(at, end-here+read)
			}
			_, err = seeker.Seek(here+rest, io.SeekStart)
			return err
		}
	}
	n, err := io.CopyN(io.Discard, in, rest)
	switch {
	case err == io.EOF:
		return tooShort(at, read+n)
	case err != nil:
		return fmt.Errorf("read %s: %w", at.Name, err)
	}
	return nil
}

func tooShort(at Position, has int64) error {
	return CannotResume("%s has %d bytes, but the run to be resumed had read %d: give it the same "+
		"input from its beginning", at.Name, has, at.Bytes)
}
