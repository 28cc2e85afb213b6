package method

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/simhash"
)

// ShinglesFrom returns what makes shingles of texts.
func ShinglesFrom(c *config.Filter) (*sketch.Sketcher, error) {
	return SketcherWith(sketch.ShingleParams(c.Text.Normalize, c.Text.Tokenize, c.Text.ShingleSize))
}

// ShinglesOf says which shingles these are.
func ShinglesOf(c *config.Filter) []bloomlsh.Parameter {
	return []bloomlsh.Parameter{
		{Name: "markup", Value: c.Text.Markup},
		{Name: "normalize", Value: c.Text.Normalize},
		{Name: "tokenize", Value: c.Text.Tokenize},
		{Name: "shingle-size", Value: strconv.Itoa(c.Text.ShingleSize)},
	}
}

// readWeights reads the table that is asked for, which must be one of the shingles of c.
func readWeights(c *config.Filter) (*simhash.Weights, error) {
	path := c.Fingerprint.IDF
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	in, err := compress.NewReader(file, path, compress.DefaultMaxWindow)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	weights, of, err := simhash.ReadWeights(in)
	if err := errors.Join(err, in.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if differences := parameter.Differences(of, ShinglesOf(c), "here"); len(differences) > 0 {
		return nil, fmt.Errorf("%s: the table is of other shingles: %s", path, strings.Join(differences, ", "))
	}
	return weights, nil
}
