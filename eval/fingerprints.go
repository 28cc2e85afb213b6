package eval

import (
	"fmt"
	"math"

	"github.com/mithril-stream/mithril-stream/memory/fingerprints"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/simhash"
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
	shingler, err := e.NewSketcher(sketch.ShingleParams(e.Text.Normalize, e.Text.Tokenize, s.NGram))
	if err != nil {
		return nil, err
	}
	sketcher, err := simhash.New(shingler, simhash.Params{Bits: fingerprintBits, Weight: "tf"})
	if err != nil {
		return nil, err
	}
	distance := int(math.Acos(s.Threshold)/math.Pi*fingerprintBits + .5)
	index, err := fingerprints.New(fingerprints.Params{Bits: fingerprintBits, Distance: distance})
	if err != nil {
		return nil, err
	}
	return trialOf(index, sketcher, ruleOf(distance)), nil
}

func ruleOf(distance int) string {
	if distance == 0 {
		return "equal fingerprints"
	}
	return fmt.Sprintf("at most %d of %d bits differ", distance, fingerprintBits)
}
