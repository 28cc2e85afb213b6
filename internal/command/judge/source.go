package judge

import (
	"context"
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// How the texts of a request are divided. A few texts form one question, since waking a worker
// takes longer than sketching them. More texts are read in parts of limited numbers of records and
// bytes.
const (
	fewTexts    = 8
	handRecords = 1 << 10
	handBytes   = 256 << 10
)

// A question is a request that is passed on as a whole, so that it can be answered without waiting.
type question struct {
	*request
	text     []byte // all texts
	spans    []record.Span
	sketches stream.Batch // the problems of the texts, and their sketches if the answer needs them
}

// textAt returns text i.
func (q *question) textAt(i int) []byte { return q.text[q.spans[i].Start:q.spans[i].End] }

// textsOf identifies some texts of a request, beginning with number first.
type textsOf struct {
	*request
	first int
}

// parts passes on the texts of long requests in parts.
type parts struct {
	at    *request // with texts left; may be nil
	begun int      // how many of its texts have been passed on
}

// read passes on the next texts of a request: as many as fit into one read, but at least one.
// appendText appends text i, and returns what is wrong with it.
func (p *parts) read(
	to *stream.Records, appendText func(dst []byte, i int) ([]byte, record.Problem, error),
) error {
	q := p.at
	to.Tag = textsOf{q, p.begun}
	for ; p.begun < len(q.lengths) && len(to.List) < handRecords; p.begun++ {
		if len(to.List) > 0 && len(to.Buf)+max(0, int(q.lengths[p.begun])) > handBytes {
			break
		}
		record := stream.Record{Text: record.Span{Start: len(to.Buf)}}
		var err error
		if to.Buf, record.Problem, err = appendText(to.Buf, p.begun); err != nil {
			to.List, to.Tag = to.List[:0], nil
			return err
		}
		record.Text.End = len(to.Buf)
		to.List = append(to.List, record)
		if q.values != nil {
			to.Buf = append(to.Buf, q.values[p.begun]...)
			to.Named = append(to.Named, stream.Span{Start: record.Text.End, End: len(to.Buf)})
		}
	}
	to.Bytes += uint64(len(to.Buf))
	if p.begun == len(q.lengths) {
		p.at = nil
	}
	return nil
}

// Name implements stream.Namer: values of the field of --within come with the texts.
func (*parts) Name([]stream.Field) error { return nil }

// Skip always fails, since the run cannot be resumed.
func (*parts) Skip(stream.Position) error {
	return errors.New("a run for another program cannot be resumed")
}

// Close does nothing.
func (*parts) Close() error { return nil }

// requests is the only source of records of its run: the requests of another program, in order. It
// answers none of them.
type requests struct {
	requestReader
	parts
	sketcher *sketching // for a few texts
	spare    spares
	cores    *files.Cores
	waits    int // consecutive questions after which the program had sent nothing more
}

// ReadRecords returns some texts of a request, or a question as a mark. After a request that is cut
// short, it returns an error.
func (r *requests) ReadRecords(_ context.Context, to *stream.Records) error {
	if r.at == nil {
		q, err := r.next()
		if err != nil {
			return err
		}
		if !q.isJudged() || isFew(q.lengths) {
			return r.readQuestion(to, q)
		}
		r.at, r.begun, r.waits = q, 0, 0
	}
	r.cores.Leave(false)
	return r.parts.read(to, func(dst []byte, i int) ([]byte, record.Problem, error) {
		return r.appendText(dst, r.at.lengths[i])
	})
}

// manyWaits is the number of consecutive questions after which a program is taken for one that
// waits for each answer. From then on everything is done on one core, since handing over to another
// one takes longer than the work. The number is high, since changing the number of cores stops all
// goroutines for some microseconds.
const manyWaits = 32

// countWait notices whether the program waits for the answer to the question that was just read.
func (r *requests) countWait() {
	r.waits++
	if r.src.Buffered() > 0 {
		r.waits = 0
	}
	r.cores.Leave(r.waits >= manyWaits)
}

func isFew(lengths []int32) bool {
	size := 0
	for _, n := range lengths {
		size += max(0, int(n))
	}
	return len(lengths) <= fewTexts && size <= handBytes
}

// readQuestion reads the texts of a request, and passes it on.
func (r *requests) readQuestion(to *stream.Records, request *request) error {
	q, err := r.readTexts(request, r.spare)
	if err != nil {
		return err
	}
	r.sketcher.sketch(q)
	r.countWait()
	to.Tag, to.Held = q, len(q.text)
	return nil
}

// readTexts reads the texts of a request.
func (r *requestReader) readTexts(request *request, spare spares) (*question, error) {
	q := &question{request: request}
	size := 0
	for _, n := range q.lengths {
		size += max(0, min(int(n), r.maxRecord))
	}
	q.text = spare.get(min(size, mostExpected))
	for _, n := range q.lengths {
		var p record.Problem
		var err error
		start := len(q.text)
		if q.text, p, err = r.appendText(q.text, n); err != nil {
			return nil, err
		}
		q.spans = append(q.spans, record.Span{Start: start, End: len(q.text)})
		q.sketches.Problems = append(q.sketches.Problems, p)
	}
	return q, nil
}

// spares holds buffers of answered texts for reuse.
type spares chan []byte

// get returns an empty buffer with a capacity of at least size bytes.
func (s spares) get(size int) []byte {
	select {
	case buf := <-s:
		if cap(buf) >= size {
			return buf[:0]
		}
	default:
	}
	return make([]byte, 0, size)
}

// put takes back a buffer, unless it is too large to keep.
func (s spares) put(buf []byte) {
	if cap(buf) > mostExpected {
		return
	}
	select {
	case s <- buf:
	default:
	}
}
