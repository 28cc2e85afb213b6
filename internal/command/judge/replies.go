package judge

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A refusal is an error of the asking program. The memory is unchanged, so requests whose texts are
// remembered are never refused once they are whole.
type refusal struct{ error }

// Unwrap returns the underlying error.
func (r refusal) Unwrap() error { return r.error }

func refuse(format string, args ...any) error { return refusal{fmt.Errorf(format, args...)} }

// answer replies to a question. A refusal ends the conversation with the program that has asked,
// and any other error ends the command.
func (a *responder) answer(tag any) error {
	q := tag.(*question)
	defer a.spare.put(q.text)
	err := a.answerTo(q)
	if q.exchange != nil && !q.remembers() && errors.As(err, new(refusal)) {
		q.answered(err)
		return nil
	}
	return err
}

func (a *responder) answerTo(q *question) error {
	if q.isJudged() {
		return a.verdicts(q)
	}
	reply, err := a.reply(q)
	if err != nil {
		return err
	}
	if err := a.head(q.request, uint32(len(reply))); err != nil {
		return err
	}
	_, err = q.to(a.out).Write(reply)
	q.answered(nil)
	return err
}

// verdicts replies to a request with a few texts, or none.
func (a *responder) verdicts(q *question) error {
	if q.count == 0 {
		defer q.answered(nil)
		return a.head(q.request, 0)
	}
	out := a.scratch.verdicts[:q.count]
	if _, err := a.judge(q.sketches, out, q.kind == judgeAsk); err != nil {
		return err
	}
	for i := range out {
		a.scratch.decided.Decision = stream.Decision{Verdict: out[i], Problem: q.sketches.Problems[i]}
		if err := a.writeVerdict(q.request, i, &a.scratch.decided); err != nil {
			return err
		}
	}
	return nil
}

// head writes the head of a reply.
func (a *responder) head(q *request, size uint32) error {
	head := headOf(q.kind, q.count, size)
	if q.numbered {
		head = binary.LittleEndian.AppendUint32(headOf(q.kind|numbered, q.count, size), q.number)
	}
	_, err := q.to(a.out).Write(head)
	return err
}

func headOf(kind, count, size uint32) []byte {
	head := binary.LittleEndian.AppendUint32(make([]byte, 0, requestSize), kind)
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(head, count), size)
}

func (a *responder) reply(q *question) (reply []byte, err error) {
	switch q.kind {
	case judgeCommit:
		return nil, a.save()
	case judgeStats:
		return jsonout.Marshal(a.stats())
	case judgeNames:
		return a.names(q.records, q.argument == 1)
	case judgeNear:
		return a.near(q)
	case judgeAlike:
		return a.alike(q)
	case judgeSimilar:
		return a.similar(q)
	case judgeSets:
		return a.setsOf(q)
	case judgeCompare:
		return a.compare(q)
	case judgeSizes:
		return a.texts.sizes(q, a.c.Rule.Text)
	}
	return a.sketchesOf(q)
}

// mostInReply returns the maximum number of bytes of a reply.
func (a *responder) mostInReply() int {
	if a.hub != nil {
		return mostForClient
	}
	return mostHeld
}

// checkReply refuses a reply that would be too long.
func (a *responder) checkReply(size int) error {
	if most := a.mostInReply(); size > most {
		return refuse("a reply of more than %d bytes: ask about less at a time", most)
	}
	return nil
}

// sketchesOf returns the signatures or the band keys of texts.
func (a *responder) sketchesOf(q *question) (reply []byte, err error) {
	switch {
	case a.c.Rule.Within.Field != "" && q.kind == judgeSignatures:
		return nil, refuse("a signature depends only on its text: leave out --within")
	case a.c.Rule.Samples != nil:
		return nil, refuse("a sample has neither a signature nor band keys: leave out --sketch %s",
			spec.SketchFracMinHash)
	case a.texts.sketcher == nil:
		return nil, refuse("parts of texts have neither a signature nor band keys: leave out --method %s",
			a.c.Rule.Parts.Method)
	}
	p := a.texts.sketcher.Params()
	words := p.NumPerm
	if q.kind == judgeKeys {
		words = 2 * p.Bands
	}
	if err := a.checkReply(len(q.spans) * words * 8); err != nil {
		return nil, err
	}
	reply = a.texts.sketches[:0]
	for i := range q.spans {
		reply = a.texts.append(reply, q, i)
	}
	if a.texts.sketches = reply; cap(reply) > mostExpected {
		a.texts.sketches = nil
	}
	return reply, nil
}

// sizes returns the number of distinct runs of words in each text, in 4 bytes each.
func (t *texts) sizes(q *question, rule spec.Text) (reply []byte, err error) {
	if t.size == nil {
		made, err := sketchers.TextMeasure(rule, "fullest")
		if err != nil {
			return nil, refusal{err}
		}
		t.size = made()
	}
	for i := range q.spans {
		reply = binary.LittleEndian.AppendUint32(reply, uint32(t.size(q.textAt(i))))
	}
	return reply, nil
}

// save makes durable what is remembered.
func (a *responder) save() error {
	if err := a.canCommit(); err != nil {
		return err
	}
	err := a.session.Commit(a.added - a.saved)
	if err == nil {
		a.saved = a.added
	}
	return err
}

// canCommit returns an error that says why nothing can be committed, or nil.
func (a *responder) canCommit() error {
	switch {
	case a.c.Memory.ReadOnly:
		return refuse("nothing can be committed with --read-only")
	case a.by.Store() == nil:
		return refuse("nothing can be committed without --index")
	}
	return nil
}

// names returns the names of records, as a JSON array. With keptOnly, the name of a record that was
// deleted or forgotten is null.
func (a *responder) names(records []uint64, keptOnly bool) (reply []byte, err error) {
	m := a.by.Detector.Exact
	if err := a.knowsOriginals(); err != nil {
		return nil, err
	}
	reply = append(reply, '[')
	for i, record := range records {
		if i > 0 {
			reply = append(reply, ',')
		}
		switch {
		case keptOnly && (!m.Names.Has(record) || m.Index.HasForgotten(record)):
			reply = append(reply, "null"...)
		case !m.Against.Has(&m.Names, record) && a.session.Repeats(): // it was deleted since
			reply = append(reply, "null"...)
		case !m.Against.Has(&m.Names, record):
			return nil, refuse("there is no record %d", record)
		default:
			reply = m.Name(reply, record)
		}
		if err := a.checkReply(len(reply)); err != nil {
			return nil, err
		}
	}
	return append(reply, ']'), nil
}

// append appends the signature or the band keys of text i. They are all zero if it has nothing to
// compare.
func (t *texts) append(dst []byte, q *question, i int) []byte {
	text := t.textOf(q.textAt(i))
	p := t.sketcher.Params()
	if q.kind == judgeKeys {
		t.keys.confine(q, i)
		words, ok := t.keys.Append(t.words[:0], text)
		if !ok {
			words = append(words[:0], make([]uint64, 2*p.Bands)...)
		}
		for _, word := range words {
			dst = binary.LittleEndian.AppendUint64(dst, word)
		}
		t.words = words
		return dst
	}
	slots, ok := t.symbols.Append(nil, text, t.sketcher.Signature)
	if !ok {
		slots = make([]uint64, p.NumPerm)
	}
	for _, slot := range slots {
		dst = binary.LittleEndian.AppendUint64(dst, slot)
	}
	return dst
}
