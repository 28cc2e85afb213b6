package eval

import (
	"fmt"
	"math"

	"github.com/mithril-stream/mithril-stream/memory/fingerprints"
	"github.com/mithril-stream/mithril-stream/sketch/tlsh"
)

// tlshDistances are those at which digests are tried.
var tlshDistances = []int{0, 10, 20, 30, 40, 50, 70, 100, 150}

// closeness is one minus a 300th of these distances, in rising order.
func closeness() (thresholds []float64) {
	for _, d := range tlshDistances {
		thresholds = append([]float64{math.Round(tlsh.Similarity(d)*1e4) / 1e4}, thresholds...)
	}
	return thresholds
}

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
