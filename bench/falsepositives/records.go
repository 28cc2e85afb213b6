package main

import (
	"io"
	"math"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bench/harness/records"
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

// onceIn is how rarely a right implementation may fall outside of the range of chance, on either
// side.
const onceIn = 100_000

// poissonRange returns the counts that a Poisson variable of that expectation takes on, but for
// once in onceIn at each end.
func poissonRange(expected float64) (least, most int) {
	if expected <= 0 {
		return 0, 0
	}
	below := 0.0 // probability of at most n
	for n := 0; ; n++ {
		logGamma, _ := math.Lgamma(float64(n) + 1)
		below += math.Exp(float64(n)*math.Log(expected) - expected - logGamma)
		if below < 1./onceIn {
			least = n + 1
		}
		if below > 1-1./onceIn {
			return least, n
		}
	}
}

// poissonError is the standard error of a count over its expectation.
func poissonError(expected float64) float64 { return 1 / math.Sqrt(expected) }
