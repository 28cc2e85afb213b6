package main

import (
	"io"
	"strconv"
)

// Words are 7 letters of 5 bits: number n becomes a word by a permutation of 35 bits, so that no
// word comes twice.
const (
	wordsPerRecord = 200
	letters        = "abcdefghijklmnopqrstuvwxyz234567"
	wordLetters    = 7
	wordBits       = 5 * wordLetters
	wordMask       = 1<<wordBits - 1
)

// appendWord appends the n-th word of a seed.
func appendWord(dst []byte, seed, n uint64) []byte {
	x := n + seed<<20
	x = x * 0x9e3779b97f4a7c15 & wordMask
	x ^= x >> (wordBits / 2)
	x = x * 0xbf58476d1ce4e5b9 & wordMask
	x ^= x >> (wordBits/2 + 1)
	for range wordLetters {
		dst = append(dst, letters[x&31])
		x >>= 5
	}
	return dst
}

// appendText appends the text of a record: words that no other record has.
func appendText(dst []byte, seed uint64, record int) []byte {
	first := uint64(record) * wordsPerRecord
	for i := range uint64(wordsPerRecord) {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = appendWord(dst, seed, first+i)
	}
	return dst
}

// records is a stream of JSON Lines.
type records struct {
	seed      uint64
	next, end int
	line      []byte // the current record
	rest      []byte // what of it is not read yet
}

func newRecords(seed uint64, from, to int) *records {
	return &records{seed: seed, next: from, end: to}
}

func (r *records) Read(p []byte) (int, error) {
	total := 0
	for total < len(p) {
		if len(r.rest) == 0 {
			if r.next == r.end {
				break
			}
			r.line = append(r.line[:0], `{"id":`...)
			r.line = strconv.AppendInt(r.line, int64(r.next), 10)
			r.line = append(r.line, `,"text":"`...)
			r.line = appendText(r.line, r.seed, r.next)
			r.line = append(r.line, '"', '}', '\n')
			r.rest = r.line
			r.next++
		}
		n := copy(p[total:], r.rest)
		r.rest = r.rest[n:]
		total += n
	}
	if total == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return total, nil
}
