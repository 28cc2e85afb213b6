package judge

import (
	"encoding/json"
	"errors"

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

// unnamed is the name of a record whose name is unknown or left out.
var unnamed = json.RawMessage("null")

// seen is the neighbour of a text that Bloom filters have seen.
var seen = neighbour{Record: unnamed}

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
	return eachText(q, func(reply []byte, i int) ([]byte, error) {
		found := a.scratch.matches[:0]
		if words, ok := sketcher.append(nil, q, i); ok {
			var err error
			if found, err = find(found, words); err != nil {
				return nil, err
			}
		}
		a.scratch.matches = found
		reply, err := appendNeighbours(reply, q, i, a.named(found))
		if err == nil && len(found) > 0 {
			err = a.checkReply(len(reply))
		}
		return reply, err
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
//
// By the time the length of the reply is known, the texts are remembered, so it is too late to
// refuse it: the program would send the texts again, and all of them would be duplicates. Instead,
// records are left unnamed as soon as their names would exceed the limit. The program can ask for
// their names by number.
func (a *responder) alike(q *question) (reply []byte, err error) {
	verdicts := make([]stream.Verdict, q.count)
	if _, err := a.judge(q.sketches, verdicts, false); err != nil {
		return nil, err
	}
	return eachText(q, func(reply []byte, i int) ([]byte, error) {
		longer, err := appendNeighbours(reply, q, i, a.originalOf(verdicts[i]))
		if err == nil && len(longer) > a.mostInReply() {
			longer, err = appendNeighbours(reply, q, i, unnamedOriginalOf(verdicts[i]))
		}
		d := stream.Decided{Decision: stream.Decision{Verdict: verdicts[i], Problem: q.sketches.Problems[i]}}
		return longer, errors.Join(err, a.name(q.request, i, &d))
	})
}

// originalOf returns the original of a duplicate, or nothing for any other verdict.
func (a *responder) originalOf(v stream.Verdict) []neighbour {
	found := unnamedOriginalOf(v)
	if v.Original > 0 {
		found[0].Record = a.by.Detector.Exact.Name(nil, v.Original)
	}
	return found
}

// unnamedOriginalOf is like originalOf, but leaves the original without a name.
func unnamedOriginalOf(v stream.Verdict) []neighbour {
	switch {
	case !v.Duplicate:
		return nil
	case v.Original == 0:
		return []neighbour{seen}
	}
	return []neighbour{{v.Original, unnamed, v.Similarity, v.Contains}}
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

// eachText replies with a JSON array of what add appends to the reply for each text of a question.
func eachText(q *question, add func(reply []byte, i int) ([]byte, error)) (reply []byte, err error) {
	reply = append(reply, '[')
	for i := range q.spans {
		if i > 0 {
			reply = append(reply, ',')
		}
		if reply, err = add(reply, i); err != nil {
			return nil, err
		}
	}
	return append(reply, ']'), nil
}

// appendNeighbours appends what was found for text i as a JSON array, or null if it is too long.
func appendNeighbours(reply []byte, q *question, i int, found []neighbour) ([]byte, error) {
	switch {
	case q.sketches.Problems[i] == record.TooLong:
		return append(reply, "null"...), nil
	case len(found) == 0:
		return append(reply, "[]"...), nil
	}
	list, err := jsonout.Marshal(found)
	return append(reply, list...), err
}
