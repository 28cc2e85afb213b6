package eval

import (
	"fmt"
	"math"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory/fingerprints"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/simhash"
	"github.com/mithril-stream/mithril-stream/sketch/tlsh"
)

// fingerprintBits is the length of SimHash fingerprints.
const fingerprintBits = 64

// distances lists the distances tried for fingerprints. As thresholds they are the estimated
// cosines, which are all near one: the thresholds of a grid would accept any pair of texts.
var distances = []int{0, 1, 2, 3, 4, 6, 8, 10, 12}

func cosines() []float64 {
	return thresholdsAt(distances, func(distance int) float64 { return simhash.Cosine(distance, fingerprintBits) })
}

// thresholdsAt converts ascending distances to ascending similarities.
func thresholdsAt(distances []int, similarity func(distance int) float64) (thresholds []float64) {
	for _, d := range slices.Backward(distances) {
		thresholds = append(thresholds, math.Round(similarity(d)*1e4)/1e4)
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

// tlshDistances lists the distances tried for digests.
var tlshDistances = []int{0, 10, 20, 30, 40, 50, 70, 100, 150}

// closeness returns one minus a 300th of these distances.
func closeness() []float64 { return thresholdsAt(tlshDistances, tlsh.Similarity) }

func beginTLSH(e *Evaluator, s Setting, _ size) (*trial, error) {
	sketcher, err := tlsh.NewSketcher(e.Text.Normalize)
	if err != nil {
		return nil, err
	}
	distance := int(math.Round((1 - s.Threshold) * tlsh.Unrelated))
	index, err := fingerprints.New(fingerprints.Params{Measure: fingerprints.TLSH, Distance: distance})
	if err != nil {
		return nil, err
	}
	return trialOf(index, sketcher, fmt.Sprintf("a distance of at most %d", distance)), nil
}
