package framelog

import (
	"encoding/binary"
	"errors"
	"strings"
)

// What follows the last commit of a log does not count, and the next program that writes cuts it
// off. A killed program leaves whole frames there, and possibly an incomplete one; after a loss of
// power anything may be there.

// CheckLost returns ErrCorrupt if a good frame of a commit after number due follows a place without
// one: it was written after due was flushed, so that due has been damaged since.
func (r *Reader) CheckLost(place int64, due uint64) error {
	// A crash leaves each frame once. Bytes that were made to look like many long ones, which are
	// hashed again and again, are no such thing.
	budget := 4 * (r.size - place + frameTarget)
	for offset := place; offset+Overhead <= r.size; offset += 8 {
		head, err := r.bytes(offset, headBytes)
		if err != nil {
			return err
		}
		length, ok := frameBytes(head)
		if !ok || length > r.size-offset {
			continue
		}
		if budget -= length; budget < 0 {
			return corruptAt(place, "there is no good frame here, and more beginnings of frames than a crash leaves")
		}
		if binary.LittleEndian.Uint64(head[8:]) <= due {
			continue
		}
		switch _, err := r.At(offset); {
		case err == nil:
			return corruptAt(place, "there is no good frame here, but one of a later commit at %d", offset)
		case !errors.Is(err, ErrCorrupt):
			return err
		}
	}
	return nil
}

// CheckEnd checks what follows the last commit of a log that no program writes to and none has
// after a loss of power: whole frames of the commit that is due, and possibly an incomplete one.
// Anything else is an error.
func (r *Reader) CheckEnd(committed int64, due uint64) error {
	for at := committed; at < r.size; {
		f, err := r.At(at)
		if err == nil && f.Number == due {
			at = f.End
			continue
		}
		if err != nil && !errors.Is(err, ErrCorrupt) {
			return err
		}
		head, err := r.bytes(at, headBytes)
		if err != nil || isCutShort(head, due, r.size-at) {
			return err
		}
		return corruptAt(at, "%d bytes follow here that no run has written: they do not count, and the next run that "+
			"writes cuts them off", r.size-at)
	}
	return nil
}

// isCutShort reports whether head is the beginning of an incomplete frame, as far as it goes, if
// size bytes follow.
func isCutShort(head []byte, number uint64, size int64) bool {
	if length, ok := frameBytes(head); len(head) == headBytes && (!ok || length <= size) {
		return false
	}
	for kind := Entries; kind <= lastKind; kind++ {
		begin := beginFrame(nil, kind, number)[:16] // up to its length
		n := min(len(head), len(begin))
		if strings.HasPrefix(string(begin), string(head[:n])) {
			return true
		}
	}
	return false
}
