package command

import (
	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/tlsh"
	"github.com/mithril-stream/mithril-stream/stream"
)

// digestSketcher returns what makes a sketcher of TLSH digests for each worker, and which these
// are.
func digestSketcher(c *config.Filter) (func() stream.Sketcher, keyKind, error) {
	if _, err := sketch.NewNormalizer(c.Text.Normalize); err != nil {
		return nil, keyKind{}, err
	}
	return func() stream.Sketcher {
			normalizer, _ := sketch.NewNormalizer(c.Text.Normalize) // the name is right
			return &digesting{normalizer: normalizer}
		}, fingerprintsOf(c, []bloomlsh.Parameter{
			{Name: "markup", Value: c.Text.Markup},
			{Name: "normalize", Value: c.Text.Normalize},
			{Name: "sketch", Value: c.Similar.Sketch},
		}), nil
}

// digesting is a sketcher whose sketches are TLSH digests of normalised texts.
type digesting struct {
	normalizer sketch.Normalizer
	text       []byte
}

// Append appends the digest of a text. One that is too short, or too uniform, has none.
func (d *digesting) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	d.text = d.normalizer.Append(d.text[:0], text)
	digest, ok := tlsh.Sum(d.text)
	if ok {
		dst = digest.AppendWords(dst)
	}
	if cap(d.text) > maxText {
		d.text = nil
	}
	return dst, ok
}
