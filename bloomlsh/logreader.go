package bloomlsh

import (
	"errors"
	"fmt"
	"io"

	"github.com/zeebo/xxh3"
)

// logReader reads the frames of a log through a window, so that a long log needs little memory.
type logReader struct {
	file   io.ReaderAt
	size   int64 // of the file
	window []byte
	start  int64 // offset of the window in the file
}

func newLogReader(f io.ReaderAt, size int64) *logReader {
	return &logReader{file: f, size: size}
}

// windowSize holds the longest frame twice.
const windowSize = 2 * (maxPayload + frameOverhead)

// bytes returns n bytes from offset on, or fewer at the end of the file.
func (r *logReader) bytes(offset int64, n int) ([]byte, error) {
	if offset < r.start || offset+int64(n) > r.start+int64(len(r.window)) {
		length := max(0, min(windowSize, r.size-offset))
		if int64(cap(r.window)) < length {
			r.window = make([]byte, length)
		}
		got, err := r.file.ReadAt(r.window[:length], offset)
		if err != nil && err != io.EOF {
			return nil, err
		}
		r.window, r.start = r.window[:got], offset
	}
	window := r.window[offset-r.start:]
	return window[:min(n, len(window))], nil
}

// at returns the frame at an offset. ok is false if no good frame is there. Its payload is valid
// until the next call.
func (r *logReader) at(offset int64) (f frame, ok bool, err error) {
	b, err := r.bytes(offset, frameOverhead)
	if err != nil {
		return f, false, err
	}
	length, ok := frameLength(b, r.size-offset)
	if !ok {
		return f, false, nil
	}
	if b, err = r.bytes(offset, length); err != nil || len(b) < length {
		return f, false, err
	}
	if f, ok = decodeFrame(b, offset); ok && f.kind > kindPrepared {
		return f, false, fmt.Errorf("%w: a frame of kind %d at byte %d of a log: use a newer program", ErrVersion,
			f.kind, offset)
	}
	return f, ok, nil
}

// logState is what a log holds.
type logState struct {
	last     commit
	length   int64     // up to the end of the last good commit
	prepared *prepared // follows on it; nil if nothing is undecided
	good     int64     // where the good frames end
	size     int64     // of the file; what is beyond the commits does not count
}

// prepared is a commit that another system decides about, at the end of a log.
type prepared struct {
	commit
	length int64 // up to its end
}

// due is the number of the commit that comes next.
func (s *logState) due() uint64 {
	if s.prepared != nil {
		return s.prepared.number + 1
	}
	return s.last.number + 1
}

// confirm makes the prepared commit the last one.
func (s *logState) confirm() {
	if s.prepared != nil {
		s.last, s.length, s.prepared = s.prepared.commit, s.prepared.length, nil
	}
}

// scanLog finds the last good commit. It fails with ErrCorrupt if the log is damaged in a place
// that was once flushed: known is an offset up to which it was.
func scanLog(f file, path string, print xxh3.Uint128, series uint64, known int64) (s logState, err error) {
	if s.size, err = f.Size(); err != nil {
		return s, err
	}
	header := make([]byte, min(logHeaderSize, s.size))
	if _, err := f.ReadAt(header, 0); err != nil && err != io.EOF {
		return s, err
	}
	if err := checkLogHeader(header, print, series); errors.Is(err, ErrVersion) {
		return s, fmt.Errorf("%s: %w", path, err)
	} else if err != nil {
		return s, corrupt(path, "%v", err)
	}
	r := newLogReader(f, s.size)
	offset := int64(logHeaderSize)
	for {
		f, ok, err := r.at(offset)
		if err != nil {
			return s, err
		}
		first := s.length == 0
		if !ok || first && f.kind != kindCommit || !first && f.number != s.due() {
			s.good = offset
			return s, checkTail(r, path, s, offset, known)
		}
		offset = f.end()
		if f.kind != kindCommit && f.kind != kindPrepared {
			continue
		}
		c, err := decodeCommit(f)
		if err != nil {
			return s, corrupt(fmt.Sprintf("%s:%d", path, f.offset), "%v", err)
		}
		s.confirm() // a commit follows on another one only after that was decided
		s.prepared = &prepared{c, offset}
		if f.kind == kindCommit || offset <= known {
			s.confirm()
		}
	}
}

// checkTail decides whether what follows the last good commit is what a crash leaves over, or
// damage. bad is where the good frames end.
func checkTail(r *logReader, path string, s logState, bad, known int64) error {
	place := fmt.Sprintf("%s:%d", path, bad)
	if s.length < known || s.length == 0 {
		return corrupt(place, "there is no good frame here, and the file was committed up to %d", known)
	}
	// A frame of a later commit was only written after the commit before it was flushed. Frames
	// begin at multiples of 8.
	// A crash leaves each frame once. Bytes that were made to look like many long ones, which are
	// hashed again and again, are no such thing.
	budget := 4 * (s.size - bad + maxPayload)
	for offset := bad; offset+frameOverhead <= s.size; offset += 8 {
		head, err := r.bytes(offset, frameOverhead)
		if err != nil {
			return err
		}
		length, ok := frameLength(head, s.size-offset)
		if !ok {
			continue
		}
		if budget -= int64(length); budget < 0 {
			return corrupt(place, "there is no good frame here, and more beginnings of frames than a crash leaves")
		}
		f, ok, err := r.at(offset)
		if err != nil {
			return err
		}
		if ok && f.number > s.due() {
			return corrupt(place, "there is no good frame here, but one of a later commit at %d", f.offset)
		}
	}
	return nil
}
