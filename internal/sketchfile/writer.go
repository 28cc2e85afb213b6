package sketchfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/zeebo/xxh3"
)

// A Writer writes a sketch file. Its bytes depend only on the header and the records. It is not
// safe for concurrent use.
type Writer struct {
	w        io.Writer
	bands    int
	words    int    // after the keys of each record
	problems int    // number of problems in the header
	sum      uint64 // of the previous block
	records  uint64
	sketched uint64 // records with keys

	codes []byte // of the records in the current block
	keys  []byte // keys and words
	block []byte // scratch buffer
}

// NewWriter starts a file. Names and values in the header must not contain tabs or line feeds.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	text, sum := h.encode()
	if len(text) > maxHeader {
		return nil, fmt.Errorf("the header has %d bytes, at most %d are possible", len(text), maxHeader)
	}
	_, err := w.Write(text)
	return &Writer{w: w, bands: h.Bands(), words: h.Words(), problems: len(h.Problems), sum: sum}, err
}

// Add appends a record with keys: as many as there are bands, and as many words as the header says.
func (w *Writer) Add(keys []Key, words ...uint64) error {
	if len(keys) != w.bands || len(words) != w.words {
		return fmt.Errorf("a record has %d keys and %d words, not %d and %d", len(keys), len(words), w.bands, w.words)
	}
	for _, key := range keys {
		w.keys = binary.LittleEndian.AppendUint64(w.keys, key.Hi)
		w.keys = binary.LittleEndian.AppendUint64(w.keys, key.Lo)
	}
	for _, word := range words {
		w.keys = binary.LittleEndian.AppendUint64(w.keys, word)
	}
	w.sketched++
	return w.add(0)
}

// AddWithout appends a record without keys, for a problem numbered from 1.
func (w *Writer) AddWithout(problem int) error {
	if problem < 1 || problem > w.problems {
		return fmt.Errorf("problem %d has no name", problem)
	}
	return w.add(byte(problem))
}

func (w *Writer) add(code byte) error {
	w.records++
	w.codes = append(w.codes, code)
	if len(w.codes)+len(w.keys) < payloadTarget {
		return nil
	}
	return w.flush()
}

// flush writes the current block.
func (w *Writer) flush() error {
	if len(w.codes) == 0 {
		return nil
	}
	codes := padded(uint64(len(w.codes)))
	b := appendHead(w.block[:0], blockMagic, int(codes)+len(w.keys), uint64(len(w.codes)))
	b = append(b, w.codes...)
	b = append(b, make([]byte, codes-uint64(len(w.codes)))...)
	b = append(b, w.keys...)
	w.codes, w.keys = w.codes[:0], w.keys[:0]
	w.block = b
	return w.write(b)
}

// Close writes the rest and the end of the file. It does not close the underlying writer.
func (w *Writer) Close() error {
	err := w.flush()
	b := appendHead(w.block[:0], endMagic, endPayload, w.records)
	b = binary.LittleEndian.AppendUint64(b, w.sketched)
	b = binary.LittleEndian.AppendUint64(b, 0)
	if err == nil {
		err = w.write(b)
	}
	w.w = closed{}
	return err
}

// write completes a block and writes it.
func (w *Writer) write(b []byte) error {
	w.sum = xxh3.HashSeed(b, w.sum)
	w.block = binary.LittleEndian.AppendUint64(b, w.sum)
	_, err := w.w.Write(w.block)
	return err
}

func appendHead(b []byte, magic string, payload int, records uint64) []byte {
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(payload))
	return binary.LittleEndian.AppendUint64(b, records)
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, errors.New("the sketch file is closed") }
