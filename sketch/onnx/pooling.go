package onnx

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A pooling is how the vectors of tokens are combined to that of a window, and these to that of a
// text.
type pooling string

const (
	cls  pooling = "cls"  // the first token; the mean of windows
	mean pooling = "mean" // the mean
	most pooling = "max"  // the maximum in each dimension
)

// poolingOf returns the requested pooling, or what the directory specifies.
func poolingOf(dir, asked string) (pooling, error) {
	if asked != "" {
		if !slices.Contains([]pooling{cls, mean, most}, pooling(asked)) {
			return "", fmt.Errorf("pooling %q: cls, mean and max are possible", asked)
		}
		return pooling(asked), nil
	}
	said := map[string]any{}
	path := filepath.Join(dir, poolingFile)
	if err := readJSON(path, &said); err != nil {
		return "", err
	}
	chosen := mean
	var set []string
	for name, value := range said {
		if mode, ok := strings.CutPrefix(name, "pooling_mode_"); ok && value == true {
			set = append(set, mode)
		}
	}
	if len(set) > 0 {
		known := map[string]pooling{"cls_token": cls, "mean_tokens": mean, "max_tokens": most}
		if chosen = known[set[0]]; chosen == "" || len(set) > 1 {
			slices.Sort(set)
			return "", fmt.Errorf("%s: pooling by %s is not supported: one of cls_token, mean_tokens and max_tokens is",
				path, strings.Join(set, " and "))
		}
	}
	return chosen, nil
}

// A pool combines the vectors of the tokens of a text, window by window, in 64-bit floats.
type pool struct {
	how    pooling
	values []float64
	weight float64
}

func (p *pool) reset(dims int) {
	p.values, p.weight = slices.Grow(p.values[:0], dims)[:dims], 0
	clear(p.values)
}

// add adds the rows of a window with that many tokens: one for each token, or one for all. A window
// is weighted by its tokens.
func (p *pool) add(r rows, tokens int) {
	first, weight := p.weight == 0, 1.
	if count := len(r.values) / r.dims; count == 1 || p.how == cls {
		r.values, weight = r.values[:r.dims], float64(tokens)
	}
	for ; len(r.values) > 0; r.values = r.values[r.dims:] {
		for d, v := range r.values[:r.dims] {
			switch value := float64(v); {
			case p.how != most:
				p.values[d] += float64(value * weight)
			case first || value > p.values[d]:
				p.values[d] = value
			}
		}
		p.weight += weight
		first = false
	}
}
