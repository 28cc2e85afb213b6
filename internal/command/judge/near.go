package judge

import (
	"encoding/json"

	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A neighbour is a record that is similar to a text. Nothing is known about a record that only
// Bloom filters have seen.
type neighbour struct {
	Number     uint64          `json:"number"`
	Record     json.RawMessage `json:"record"`
	Similarity float32         `json:"similarity"`
	Contains   bool            `json:"contains,omitempty"` // the text has that part of the record
}

// seen is the neighbour of a text that Bloom filters have seen.
var seen = neighbour{Record: json.RawMessage("null")}

// near names the records that are most similar to texts, as a JSON array of arrays.
func (a *responder) near(q *question) (reply []byte, err error) {
	return a.ofEachSketch(q, func(found []memory.Match, words []uint64) ([]memory.Match, error) {
		return a.by.Detector.Exact.NearestOfAll(found, words, int(q.argument))
	})
}

// similar names all records that make texts duplicates, or only the nearest of them, as a JSON
// array of arrays. It remembers nothing.
func (a *responder) similar(q *question) (reply []byte, err error) {
	return a.ofEachSketch(q, func(found []memory.Match, words []uint64) ([]memory.Match, error) {
		found, err := a.by.Detector.Exact.AppendDuplicates(found, words)
		if most := int(q.argument); most > 0 {
			found = found[:min(most, len(found))]
		}
		return found, err
	})
}

// ofEachSketch names the records that find appends for the sketch of each text, as a JSON array of
// arrays. It names none for a text without a sketch.
func (a *responder) ofEachSketch(
	q *question, find func(found []memory.Match, words []uint64) ([]memory.Match, error),
) (reply []byte, err error) {
	if err := a.knowsOriginals(); err != nil {
		return nil, err
	}
	sketcher := newSketching(a.from.New())
	return a.eachText(q, func(i int) (found []neighbour, err error) {
		words, ok := sketcher.append(nil, q, i)
		if !ok {
			return nil, nil
		}
		a.scratch.matches, err = find(a.scratch.matches[:0], words)
		return a.named(a.scratch.matches), err
	})
}

// knowsOriginals returns an error if the memory cannot name originals.
func (a *responder) knowsOriginals() error {
	if a.by.Detector.Pieces != nil {
		return refuse("parts of texts are in no single record: leave out --method %s", a.c.Rule.Parts.Method)
	}
	if err := a.by.Detector.Exact.KnowsOriginals(); err != nil {
		return refusal{err}
	}
	return nil
}

// alike remembers texts, and names the earlier record that each resembles most, if that makes it a
// duplicate, as a JSON array of arrays.
func (a *responder) alike(q *question) (reply []byte, err error) {
	verdicts := make([]stream.Verdict, q.count)
	if _, err := a.judge(q.sketches, verdicts, false); err != nil {
		return nil, err
	}
	return a.eachText(q, func(i int) (found []neighbour, err error) {
		switch v := verdicts[i]; {
		case !v.Duplicate:
		case v.Original == 0:
			found = []neighbour{seen}
		default:
			found = []neighbour{{v.Original, a.by.Detector.Exact.Name(nil, v.Original), v.Similarity, v.Contains}}
		}
		d := stream.Decided{Decision: stream.Decision{Verdict: verdicts[i], Problem: q.sketches.Problems[i]}}
		return found, a.name(q.request, i, &d)
	})
}

// named returns matches as neighbours.
func (a *responder) named(matches []memory.Match) (found []neighbour) {
	for _, match := range matches {
		original := match.Original()
		found = append(found, neighbour{
			original, a.by.Detector.Exact.Name(nil, original), match.Similarity, match.Contains,
		})
	}
	return found
}

// eachText replies with what find returns for each text of a question, or null for one that is too
// long.
func (a *responder) eachText(q *question, find func(i int) ([]neighbour, error)) (reply []byte, err error) {
	reply = append(reply, '[')
	for i := range q.spans {
		if i > 0 {
			reply = append(reply, ',')
		}
		found, err := find(i)
		if err != nil {
			return nil, err
		}
		if q.sketches.Problems[i] == record.TooLong {
			reply = append(reply, "null"...)
			continue
		}
		if len(found) == 0 {
			reply = append(reply, "[]"...)
			continue
		}
		list, err := jsonout.Marshal(found)
		if err == nil {
			err = a.checkReply(len(reply) + len(list))
		}
		if err != nil {
			return nil, err
		}
		reply = append(reply, list...)
	}
	return append(reply, ']'), nil
}
