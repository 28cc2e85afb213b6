package main

import (
	"bufio"
	"io"
	"math"
	"math/rand/v2"
)

const (
	words      = 40     // of a record: 36 shingles of 5 words
	vocabulary = 50_000 // so that no two texts resemble each other by chance
	oneInCopy  = 10     // of how many records one is a copy
)

// A kind says what a record is. What is changed at an end of a text changes one shingle alone.
type kind int

const (
	original    kind = iota
	equal            // the words of an earlier record, in capitals
	lastChanged      // its last word is another one
	endsChanged      // its first and its last word are
	kinds
)

// similarity is the exact Jaccard similarity of a copy with its original.
var similarity = [kinds]float64{0, 1, 35. / 37, 34. / 38}

// A record is known by its number: it is made again wherever it is needed, and kept nowhere.
type record struct {
	number uint64
	kind   kind
	source uint64 // the number of the original: its own, or an earlier one
}

// recordOf says what the record of a number is. The distances of copies to their originals are
// uniform on a logarithmic scale, so that there are as many within ten records as between a tenth
// and all of the stream.
func recordOf(number uint64) record {
	if number%oneInCopy != oneInCopy-1 {
		return record{number, original, number}
	}
	random := rand.New(rand.NewPCG(2, number))
	source := number - uint64(math.Exp(random.Float64()*math.Log(float64(number))))
	if source%oneInCopy == oneInCopy-1 {
		source-- // a copy itself
	}
	return record{number, []kind{equal, equal, lastChanged, endsChanged}[random.IntN(4)], source}
}

// text appends the words of the record to a buffer.
func (r record) text(to []byte) []byte {
	var stream rand.PCG
	stream.Seed(1, r.source)
	initial := byte('w')
	if r.kind == equal {
		initial = 'W'
	}
	for i := range words {
		if i > 0 {
			to = append(to, ' ')
		}
		word := stream.Uint64() % vocabulary
		if i == words-1 && (r.kind == lastChanged || r.kind == endsChanged) || i == 0 && r.kind == endsChanged {
			word = vocabulary + r.number // no other record has it
		}
		to = appendWord(append(to, initial), word)
	}
	return to
}

func appendWord(to []byte, word uint64) []byte {
	for {
		to = append(to, '0'+byte(word%10))
		if word /= 10; word == 0 {
			return to
		}
	}
}

// write writes records as JSON Lines.
func write(to io.Writer, records uint64) error {
	out := bufio.NewWriterSize(to, 1<<18)
	var line []byte
	for number := range records {
		line = append(line[:0], `{"text":"`...)
		line = append(recordOf(number).text(line), "\"}\n"...)
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}
