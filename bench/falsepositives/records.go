package main

import (
	"io"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bench/records"
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

// newRecords is a stream of JSON Lines.
func newRecords(seed uint64, from, to int) io.Reader {
	return &records.Reader{Next: func(dst []byte) []byte {
		if from == to {
			return dst
		}
		dst = strconv.AppendInt(append(dst, `{"id":`...), int64(from), 10)
		dst = appendText(append(dst, `,"text":"`...), seed, from)
		from++
		return append(dst, "\"}\n"...)
	}}
}
