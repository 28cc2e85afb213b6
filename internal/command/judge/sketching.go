package judge

import (
	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// sketching sketches texts, each confined to its value if there are values.
type sketching struct {
	stream.Sketcher
	confiner stream.Confiner // nil without --within
	plain    []byte          // scratch
}

func newSketching(s stream.Sketcher) *sketching {
	confiner, _ := stream.Ability[stream.Confiner](s)
	return &sketching{Sketcher: s, confiner: confiner}
}

// append appends the sketch of text i of a question.
func (s *sketching) append(dst []uint64, q *question, i int) (words []uint64, ok bool) {
	s.confine(q, i)
	return s.Append(dst, q.textAt(i))
}

// confine tells the sketcher the value of text i, which it sketches next.
func (s *sketching) confine(q *question, i int) {
	if s.confiner == nil {
		return
	}
	value := q.values[i]
	isText := len(value) > 0 && value[0] == '"'
	if isText {
		s.plain = jsontext.AppendUnquoted(s.plain[:0], value)
		value = s.plain
	}
	s.confiner.Within(value, isText)
}

// sketch sketches the texts of a question, if its answer needs the sketches. A text with nothing to
// compare has a problem, too.
func (s *sketching) sketch(q *question) {
	if !q.isSketched() {
		return
	}
	b := &q.sketches
	for i := range b.Problems {
		if p := &b.Problems[i]; *p == (record.Problem{}) {
			var ok bool
			if b.Words, ok = s.append(b.Words, q, i); !ok {
				*p = record.NoText
			}
		}
		b.Ends = append(b.Ends, len(b.Words))
	}
}
