package method

import (
	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/sketch/tlsh"
	"github.com/mithril-stream/mithril-stream/stream"
)

// digestSketcher returns what makes a sketcher of TLSH digests for each worker, and which these
// are.
func digestSketcher(c *config.Filter) (func() stream.Sketcher, KeyKind, error) {
	if _, err := tlsh.NewSketcher(c.Text.Normalize); err != nil {
		return nil, KeyKind{}, err
	}
	kind := fingerprintsOf(c, []bloomlsh.Parameter{
		{Name: "markup", Value: c.Text.Markup},
		{Name: "normalize", Value: c.Text.Normalize},
		{Name: "sketch", Value: c.Similar.Sketch},
	})
	return func() stream.Sketcher {
		s, _ := tlsh.NewSketcher(c.Text.Normalize) // the name is right
		return s
	}, kind, nil
}
