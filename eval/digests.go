package eval

import (
	"fmt"
	"math"

	"github.com/mithril-stream/mithril-stream/fingerprint"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/tlsh"
	"github.com/mithril-stream/mithril-stream/stream"
)

// tlshDistances are those at which digests are tried.
var tlshDistances = []int{0, 10, 20, 30, 40, 50, 70, 100, 150}

// closeness is one minus a 300th of these distances, in rising order.
func closeness() (thresholds []float64) {
	for _, d := range tlshDistances {
		thresholds = append([]float64{math.Round((1-float64(d)/fingerprint.MaxTLSH)*1e4) / 1e4}, thresholds...)
	}
	return thresholds
}

func beginTLSH(e *Evaluator, s Setting, _ size) (*trial, error) {
	normalizer, err := sketch.NewNormalizer(e.Text.Normalize)
	if err != nil {
		return nil, err
	}
	distance := int(math.Round((1 - s.Threshold) * fingerprint.MaxTLSH))
	index, err := fingerprint.New(fingerprint.Params{Measure: fingerprint.TLSH, Distance: distance})
	if err != nil {
		return nil, err
	}
	return trialOf(index, &digester{normalizer: normalizer}, fmt.Sprintf("a distance of at most %d", distance)), nil
}

// A digester makes TLSH digests of normalised texts.
type digester struct {
	normalizer sketch.Normalizer
	text       []byte
}

var _ stream.Sketcher = (*digester)(nil)

// Append is that of stream.Sketcher.
func (d *digester) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	d.text = d.normalizer.Append(d.text[:0], text)
	digest, ok := tlsh.Sum(d.text)
	if ok {
		dst = digest.AppendWords(dst)
	}
	return dst, ok
}
