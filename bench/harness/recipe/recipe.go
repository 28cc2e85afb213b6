// Package recipe turns options of the program into what the program makes of them, for benchmarks
// that compute by library what the program does: the defaults and presets are the program's own.
package recipe

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// A Recipe is what decides verdicts.
type Recipe struct {
	Options  []string // as given
	Filter   *config.Filter
	Sketcher *sketch.Sketcher
	Rule     lsh.Banding
	Index    bloomlsh.Params
}

// New reads options as the program does. The text must be in the member "text".
func New(options []string) (*Recipe, error) {
	parsed, err := config.Parse(options, "bench", nil)
	if err != nil {
		return nil, err
	}
	filter, ok := parsed.(*config.Filter)
	if !ok {
		return nil, fmt.Errorf("options %q are not those of the filter", options)
	}
	if fields := filter.Input.Records.Fields; len(fields) > 1 || len(fields) == 1 && fields[0] != "text" {
		return nil, fmt.Errorf("--field %q: the benchmarks read the member text only", fields)
	}
	sketcher, rule, err := newSketcher(filter)
	if err != nil {
		return nil, err
	}
	planned := filter.Memory.Filters
	return &Recipe{
		Options: options, Filter: filter, Sketcher: sketcher, Rule: rule,
		Index: bloomlsh.Params{
			Bands: rule.Bands, Votes: rule.Votes, Capacity: planned.Capacity, FPRate: planned.FPRate,
			Filter: planned.Kind, Remember: filter.Memory.Remember, OnFull: planned.OnFull,
		},
	}, nil
}

func newSketcher(f *config.Filter) (*sketch.Sketcher, lsh.Banding, error) {
	s := f.Rule
	rule, err := s.Banding()
	if err != nil {
		return nil, rule, err
	}
	sketcher, err := sketch.New(sketch.Params{
		Normalize: f.Rule.Text.Normalize, Tokenize: f.Rule.Text.Tokenize, ShingleSize: f.Rule.Text.ShingleSize,
		Sketch: s.Sketch, NumPerm: rule.NumPerm, Seed: s.Seed.Number,
		Bands: rule.Bands, Rows: rule.Rows, BandKey: s.BandKey,
	})
	return sketcher, rule, err
}

// Catch is the probability that a record of the given Jaccard similarity with an earlier one is
// removed for it.
func (r *Recipe) Catch(jaccard float64) float64 { return r.Rule.Catch(jaccard) }

// String returns the settings that decide verdicts, in one line for the head of a report.
func (r *Recipe) String() string {
	p := r.Sketcher.Params()
	capacity := "no planned capacity"
	if r.Index.Capacity > 0 {
		capacity = fmt.Sprintf("capacity %d records", r.Index.Capacity)
	}
	return fmt.Sprintf("%s %d-shingles, threshold %g, %s (%s), band keys %s, p_eff %g, %s (%s, when full %s)",
		p.Tokenize, p.ShingleSize, r.Filter.Rule.Threshold, r.Rule, p.Sketch, p.BandKey,
		r.Index.FPRate, capacity, cmp.Or(r.Index.Filter, "default filter"), r.Index.OnFull)
}

// OfSize are the parameters of an index of bands of that many rows, with the capacity that makes it
// about as large as the given number of bytes.
func OfSize(params bloomlsh.Params, rows int, bytes float64) (bloomlsh.Params, error) {
	params.Capacity = 1 << 24
	plan, err := bloomlsh.PlanIndex(params, rows)
	params.Capacity = uint64(bytes / float64(plan.Memory) * float64(params.Capacity))
	return params, err
}

// Random draws keys at random.
func Random(keys []bloomlsh.Key, from rand.Source) {
	for i := range keys {
		keys[i] = bloomlsh.Key{Hi: from.Uint64(), Lo: from.Uint64()}
	}
}

// Fill has an index, or a store, observe that many records of random keys, a thousand at a time.
func Fill(index interface {
	Observe(keys []bloomlsh.Key, votes []uint16) (int, error)
}, bands, records int, from rand.Source) error {
	const batch = 1000
	keys, votes := make([]bloomlsh.Key, batch*bands), make([]uint16, batch)
	for records > 0 {
		n := min(batch, records)
		Random(keys[:n*bands], from)
		if _, err := index.Observe(keys[:n*bands], votes[:n]); err != nil {
			return err
		}
		records -= n
	}
	return nil
}
