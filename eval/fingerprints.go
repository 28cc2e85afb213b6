package eval

import (
	"fmt"
	"math"

	"github.com/mithril-stream/mithril-stream/fingerprint"
	"github.com/mithril-stream/mithril-stream/sketch/simhash"
	"github.com/mithril-stream/mithril-stream/stream"
)

// fingerprintBits is the length of the fingerprints of SimHash.
const fingerprintBits = 64

// distances are those at which fingerprints are tried. Their thresholds are the cosines that they
// estimate, which are all near one: the thresholds of a grid would let any text be like any other.
var distances = []int{0, 1, 2, 3, 4, 6, 8, 10, 12}

func cosines() (thresholds []float64) {
	for _, d := range distances {
		cosine := simhash.Cosine(d, fingerprintBits)
		thresholds = append([]float64{math.Round(cosine*1e4) / 1e4}, thresholds...)
	}
	return thresholds
}

func beginSimHash(e *Evaluator, s Setting, _ size) (*trial, error) {
	p := e.Text
	p.ShingleSize, p.NumPerm, p.Bands, p.Rows = s.NGram, 1, 1, 1 // of which nothing is asked
	shingler, err := e.NewSketcher(p)
	if err != nil {
		return nil, err
	}
	sketcher, err := simhash.New(shingler, simhash.Params{Bits: fingerprintBits, Weight: "tf"})
	if err != nil {
		return nil, err
	}
	distance := int(math.Acos(s.Threshold)/math.Pi*fingerprintBits + .5)
	index, err := fingerprint.New(fingerprint.Params{Bits: fingerprintBits, Distance: distance})
	if err != nil {
		return nil, err
	}
	return &trial{
		rule: ruleOf(distance), sketcher: sketcher, judge: &fingerprintJudge{index: index},
		bytes: func() uint64 { return index.Stats().Bytes }, close: index.Close,
	}, nil
}

func ruleOf(distance int) string {
	if distance == 0 {
		return "equal fingerprints"
	}
	return fmt.Sprintf("at most %d of %d bits differ", distance, fingerprintBits)
}

// A fingerprintJudge is the judge of an index of fingerprints.
type fingerprintJudge struct {
	index   *fingerprint.Index
	matches []fingerprint.Match
}

// Judge is that of stream.Judge.
func (j *fingerprintJudge) Judge(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	j.matches = append(j.matches[:0], make([]fingerprint.Match, b.Len())...)
	judged, err = j.index.Observe(b.Words, j.matches)
	for i, match := range j.matches[:judged] {
		out[i] = stream.Verdict{Duplicate: match.Record > 0}
	}
	return judged, err
}
