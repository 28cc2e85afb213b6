package arrow

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/zeebo/xxh3"
)

// A Form is how messages stand in a file.
type Form uint8

const (
	Stream Form = iota // one after the other
	File               // the same, with a footer that says where they are
)

func (f Form) String() string { return [...]string{"stream", "file"}[f] }

const magic = "ARROW1"

// continuation is what a message begins with.
const continuation = 0xffffffff

// maxMetadata bounds what a message says about its body, in bytes. The schema of a hundred thousand
// columns has about 20 MB.
const maxMetadata = 256 << 20

// IsArrow reports whether a file that begins like that is one of Arrow.
func IsArrow(head []byte) bool {
	return bytes.HasPrefix(head, []byte(magic)) || bytes.HasPrefix(head, []byte{0xff, 0xff, 0xff, 0xff})
}

// messages reads the messages of an input. It is the MessageReader of an ipc.Reader.
type messages struct {
	in        *bufio.Reader
	form      Form
	limits    limits
	budget    *budget
	checker   metadata
	at        int64 // bytes read
	batches   int   // record batches read
	first     about // what the first of them says
	ended     bool
	err       error           // why there are no more messages, if that is not their end
	message   int64           // bytes of the message at hand
	held      map[int64]int64 // bytes of dictionaries, which stay
	heldBytes int64           // of all of them
	mark      uint64          // of the schema and the first record batch: tells the input from others
}

func newMessages(in io.Reader, l limits, b *budget) (*messages, error) {
	m := &messages{in: bufio.NewReaderSize(in, 64<<10), limits: l, budget: b}
	m.checker.limit = l.message
	head, err := m.in.Peek(8)
	switch {
	case bytes.HasPrefix(head, []byte(magic)) && len(head) == 8:
		m.form = File
		_, err = m.in.Discard(8)
		m.at = 8
	case len(head) == 0 && errors.Is(err, io.EOF):
		return nil, errors.New("it is empty: an arrow stream has a schema at least")
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case len(head) < 8 || !IsArrow(head) && !beganOfOld(head):
		return nil, errors.New("it does not begin like an arrow file, with ARROW1, nor like a stream: give its " +
			"--format")
	default:
		err = nil
	}
	return m, err
}

// beganOfOld reports whether that may be a stream as it was written before Arrow 0.15: the length
// of the schema, and an offset.
func beganOfOld(head []byte) bool {
	length, offset := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:])
	return length > 16 && length < 1<<24 && offset >= 4 && offset < length
}

func (m *messages) Retain()  {}
func (m *messages) Release() {}

// Message returns the next message, or io.EOF.
func (m *messages) Message() (msg *ipc.Message, err error) {
	if m.ended {
		return nil, io.EOF
	}
	defer func() {
		if err != nil {
			m.ended = true
		}
		if err != nil && err != io.EOF {
			m.err = err
		}
	}()
	defer recovered(&err)
	start := m.at
	length, err := m.head()
	if err != nil {
		return nil, err
	}
	m.budget.reset()
	meta, err := m.read(int64(length), maxMetadata, "the metadata of a message")
	if err != nil {
		return nil, m.where(start, err)
	}
	about, err := m.checker.check(meta)
	if err != nil {
		return nil, m.where(start, err)
	}
	body, err := m.read(about.body, m.limits.message, "a message")
	if err != nil {
		return nil, m.where(start, err)
	}
	if err := about.checkBody(body, m.limits.message); err != nil {
		return nil, m.where(start, err)
	}
	if about.kind == dictionaryBatch {
		if err := m.keep(about); err != nil {
			return nil, m.where(start, err)
		}
	}
	if about.kind == schemaMessage || about.kind == recordBatch && m.batches == 0 {
		m.mark = xxh3.HashSeed(meta, m.mark) + xxh3.Hash(body[:min(len(body), 64<<10)])
	}
	if about.kind == recordBatch {
		if m.batches == 0 {
			m.first = about
		}
		m.batches++
	}
	m.message = int64(len(meta) + len(body))
	return ipc.NewMessage(memory.NewBufferBytes(meta), memory.NewBufferBytes(body)), nil
}

// keep counts what a dictionary takes: it stays until another one takes its place, and it may grow.
func (m *messages) keep(a about) error {
	if m.held == nil {
		m.held = map[int64]int64{}
	}
	if !a.isDelta {
		m.heldBytes -= m.held[a.dictionary]
		m.held[a.dictionary] = 0
	}
	m.held[a.dictionary] += a.size
	if m.heldBytes += a.size; m.heldBytes > m.limits.message {
		return limitError{m.limits.message}
	}
	return nil
}

func (m *messages) where(start int64, err error) error {
	return fmt.Errorf("message at byte %d: %w", start, err)
}

// head reads how long the metadata of the next message are; io.EOF if none follows.
func (m *messages) head() (uint32, error) {
	length, err := m.word()
	if err == nil && length == continuation {
		length, err = m.word()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
	}
	switch {
	case errors.Is(err, io.EOF) && m.form == File:
		return 0, errNoFooter
	case errors.Is(err, io.EOF): // many a writer of streams does not mark the end
		return 0, io.EOF
	case errors.Is(err, io.ErrUnexpectedEOF):
		return 0, errBreaksOff
	case err != nil:
		return 0, err
	case length == 0:
		return 0, m.end()
	}
	return length, nil
}

var (
	errBreaksOff = errors.New("it breaks off in the middle of a message")
	errNoFooter  = errors.New("it breaks off: an arrow file ends with a footer and ARROW1")
)

func (m *messages) word() (uint32, error) {
	var b [4]byte
	n, err := io.ReadFull(m.in, b[:])
	m.at += int64(n)
	return binary.LittleEndian.Uint32(b[:]), err
}

// readAtOnce is how much memory is taken before anything has come.
const readAtOnce = 8 << 20

// read reads n bytes, and takes memory as they come.
func (m *messages) read(n, most int64, what string) ([]byte, error) {
	if n < 0 || n > most {
		return nil, fmt.Errorf("%s would have %d bytes, but may have %d MiB", what, n, most>>20)
	}
	if n <= readAtOnce {
		buf := make([]byte, n)
		got, err := io.ReadFull(m.in, buf)
		m.at += int64(got)
		return buf, brokenOff(err)
	}
	var buf bytes.Buffer
	got, err := io.CopyN(&buf, m.in, n)
	m.at += got
	return buf.Bytes(), brokenOff(err)
}

func brokenOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errBreaksOff
	}
	return err
}

// end checks what stands behind the messages: nothing behind a stream, and behind those of a file a
// footer that speaks of as many batches.
func (m *messages) end() error {
	if m.form == Stream {
		if _, err := m.in.ReadByte(); err != nil {
			return err // io.EOF, if all is well
		}
		return fmt.Errorf("something stands behind its end at byte %d: streams cannot be joined with cat", m.at)
	}
	tail, err := io.ReadAll(io.LimitReader(m.in, maxMetadata))
	if err != nil {
		return err
	}
	n := len(tail)
	if n < 10 || string(tail[n-6:]) != magic {
		return errNoFooter
	}
	size := int64(binary.LittleEndian.Uint32(tail[n-10:]))
	if size > int64(n-10) {
		return fmt.Errorf("its footer would have %d bytes, which are more than stand behind its messages", size)
	}
	batches, err := batchesOfFooter(tail[n-10-int(size) : n-10])
	switch {
	case err != nil:
		return fmt.Errorf("its footer: %w", err)
	case batches != m.batches:
		return fmt.Errorf("its footer speaks of %d record batches, but %d stand in it", batches, m.batches)
	}
	return io.EOF
}

// recovered makes an error of a panic.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = asError(p)
	}
}

// asError is what the user is told of a panic, or of an error of the library, which makes errors of
// its own panics.
func asError(p any) error {
	err, ok := p.(error)
	var limit limitError
	switch {
	case ok && errors.As(err, &limit):
		return limit
	case !ok || errors.As(err, new(runtime.Error)):
		return errDamaged
	}
	return err
}

var errDamaged = errors.New("it is damaged: its parts do not fit together")
