package arrow

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/zeebo/xxh3"
)

// A Form is one of the two forms of Arrow IPC.
type Form uint8

const (
	Stream Form = iota // messages one after the other
	File               // the same, with a footer that locates them
)

func (f Form) String() string { return [...]string{"stream", "file"}[f] }

const magic = "ARROW1"

// continuation precedes each message.
const continuation = 0xffffffff

// maxMetadata bounds the metadata of a message, in bytes. The schema of a hundred thousand columns
// takes about 20 MB.
const maxMetadata = 256 << 20

// IsArrow reports whether head is the beginning of Arrow IPC.
func IsArrow(head []byte) bool {
	return bytes.HasPrefix(head, []byte(magic)) || bytes.HasPrefix(head, []byte{0xff, 0xff, 0xff, 0xff})
}

// messages reads the messages of an input. It implements the MessageReader of an ipc.Reader.
type messages struct {
	in      *bufio.Reader
	file    io.ReaderAt // set if messages are read in the order of the footer
	footer  *footer
	form    Form
	limits  limits
	budget  *budget
	checker metadata
	messagesRead
	ended   bool
	err     error // why there are no more messages, unless the input ended
	message int64 // bytes of the current message
	heldDictionaries
}

// messagesRead is how far an input is read.
type messagesRead struct {
	at      int64 // offset of the next message
	inFile  int64 // bytes of the message that the footer located, which the file is long enough for
	bytes   int64 // bytes read
	batches int   // record batches read
	first   about // of the first record batch
	// hash of the schema and the first record batch, which identifies the input
	mark uint64
}

// heldDictionaries are the sizes of the dictionaries that are kept.
type heldDictionaries struct {
	held      map[int64]int64 // bytes of each of them
	heldBytes int64           // of all
}

func newMessages(in io.Reader, l limits, b *budget) (*messages, error) {
	m := &messages{in: bufio.NewReaderSize(in, 64<<10), limits: l, budget: b}
	m.checker.limit = l.message
	head, err := m.in.Peek(8)
	switch {
	case bytes.HasPrefix(head, []byte(magic)) && len(head) == 8:
		m.form = File
		if head, _ := m.in.Peek(HeadBytes); needsFooter(head) {
			return nil, errors.New("its schema is only in its footer: it is read as a file, not as a stream of " +
				"bytes")
		}
		_, err = m.in.Discard(8)
		m.advance(8)
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

// newFileMessages reads the messages of a file in the order of its footer.
func newFileMessages(in io.ReaderAt, size int64, l limits, b *budget) (*messages, error) {
	f, err := readFooter(in, size)
	if err != nil {
		return nil, err
	}
	m := &messages{in: bufio.NewReaderSize(nil, 64<<10), file: in, footer: f, form: File, limits: l, budget: b}
	m.checker.limit = l.message
	return m, nil
}

// beganOfOld reports whether head may begin a stream from before Arrow 0.15: the length of the
// schema, and an offset.
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
	kind, err := m.seek()
	if err != nil {
		return nil, err
	}
	start := m.at
	length, err := m.head()
	if err != nil {
		return nil, err
	}
	m.budget.reset()
	meta, about, err := m.metadata(length, kind)
	if err != nil {
		return nil, m.where(start, err)
	}
	body, err := m.read(about.body, m.limits.message, "a message")
	if err != nil {
		return nil, m.where(start, err)
	}
	if err := m.accept(about, meta, body); err != nil {
		return nil, m.where(start, err)
	}
	return ipc.NewMessage(memory.NewBufferBytes(meta), memory.NewBufferBytes(body)), nil
}

// metadata reads the metadata of a message, which must be of a kind unless that is anyKind.
func (m *messages) metadata(length uint32, kind byte) (meta []byte, a about, err error) {
	meta, err = m.read(int64(length), maxMetadata, "the metadata of a message")
	if err == nil {
		a, err = m.checker.check(meta)
	}
	if err == nil && kind != anyKind && a.kind != kind {
		err = errors.New("it is not what the footer says")
	}
	return meta, a, err
}

// accept checks a message and updates the counters.
func (m *messages) accept(a about, meta, body []byte) error {
	if err := a.checkBody(body, m.limits.message); err != nil {
		return err
	}
	if a.kind == dictionaryBatch {
		if err := m.keep(a); err != nil {
			return err
		}
	}
	if a.kind == schemaMessage || a.kind == recordBatch && m.batches == 0 {
		m.mark = xxh3.HashSeed(meta, m.mark) + xxh3.Hash(body[:min(len(body), 64<<10)])
	}
	if a.kind == recordBatch {
		if m.batches == 0 {
			m.first = a
		}
		m.batches++
	}
	m.message = int64(len(meta) + len(body))
	return nil
}

// anyKind accepts a message of any kind.
const anyKind = 0

// seek moves to the next message that the footer lists, and returns its kind.
func (m *messages) seek() (kind byte, err error) {
	if m.footer == nil {
		return anyKind, nil
	}
	from, b, err := m.footer.next(m.file)
	if err != nil {
		return anyKind, err
	}
	m.in.Reset(from)
	m.at, m.inFile = b.at, b.size
	return b.kind, nil
}

func (m *messages) advance(n int64) {
	m.at += n
	m.bytes += n
}

// keep counts the bytes of a dictionary, which is kept until it is replaced, and may grow.
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

// head reads the length of the next metadata, or returns io.EOF if no message follows.
func (m *messages) head() (uint32, error) {
	length, err := m.word()
	if err == nil && length == continuation {
		length, err = m.word()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
	}
	switch {
	case errors.Is(err, io.EOF) && m.footer != nil: // the file has become shorter
		return 0, errBreaksOff
	case errors.Is(err, io.EOF) && m.form == File:
		return 0, errNoFooter
	case errors.Is(err, io.EOF): // many writers of streams omit the end mark
		return 0, io.EOF
	case errors.Is(err, io.ErrUnexpectedEOF):
		return 0, errBreaksOff
	case err != nil:
		return 0, err
	case length == 0 && m.footer != nil:
		return 0, m.where(m.at, errMetadata)
	case length == 0:
		return 0, m.end()
	}
	return length, nil
}

var (
	errBreaksOff = errors.New("it is cut off in the middle of a message")
	errNoFooter  = errors.New("it is cut off: an arrow file ends with a footer and ARROW1")
)

func (m *messages) word() (uint32, error) {
	var b [4]byte
	n, err := io.ReadFull(m.in, b[:])
	m.advance(int64(n))
	return binary.LittleEndian.Uint32(b[:]), err
}

// readAtOnce is the maximum allocation before data arrives.
const readAtOnce = 8 << 20

// read reads n bytes. It allocates what a file is known to hold, or else at most twice what has
// arrived, so that a false length costs little.
func (m *messages) read(n, most int64, what string) ([]byte, error) {
	if n < 0 || n > most {
		return nil, fmt.Errorf("%s would have %d bytes, but may have %d MiB", what, n, most>>20)
	}
	buf := make([]byte, min(n, max(readAtOnce, m.inFile)))
	for got := 0; ; {
		more, err := io.ReadFull(m.in, buf[got:])
		got += more
		m.advance(int64(more))
		if err != nil || int64(got) == n {
			return buf[:got], brokenOff(err)
		}
		longer := make([]byte, min(n, 2*int64(got)))
		copy(longer, buf)
		buf = longer
	}
}

func brokenOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errBreaksOff
	}
	return err
}
