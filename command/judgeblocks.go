package command

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/mithril-stream/mithril-stream/stream"
)

// The kinds of requests, and of the replies to them (docs/judge.md).
const (
	judgeAdd        = iota + 1 // texts to judge and remember
	judgeAsk                   // texts to judge
	judgeCommit                // make durable what is remembered
	judgeNames                 // what records are called
	judgeSignatures            // of texts
	judgeKeys                  // band keys of texts
	judgeNear                  // the records that are the most similar to texts
	judgeStats                 // how much is remembered
)

const (
	requestSize = 12 // of the head of a request or reply: kind, count, argument
	mostInBlock = 1 << 20
	// texts of a block that go through the stream at a time
	handRecords, handBytes = 1 << 10, 256 << 10
)

// A request is the head of a block.
type request struct {
	kind, count uint32
	argument    uint32   // 1 if ids follow the texts of judgeAdd; how many records judgeNear asks for
	records     []uint64 // whose names are asked for
	lengths     []int32  // of the texts
	ids         [][]byte // of the texts, as JSON
	text        []byte   // all of them, if they are not judged
	spans       []stream.Span
	begun       int // texts that were handed over
}

// requests reads what another program sends. It is the one source of records of its run.
type requests struct {
	src       *bufio.Reader
	maxRecord int
	asks      chan<- bool // for each batch that is judged, whether it is only asked about
	at        *request    // of which texts are left

	handed   uint64                 // requests that were handed over
	answered atomic.Uint64          // of them
	atOnce   func(*textsHeld) error // answers a few texts
	few      textsHeld
	spare    spares
}

// A few texts are answered by who reads them, if nothing else is on its way: handing them on takes
// longer than to judge them.
const fewTexts = 8

// textsHeld are the few texts of a request.
type textsHeld struct {
	*request
	stream.Records
}

// ReadRecords hands over some texts of a request, or the request itself, as a mark.
func (r *requests) ReadRecords(_ context.Context, to *stream.Records) error {
	for r.at == nil {
		q, err := r.next()
		if err != nil {
			return err
		}
		if q.kind == judgeAdd || q.kind == judgeAsk {
			if q.count <= fewTexts && r.answered.Load() == r.handed {
				if err := r.answerAtOnce(q); err != nil {
					return err
				}
				continue
			}
			if q.count > 0 {
				r.at = q
				break
			}
		}
		r.handed++
		to.Tag = q
		return r.readTexts(to, q)
	}
	q := r.at
	to.Tag = textsOf{q, q.begun}
	if err := r.readPart(to, q); err != nil {
		return err
	}
	if q.begun == len(q.lengths) {
		r.at = nil
		r.handed++
	}
	r.asks <- q.kind == judgeAsk
	return nil
}

// readPart reads the next texts of a request: those that have room in one read, or a single one.
func (r *requests) readPart(to *stream.Records, q *request) error {
	start, size := len(to.Buf), 0
	for ; q.begun < len(q.lengths) && len(to.List) < handRecords; q.begun++ {
		n := int(q.lengths[q.begun])
		if n > min(handBytes, r.maxRecord) {
			break
		}
		record := stream.Record{Text: stream.Span{Start: start + size, End: start + size + max(0, n)}}
		if n < 0 {
			record.Problem = stream.NoText
		}
		if record.Text.End > handBytes && len(to.List) > 0 {
			break
		}
		to.List, size = append(to.List, record), record.Text.End-start
	}
	if len(to.List) == 0 {
		record, err := r.text(to, q.lengths[q.begun])
		to.List, q.begun = append(to.List, record), q.begun+1
		return err
	}
	to.Buf = append(to.Buf, make([]byte, size)...)
	to.Bytes += uint64(size)
	_, err := io.ReadFull(r.src, to.Buf[start:])
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// answerAtOnce answers a request while the rest of the run has nothing to do.
func (r *requests) answerAtOnce(q *request) error {
	r.handed++
	to := &r.few
	to.request, to.Buf, to.List = q, to.Buf[:0], to.List[:0]
	for _, n := range q.lengths {
		record, err := r.text(&to.Records, n)
		if err != nil {
			return err
		}
		to.List = append(to.List, record)
	}
	return r.atOnce(to)
}

// textsOf is some texts of a request, from the first on.
type textsOf struct {
	*request
	first int
}

// next reads the head of a request, and what stands before its texts.
func (r *requests) next() (*request, error) {
	var head [requestSize]byte
	if _, err := io.ReadFull(r.src, head[:]); err != nil {
		return nil, err // io.EOF if the program wants no more
	}
	q := &request{
		kind: binary.LittleEndian.Uint32(head[:]), count: binary.LittleEndian.Uint32(head[4:]),
		argument: binary.LittleEndian.Uint32(head[8:]),
	}
	if q.kind < judgeAdd || q.kind > judgeStats {
		return nil, fmt.Errorf("a request of kind %d, which there is not: is this docs/judge.md?", q.kind)
	}
	if q.count > mostInBlock {
		return nil, fmt.Errorf("a request of %d texts: at most %d are possible", q.count, mostInBlock)
	}
	var err error
	switch q.kind {
	case judgeCommit, judgeStats:
		return q, nil
	case judgeNames:
		q.records = make([]uint64, q.count)
		return q, binary.Read(r.src, binary.LittleEndian, q.records)
	}
	if q.lengths, err = r.numbers(q.count); err == nil && q.kind == judgeAdd && q.argument == 1 {
		err = r.readIDs(q)
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return q, err
}

func (r *requests) numbers(count uint32) ([]int32, error) {
	list := make([]int32, count)
	return list, binary.Read(r.src, binary.LittleEndian, list)
}

// readIDs reads what the texts of a request are called.
func (r *requests) readIDs(q *request) error {
	lengths, err := r.numbers(q.count)
	if err != nil {
		return err
	}
	for _, n := range lengths {
		if n < 0 || n > 64<<10 {
			return fmt.Errorf("an id of %d bytes: at most 65536 are possible", n)
		}
		id := make([]byte, n)
		if _, err := io.ReadFull(r.src, id); err != nil {
			return err
		}
		q.ids = append(q.ids, id)
	}
	return nil
}

// text reads one text. One without a length is missing, and one that is too long is passed over.
func (r *requests) text(to *stream.Records, length int32) (record stream.Record, err error) {
	record.Text.Start = len(to.Buf)
	switch n := int(length); {
	case n < 0:
		record.Problem = stream.NoText
	case n > r.maxRecord:
		record.Problem = stream.TooLong
		_, err = r.src.Discard(n)
	default:
		to.Buf = append(to.Buf, make([]byte, n)...)
		_, err = io.ReadFull(r.src, to.Buf[record.Text.Start:])
		to.Bytes += uint64(n)
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	record.Text.End = len(to.Buf)
	return record, err
}

// readTexts reads the texts of a request that is not judged. What it asks about stays with it.
func (r *requests) readTexts(to *stream.Records, q *request) error {
	size := 0
	for _, n := range q.lengths {
		size += max(0, min(int(n), r.maxRecord))
	}
	all := stream.Records{Buf: r.spare.take(min(size, mostExpected))}
	for _, n := range q.lengths {
		record, err := r.text(&all, n)
		if err != nil {
			return err
		}
		q.spans = append(q.spans, record.Text)
	}
	q.text = all.Buf
	to.Held += len(all.Buf)
	return nil
}

// mostExpected is how much memory is taken for texts before they have come, and kept for the next.
const mostExpected = 8 << 20

// spares are buffers of texts that were answered.
type spares chan []byte

// take returns an empty buffer with room for so many bytes.
func (s spares) take(size int) []byte {
	select {
	case buf := <-s:
		if cap(buf) >= size {
			return buf[:0]
		}
	default:
	}
	return make([]byte, 0, size)
}

// give takes a buffer back, unless it is one of those that are not worth keeping.
func (s spares) give(buf []byte) {
	if cap(buf) > mostExpected {
		return
	}
	select {
	case s <- buf:
	default:
	}
}

// textAt is one of the texts that are not judged.
func (q *request) textAt(i int) []byte { return q.text[q.spans[i].Start:q.spans[i].End] }

// Skip is for runs that are resumed, which this is not.
func (*requests) Skip(stream.Position) error {
	return errors.New("a run for another program cannot be resumed")
}

func (*requests) Close() error { return nil }
