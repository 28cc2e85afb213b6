package lsh

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/zeebo/xxh3"
)

// ErrCorrupt says that a log is damaged, shorter than it was, or of another index.
var ErrCorrupt = errors.New("the log of the exact memory is damaged")

const (
	logMagic       = "mithlsh\x00"
	logVersion     = 1
	logVersionSets = 2           // of a log whose entries have sets
	logHeaderBytes = 8 + 4*8 + 8 // magic; version, slots, bands, rows; checksum

	frameMagic     = "lshf"
	frameHead      = 16 // magic, kind, length of the payload
	frameOverhead  = frameHead + 8
	frameTarget    = 1 << 20 // a frame of entries is complete when it has so much
	maxFrame       = 1 << 26
	kindEntries    = 1
	kindNote       = 2
	kindCounts     = 3
	countsOfRecord = 3
)

// A LogFile is what a Log is kept in.
type LogFile interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Sync() error
}

// A Log is what an Index remembers, in a file to which is only appended. It counts up to a length
// that Sync has returned, and that is kept elsewhere. docs/format.md defines it.
type Log struct {
	file   LogFile
	end    int64  // of what is written
	buf    []byte // what is not: whole frames, and perhaps an open one of entries
	opened int    // where that one begins in buf, or -1
	err    error
}

// Load returns the index of a log of that length, and the log, to which the index appends from now
// on. A length of 0 begins a new log. Each note is handed over in its order, if notes is not nil.
// What is after the length is cut off.
func Load(file LogFile, length int64, p Params, notes func(note []byte) error) (*Index, *Log, error) {
	x, err := read(file, length, p, notes)
	if err != nil {
		return nil, nil, err
	}
	l := &Log{file: file, end: length, opened: -1}
	err = file.Truncate(length)
	if length == 0 {
		l.buf = appendLogHeader(l.buf, p)
	}
	if err != nil {
		return nil, nil, errors.Join(err, x.Close())
	}
	x.log, x.sets.file = l, file
	return x, l, nil
}

// LoadReadOnly returns the index of a log, and changes nothing. If it has sets, the file must stay
// open as long as the index is.
func LoadReadOnly(file io.ReaderAt, length int64, p Params, notes func(note []byte) error) (*Index, error) {
	return read(file, length, p, notes)
}

func read(file io.ReaderAt, length int64, p Params, notes func(note []byte) error) (*Index, error) {
	x, err := newEmpty(p)
	if err != nil || length == 0 {
		return x, err
	}
	x.sets.file = file
	if err = x.readLog(file, length, notes); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// Note appends a few bytes that belong to what was observed so far.
func (l *Log) Note(note []byte) error {
	if len(note) > maxFrame {
		return fmt.Errorf("a note of %d bytes: at most %d are possible", len(note), maxFrame)
	}
	l.closeFrame()
	l.begin(kindNote)
	l.buf = append(l.buf, note...)
	l.closeFrame()
	return l.write(false)
}

// Sync makes everything observed so far durable. It returns the length of the log.
func (x *Index) Sync() (length int64, err error) {
	l := x.log
	l.closeFrame()
	l.begin(kindCounts)
	for _, n := range [countsOfRecord]uint64{x.records, x.duplicates, x.copies} {
		l.buf = binary.LittleEndian.AppendUint64(l.buf, n)
	}
	l.closeFrame()
	if err := l.write(true); err != nil {
		return 0, err
	}
	if l.err = l.file.Sync(); l.err != nil {
		return 0, l.err
	}
	return l.end, nil
}

// entry appends what is needed to remember an entry again, and says where its set is, if it has
// one.
func (l *Log) entry(number uint64, keys []uint32, signature []uint64, hasSet bool, set []uint64) (at int64, err error) {
	if l.opened < 0 {
		l.begin(kindEntries)
	}
	l.buf = binary.LittleEndian.AppendUint64(l.buf, number)
	for _, key := range keys {
		l.buf = binary.LittleEndian.AppendUint32(l.buf, key)
	}
	for _, word := range signature {
		l.buf = binary.LittleEndian.AppendUint64(l.buf, word)
	}
	if hasSet {
		l.buf = binary.LittleEndian.AppendUint64(l.buf, uint64(len(set)))
		at = l.end + int64(len(l.buf))
		for _, word := range set {
			l.buf = binary.LittleEndian.AppendUint64(l.buf, word)
		}
	}
	if len(l.buf)-l.opened >= frameTarget {
		l.closeFrame()
		return at, l.write(false)
	}
	return at, l.err
}

func (l *Log) begin(kind uint32) {
	l.opened = len(l.buf)
	l.buf = append(l.buf, frameMagic...)
	l.buf = binary.LittleEndian.AppendUint32(l.buf, kind)
	l.buf = binary.LittleEndian.AppendUint64(l.buf, 0)
}

// closeFrame completes the frame that is open, if one is. The checksum depends on where it stands.
func (l *Log) closeFrame() {
	if l.opened < 0 {
		return
	}
	frame := l.buf[l.opened:]
	binary.LittleEndian.PutUint64(frame[8:], uint64(len(frame)-frameHead))
	l.buf = binary.LittleEndian.AppendUint64(l.buf, xxh3.HashSeed(frame, uint64(l.end)+uint64(l.opened)))
	l.opened = -1
}

// write writes the whole frames, if they are many or if all must go. After an error nothing more is
// written: whether it will reach the disk cannot be known.
func (l *Log) write(all bool) error {
	if l.err != nil || !all && len(l.buf) < frameTarget {
		return l.err
	}
	if _, l.err = l.file.WriteAt(l.buf, l.end); l.err == nil {
		l.end += int64(len(l.buf))
		l.buf = l.buf[:0]
	}
	return l.err
}

func appendLogHeader(b []byte, p Params) []byte {
	start := len(b)
	b = append(b, logMagic...)
	version := logVersion
	if p.Sets {
		version = logVersionSets
	}
	for _, n := range []int{version, p.NumPerm, p.Bands, p.Rows} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return binary.LittleEndian.AppendUint64(b, xxh3.Hash(b[start:]))
}

// VerifyLog checks every checksum of a log up to a length, with little memory.
func VerifyLog(file io.ReaderAt, length int64) error {
	return frames(file, length, func([]byte) error { return nil }, func(uint32, []byte, int64) error { return nil })
}

// ReadNotes hands over the notes of a log up to a length, in their order, and remembers nothing
// else of it.
func ReadNotes(file io.ReaderAt, length int64, notes func(note []byte) error) error {
	return frames(file, length, func([]byte) error { return nil },
		func(kind uint32, payload []byte, _ int64) error {
			if kind == kindNote {
				return notes(payload)
			}
			return nil
		})
}

// readLog remembers what a log holds. It must be whole up to the length.
func (x *Index) readLog(file io.ReaderAt, length int64, notes func(note []byte) error) error {
	return frames(file, length, x.checkHeader, func(kind uint32, payload []byte, at int64) error {
		switch {
		case kind == kindEntries:
			return x.entriesOf(payload, at, func(number uint64, signature []uint64) error {
				x.records = number
				_, err := x.remember(signature)
				return err
			})
		case kind == kindCounts && len(payload) == 8*countsOfRecord:
			x.records = binary.LittleEndian.Uint64(payload)
			x.duplicates = binary.LittleEndian.Uint64(payload[8:])
			x.copies = binary.LittleEndian.Uint64(payload[16:])
			return nil
		case kind == kindNote && notes != nil:
			return notes(payload)
		case kind == kindNote:
			return nil
		}
		return errKind
	})
}

var errKind = fmt.Errorf("%w: a frame of no known kind", ErrCorrupt)

// checkHeader refuses the log of another index.
func (x *Index) checkHeader(header []byte) error {
	if string(header) != string(appendLogHeader(nil, x.params)) {
		return corruptAt(0, "its header is not that of this index")
	}
	return nil
}

// frames hands over the header of a log, which is whole, and each of its frames, with the offset of
// its payload.
func frames(
	file io.ReaderAt, length int64, header func([]byte) error,
	frame func(kind uint32, payload []byte, at int64) error,
) error {
	head := make([]byte, logHeaderBytes)
	if length < logHeaderBytes {
		return corruptAt(0, "it was committed up to %d, which is less than its header", length)
	}
	if n, err := file.ReadAt(head, 0); err != nil && (err != io.EOF || n < logHeaderBytes) {
		return corruptAt(0, "its header cannot be read: %v", err)
	}
	sum := len(head) - 8
	if binary.LittleEndian.Uint64(head[sum:]) != xxh3.Hash(head[:sum]) {
		return corruptAt(0, "the checksum of its header is wrong")
	}
	if err := header(head); err != nil {
		return err
	}
	var buf []byte
	for at := int64(logHeaderBytes); at < length; at += int64(len(buf)) {
		var err error
		if buf, err = readFrame(file, buf, at, length); err != nil {
			return err
		}
		if err := frame(binary.LittleEndian.Uint32(buf[4:]), buf[frameHead:len(buf)-8], at+frameHead); err != nil {
			return fmt.Errorf("at byte %d: %w", at, err)
		}
	}
	return nil
}

// readFrame returns the frame at an offset, which must end before the length of the log.
func readFrame(file io.ReaderAt, buf []byte, at, length int64) ([]byte, error) {
	var head [frameHead]byte
	if length-at < frameOverhead {
		return nil, corruptAt(at, "there is no whole frame here")
	}
	if _, err := file.ReadAt(head[:], at); err != nil && err != io.EOF {
		return nil, err
	}
	size := binary.LittleEndian.Uint64(head[8:])
	if string(head[:4]) != frameMagic || size > 2*maxFrame || int64(size)+frameOverhead > length-at {
		return nil, corruptAt(at, "there is no whole frame here")
	}
	total := int(size) + frameOverhead
	if cap(buf) < total {
		buf = make([]byte, total)
	}
	buf = buf[:total]
	if n, err := file.ReadAt(buf, at); n < total {
		if err == io.EOF {
			return nil, corruptAt(at, "the file ends here, and was committed up to %d", length)
		}
		return nil, err
	}
	if binary.LittleEndian.Uint64(buf[total-8:]) != xxh3.HashSeed(buf[:total-8], uint64(at)) {
		return nil, corruptAt(at, "the checksum is wrong")
	}
	return buf, nil
}

func corruptAt(at int64, format string, args ...any) error {
	return fmt.Errorf("%w at byte %d: %s", ErrCorrupt, at, fmt.Sprintf(format, args...))
}

// entriesOf makes each entry of a frame the record at hand, and hands it over. The payload of the
// frame is at an offset of the log.
func (x *Index) entriesOf(payload []byte, at int64, each func(number uint64, signature []uint64) error) error {
	words := x.params.signatureWords()
	fixed := 8 + 4*len(x.keys) + 8*words
	signature := make([]uint64, words)
	for rest := payload; len(rest) > 0; {
		if len(rest) < fixed {
			return fmt.Errorf("%w: a frame of %d bytes ends with a part of an entry", ErrCorrupt, len(payload))
		}
		number := binary.LittleEndian.Uint64(rest)
		for i := range x.keys {
			x.keys[i] = binary.LittleEndian.Uint32(rest[8+4*i:])
		}
		for i := range signature {
			signature[i] = binary.LittleEndian.Uint64(rest[8+4*len(x.keys)+8*i:])
		}
		rest = rest[fixed:]
		if x.params.Sets {
			var ok bool
			if rest, ok = x.sets.cut(rest, at+int64(len(payload)-len(rest))); !ok {
				return fmt.Errorf("%w: a frame of %d bytes ends with a part of a set", ErrCorrupt, len(payload))
			}
		}
		if err := each(number, signature); err != nil {
			return err
		}
	}
	return nil
}
