package framelog

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// A File is the storage of a log.
type File interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Sync() error
}

// A Writer appends frames to a log. After an error it writes nothing more, since it is unknown what
// will reach the disk.
type Writer struct {
	file   File
	end    int64  // end of the written part
	buf    []byte // the unwritten part: whole frames, and possibly an open one
	opened int    // start of the open frame in buf, or -1
	number uint64 // of the commit that frames belong to
	err    error
}

// NewWriter returns a Writer that appends at length, and cuts off what follows. A length of 0
// starts a new log with that header.
func NewWriter(file File, length int64, header Header) (*Writer, error) {
	w := &Writer{file: file, end: length, opened: -1}
	if length == 0 {
		w.buf = append(w.buf, header.encode()...)
	}
	return w, file.Truncate(length)
}

// NewTemporary returns a Writer of frames without a header.
func NewTemporary(file File) *Writer { return &Writer{file: file, opened: -1} }

// SetNumber sets the number of the commit that the frames belong to that begin from now on.
func (w *Writer) SetNumber(number uint64) { w.number = number }

// begin closes the open frame, if any, and opens one of a kind.
func (w *Writer) begin(kind Kind) {
	w.close()
	w.opened = len(w.buf)
	w.buf = beginFrame(w.buf, kind, w.number)
}

// BeginEntry starts an entry, in the open frame if there is one. Append its numbers, and call
// EndEntry.
func (w *Writer) BeginEntry() {
	if w.opened < 0 {
		w.begin(Entries)
	}
	if len(w.buf) > frameTarget/8 && cap(w.buf) < frameTarget { // allocate all of it at once
		w.buf = slices.Grow(w.buf, frameTarget)
	}
}

// Uint64 appends a number to the open frame.
func (w *Writer) Uint64(n uint64) { w.buf = binary.LittleEndian.AppendUint64(w.buf, n) }

// Extend appends n bytes to the open frame, and returns them to be filled.
func (w *Writer) Extend(n int) []byte {
	at := len(w.buf)
	w.buf = slices.Grow(w.buf, n)[:at+n]
	return w.buf[at:]
}

// Words appends numbers to the open frame.
func (w *Writer) Words(numbers []uint64) {
	b := w.Extend(8 * len(numbers))
	for i, n := range numbers {
		binary.LittleEndian.PutUint64(b[8*i:], n)
	}
}

// Uint32 appends a number to the open frame.
func (w *Writer) Uint32(n uint32) { w.buf = binary.LittleEndian.AppendUint32(w.buf, n) }

// At returns the offset of the next byte.
func (w *Writer) At() int64 { return w.end + int64(len(w.buf)) }

// Written returns the length of the file: what is appended may still be buffered.
func (w *Writer) Written() int64 { return w.end }

// Open returns the length of the payload of the open frame so far, or 0.
func (w *Writer) Open() int {
	if w.opened < 0 {
		return 0
	}
	return len(w.buf) - w.opened - headBytes
}

// Unwritten returns the bytes from an offset on if they are still buffered.
func (w *Writer) Unwritten(at int64) (bytes []byte, ok bool) {
	if at < w.end {
		return nil, false
	}
	return w.buf[at-w.end:], true
}

// close completes the open frame, if any. The checksum depends on its offset.
func (w *Writer) close() {
	if w.opened < 0 {
		return
	}
	w.buf = endFrame(w.buf, w.opened, w.end+int64(w.opened))
	w.opened = -1
}

// EndEntry ends an entry. A large frame is completed and written.
func (w *Writer) EndEntry() error {
	if len(w.buf)-w.opened < frameTarget {
		return w.err
	}
	w.close()
	return w.write(false)
}

// Note appends a short note about what was appended so far.
func (w *Writer) Note(note []byte) error {
	if len(note) > mostNote {
		return fmt.Errorf("a note of %d bytes: at most %d are possible", len(note), mostNote)
	}
	return w.Append(Note, note)
}

// Append appends a frame of a kind.
func (w *Writer) Append(kind Kind, payload []byte) error {
	w.begin(kind)
	w.buf = append(w.buf, payload...)
	w.close()
	return w.write(false)
}

// Forget marks records as forgotten, wherever their entries are.
func (w *Writer) Forget(records []uint64) error {
	for part := range slices.Chunk(records, frameTarget/8) {
		w.begin(Forgotten)
		for _, record := range part {
			w.Uint64(record)
		}
		w.close()
		if err := w.write(false); err != nil {
			return err
		}
	}
	return w.err
}

// FlushWith is Flush, along with counts.
func (w *Writer) FlushWith(c Counts) (length int64, err error) {
	w.begin(Tally)
	for _, n := range []uint64{c.Records, c.Duplicates, c.Copies} {
		w.Uint64(n)
	}
	return w.Flush()
}

// Sync makes everything durable, and returns the length of the log.
func (w *Writer) Sync() (length int64, err error) {
	if _, err := w.Flush(); err != nil {
		return 0, err
	}
	if w.err = w.file.Sync(); w.err != nil {
		return 0, w.err
	}
	return w.end, nil
}

// Flush writes everything to the file, so that it can be read, and returns the length of the log.
// It does not make it durable.
func (w *Writer) Flush() (length int64, err error) {
	w.close()
	err = w.write(true)
	return w.end, err
}

// Drop takes back what follows length in the file, and everything that is not written.
func (w *Writer) Drop(length int64) error {
	w.buf, w.opened, w.end = w.buf[:0], -1, length
	return w.file.Truncate(length)
}

// write writes the complete frames, if there are many or if all is true.
func (w *Writer) write(all bool) error {
	if w.err != nil || !all && len(w.buf) < frameTarget {
		return w.err
	}
	if _, w.err = w.file.WriteAt(w.buf, w.end); w.err == nil {
		w.end += int64(len(w.buf))
		w.buf = w.buf[:0]
	}
	return w.err
}
