package judge

import (
	"encoding/binary"
	"math"

	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// Programs that find candidates elsewhere, on many machines, compare them here. They ask what is
// compared of each text, send that where it is needed, and ask how similar two texts are.

const wordSize = 8 // bytes

// comparison returns what compares sets.
func (a *responder) comparison() (*signatures.Comparison, error) {
	if a.compares != nil {
		return a.compares, nil
	}
	if a.by.Detector.Exact == nil || !a.c.Method.HasSets() {
		return nil, refuse("only --memory exact compares sets, unless --verify signature is given")
	}
	if a.c.Method.FindsByRarest() {
		return nil, refuse("these sets are found by their rarest words, without band keys: give --recall %g, with "+
			"which they have some", spec.RecallWithSets)
	}
	made, err := signatures.NewComparison(exact.Params(a.c.Method, a.by.Keys))
	a.compares = made
	return made, err
}

// setsOf returns the lengths of what is compared of each text, followed by these bytes. A text with
// nothing to compare has none.
func (a *responder) setsOf(q *question) (reply []byte, err error) {
	compares, err := a.comparison()
	if err != nil {
		return nil, err
	}
	sketcher := newSketching(a.from.New())
	reply = make([]byte, 4*len(q.spans))
	for i := range q.spans {
		start := len(reply)
		words, ok := sketcher.append(a.texts.words[:0], q, i)
		a.texts.words = words[:0]
		if ok {
			words = compares.Compared(words)
			if err := a.checkReply(start + wordSize*len(words)); err != nil {
				return nil, err
			}
			for _, word := range words {
				reply = binary.LittleEndian.AppendUint64(reply, word)
			}
		}
		binary.LittleEndian.PutUint32(reply[4*i:], uint32(len(reply)-start))
	}
	return reply, nil
}

// compare returns, for each two of the sets that setsOf has returned, their similarity as a float
// of 4 bytes, and in 4 more bytes whether the later one is a duplicate.
func (a *responder) compare(q *question) (reply []byte, err error) {
	compares, err := a.comparison()
	if err != nil {
		return nil, err
	}
	var both [2][]uint64
	for i := 0; i < len(q.spans); i += 2 {
		for j := range both {
			if both[j], err = wordsOf(both[j][:0], q, i+j); err != nil {
				return nil, err
			}
		}
		similarity, isDuplicate, err := compares.Similarity(both[0], both[1])
		if err != nil {
			return nil, refuse("sets %d and %d: %w", i+1, i+2, err)
		}
		reply = binary.LittleEndian.AppendUint32(reply, math.Float32bits(float32(similarity)))
		reply = binary.LittleEndian.AppendUint32(reply, uint32(boolToInt(isDuplicate)))
	}
	return reply, nil
}

// wordsOf appends the words of text i.
func wordsOf(dst []uint64, q *question, i int) ([]uint64, error) {
	text := q.textAt(i)
	if q.sketches.Problems[i] != (record.Problem{}) || len(text)%wordSize > 0 {
		return dst, refuse("set %d has %d bytes, which no set can have", i+1, q.lengths[i])
	}
	for ; len(text) > 0; text = text[wordSize:] {
		dst = append(dst, binary.LittleEndian.Uint64(text))
	}
	return dst, nil
}
