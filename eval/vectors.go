package eval

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/memory/vectors"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Vectors make rows of texts, by a model.
type Vectors struct {
	Dims        int
	NewSketcher func() stream.Sketcher          // of rows of package vectors
	Before      func(stream.Judge) stream.Judge // what looks first whether a row could be made
}

// ofVectors are the cosines at which vectors are tried.
func ofVectors() []float64 { return []float64{.8, .85, .9, .925, .95, .97, .98, .99, 1} }

func beginEmbedding(e *Evaluator, s Setting, _ size) (*trial, error) {
	if e.Vectors == nil {
		return nil, errors.New("the method embedding needs a model")
	}
	index, err := vectors.New(vectors.Params{Dims: e.Vectors.Dims, Threshold: s.Threshold})
	if err != nil {
		return nil, err
	}
	return &trial{
		rule: fmt.Sprintf("a cosine of at least %g", s.Threshold), sketcher: e.Vectors.NewSketcher(),
		judge: e.Vectors.Before(vectorJudge{index}),
		bytes: func() uint64 { return index.Stats().Bytes }, close: closeNothing,
	}, nil
}

// A vectorJudge is the judge of an index of vectors.
type vectorJudge struct{ index *vectors.Index }

// Judge is that of stream.Judge.
func (j vectorJudge) Judge(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	var match [1]vectors.Match
	for i := range out {
		out[i] = stream.Verdict{}
		if words := b.Sketch(i); len(words) == 0 {
			j.index.Pass(1)
		} else if _, err := j.index.Observe(words, match[:]); err != nil {
			return i, err
		} else {
			out[i].Duplicate = match[0].Record > 0
		}
	}
	return len(out), nil
}
