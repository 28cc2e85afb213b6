package judge

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// The kinds of requests, and of the replies to them (docs/reference/judge.md).
const (
	judgeAdd        = iota + 1 // texts to judge and remember
	judgeAsk                   // texts to judge
	judgeCommit                // make durable what is remembered
	judgeNames                 // the names of records
	judgeSignatures            // of texts
	judgeKeys                  // band keys of texts
	judgeNear                  // the records that are the most similar to texts
	judgeStats                 // how much is remembered
	judgeAlike                 // texts to remember; the earlier records that they resemble most
	judgeSizes                 // of texts, as groups --keep fullest compares them
	judgeSimilar               // all records that texts are duplicates of
	judgeSets                  // what the exact memory compares of texts
	judgeCompare               // how similar the texts of judgeSets are, two at a time
)

// numbered is added to the kind of a request that has a number, and to the kind of its reply, which
// repeats the number.
const numbered = 1 << 8

const (
	requestSize  = 12        // of the head of a request or reply: kind, count, argument
	numberSize   = 4         // of the number after the head
	mostInBlock  = 1 << 20   // texts or records of a request
	mostInID     = 64 << 10  // bytes
	mostHeld     = 256 << 20 // bytes of a request or reply that is in memory as a whole
	mostExpected = 8 << 20   // bytes for which memory is allocated before they arrive
)

// A request is the head of a block, and what precedes its texts.
type request struct {
	kind, count uint32
	argument    uint32 // of judgeAdd and judgeAlike: 1 if ids follow the lengths; of judgeNames: 1 for null
	//                      as the name of what was deleted; of judgeNear and judgeSimilar: how many
	//                      records to name
	records []uint64 // whose names are asked for
	lengths []int32  // of the texts; -1 is one that is missing
	ids     [][]byte // of the texts, as JSON; nil if they have none
	values  [][]byte // of --within, for each text: a string, number or boolean in JSON, or empty; nil without --within

	numbered bool
	number   uint32 // for the reply to repeat, if numbered

	exchange *exchange // of the client that asks; nil with converse
}

// isJudged reports whether the request has texts that get verdicts.
func (q *request) isJudged() bool { return q.kind == judgeAdd || q.kind == judgeAsk }

// remembers reports whether the texts of the request are remembered.
func (q *request) remembers() bool { return q.kind == judgeAdd || q.kind == judgeAlike }

// asksMemory reports whether the answer depends on what is remembered so far, and adds nothing to
// it.
func (q *request) asksMemory() bool {
	return q.kind == judgeAsk || q.kind == judgeNear || q.kind == judgeSimilar
}

// isSketched reports whether its texts are sketched before the request is answered.
func (q *request) isSketched() bool { return q.isJudged() || q.kind == judgeAlike }

// hasTexts reports whether lengths and texts follow the head.
func (q *request) hasTexts() bool {
	return q.kind != judgeCommit && q.kind != judgeNames && q.kind != judgeStats
}

// A requestReader reads what another program sends. Only it knows the form of requests. It checks
// all lengths, and takes everything from the input through read or discard. It cannot be used after
// an error.
type requestReader struct {
	src       *bufio.Reader
	reserve   func(size int) // called before size bytes are read into memory; may be nil
	isWhole   bool           // requests are in memory as a whole, so their sizes are limited
	hasValues bool           // texts come with values, for --within
	isRun     bool           // the run has a name, by --run, and can be repeated
	maxRecord int            // bytes of a text; longer ones are skipped
	number    uint64         // of the current request, from 1
	kind      uint32
	buf       [8 << 10]byte // for numbers
}

// next reads a request up to its texts. It returns io.EOF if the program has no more requests.
func (r *requestReader) next() (*request, error) {
	if _, err := r.src.Peek(1); err != nil {
		return nil, err
	}
	r.number, r.kind = r.number+1, 0
	head := r.buf[:requestSize]
	if err := r.read(head); err != nil {
		return nil, err
	}
	q := &request{
		kind: binary.LittleEndian.Uint32(head), count: binary.LittleEndian.Uint32(head[4:]),
		argument: binary.LittleEndian.Uint32(head[8:]),
	}
	q.numbered = q.kind&numbered != 0
	q.kind &^= numbered
	if q.numbered {
		if err := r.read(head[:numberSize]); err != nil {
			return nil, err
		}
		q.number = binary.LittleEndian.Uint32(head)
	}
	if q.kind < judgeAdd || q.kind > judgeCompare {
		return nil, r.refuse("kind %d, which does not exist: docs/reference/judge.md has the kinds", q.kind)
	}
	r.kind = q.kind
	err := r.checkHead(q)
	switch {
	case err != nil:
	case q.kind == judgeNames:
		q.records, err = numbers(r, q.count, binary.LittleEndian.Uint64)
	case q.hasTexts():
		err = r.readTextHeads(q)
	}
	return q, err
}

// readTextHeads reads what precedes the bytes of texts.
func (r *requestReader) readTextHeads(q *request) error {
	err := r.readLengths(q)
	if err == nil && q.remembers() && q.argument == 1 {
		q.ids, err = r.readEach(q.count, "an id", 0)
	}
	for i, id := range q.ids {
		if err == nil && !isOnOneLine(id) {
			err = r.refuse("the id of text %d is not JSON on one line", i+1)
		}
	}
	if err == nil && r.hasValues && q.kind != judgeCompare {
		q.values, err = r.readEach(q.count, "a value", -1)
	}
	for i, value := range q.values {
		if err == nil && len(value) > 0 && !isScalar(value) && !isBoolean(value) {
			err = r.refuse("the value of text %d is not a string, number or boolean in JSON, on one line", i+1)
		}
	}
	return err
}

// checkHead refuses a request that makes no sense.
func (r *requestReader) checkHead(q *request) error {
	switch {
	case r.isRun && q.asksMemory():
		return r.refuse("with --run texts can only be judged and remembered, as no other answer could be repeated: " +
			"ask a program without --run")
	case (q.kind == judgeCommit || q.kind == judgeStats) && q.count > 0:
		return r.refuse("a count of %d, which must be 0 for this kind", q.count)
	case q.kind == judgeNames && q.count > mostInBlock:
		return r.refuse("a request of %d records: at most %d are possible", q.count, mostInBlock)
	case q.count > mostInBlock:
		return r.refuse("a request of %d texts: at most %d are possible", q.count, mostInBlock)
	case q.kind == judgeCompare && q.count%2 > 0:
		return r.refuse("a count of %d, which must be even for this kind", q.count)
	case q.remembers() && q.argument > 1:
		return r.refuse("an argument of %d, which must be 0 or, if ids follow, 1", q.argument)
	}
	return nil
}

// readLengths reads the lengths of the texts.
func (r *requestReader) readLengths(q *request) (err error) {
	if q.lengths, err = numbers(r, q.count, int32Of); err != nil {
		return err
	}
	held := 0
	for _, n := range q.lengths {
		if n < -1 {
			return r.refuse("a text of %d bytes: only -1, for one that is missing, is below 0", n)
		}
		if int(n) <= r.maxRecord {
			held += max(0, int(n))
		}
	}
	if most := max(mostHeld, r.maxRecord); (r.isWhole || !q.isJudged()) && held > most {
		return r.refuse("texts of %d bytes: at most %d are possible at a time; ask about fewer", held, most)
	}
	r.willHold(held)
	return nil
}

// willHold announces that more bytes of a request are going to be in memory.
func (r *requestReader) willHold(size int) {
	if r.reserve != nil {
		r.reserve(size)
	}
}

// readEach reads an ID or a value for each of count texts. least is the minimum length. If it is
// -1, one may be missing, and is returned as empty.
func (r *requestReader) readEach(count uint32, what string, least int32) (each [][]byte, err error) {
	lengths, err := numbers(r, count, int32Of)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, n := range lengths {
		if n < least || n > mostInID {
			return nil, r.refuse("%s of %d bytes: at most %d are possible", what, n, mostInID)
		}
		total += int(max(0, n))
	}
	if total > mostHeld {
		return nil, r.refuse("%s for each text, of %d bytes in all: at most %d are possible at a time; "+
			"send fewer texts", what, total, mostHeld)
	}
	r.willHold(total)
	all, err := r.append(nil, total)
	if err != nil {
		return nil, err
	}
	each = make([][]byte, len(lengths))
	for i, n := range lengths {
		n = max(0, n)
		each[i], all = all[:n:n], all[n:]
	}
	return each, nil
}

// isOnOneLine reports whether an id is JSON without line ends.
func isOnOneLine(id []byte) bool {
	return json.Valid(id) && !slices.ContainsFunc(id, func(c byte) bool { return c < ' ' })
}

// isBoolean reports whether a value is a JSON boolean.
func isBoolean(value []byte) bool { return string(value) == "true" || string(value) == "false" }

// isScalar reports whether a value is a JSON string or number.
func isScalar(value []byte) bool {
	first, last := value[0], value[len(value)-1]
	return last != ' ' && isOnOneLine(value) && (first == '"' || first == '-' || first >= '0' && first <= '9')
}

// appendText appends a text of the given length, unless it has a problem. It skips a text that is
// too long.
func (r *requestReader) appendText(dst []byte, length int32) ([]byte, record.Problem, error) {
	switch n := int(length); {
	case n < 0:
		return dst, record.NoText, nil
	case n > r.maxRecord:
		return dst, record.TooLong, r.discard(n)
	default:
		dst, err := r.append(dst, n)
		return dst, record.Problem{}, err
	}
}

// append appends the next size bytes of the input. If they are many, it allocates memory only as
// they arrive.
func (r *requestReader) append(dst []byte, size int) ([]byte, error) {
	for size > 0 {
		n := min(size, mostExpected)
		start := len(dst)
		dst = slices.Grow(dst, n)[:start+n]
		if err := r.read(dst[start:]); err != nil {
			return dst[:start], err
		}
		size -= n
	}
	return dst, nil
}

// numbers reads count numbers, decoding each with get.
func numbers[T int32 | uint64](r *requestReader, count uint32, get func([]byte) T) (list []T, err error) {
	size := binary.Size(T(0))
	r.willHold(int(count) * size)
	for left := int(count); left > 0; {
		some := r.buf[:min(left*size, len(r.buf))]
		if err := r.read(some); err != nil {
			return nil, err
		}
		left -= len(some) / size
		list = slices.Grow(list, len(some)/size)
		for ; len(some) > 0; some = some[size:] {
			list = append(list, get(some))
		}
	}
	return list, nil
}

func int32Of(p []byte) int32 { return int32(binary.LittleEndian.Uint32(p)) }

// read fills p.
func (r *requestReader) read(p []byte) error {
	_, err := io.ReadFull(r.src, p)
	return r.within(err)
}

// discard skips n bytes.
func (r *requestReader) discard(n int) error {
	_, err := r.src.Discard(n)
	return r.within(err)
}

// within returns an error that says in which request the input ends or cannot be read.
func (r *requestReader) within(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return r.refuse("the input ends within it: %w", err)
	}
	return r.refuse("%w", err)
}

// refuse returns an error that says which request makes no sense, and why.
func (r *requestReader) refuse(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if r.kind == 0 {
		return fmt.Errorf("request %d: %w", r.number, err)
	}
	return fmt.Errorf("request %d, of kind %d: %w", r.number, r.kind, err)
}
