package sketchers

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/simhash"
)

// ShinglesFrom returns a function that makes shingles of texts.
func ShinglesFrom(c spec.Method) (*sketch.Sketcher, error) {
	return With(sketch.ShingleParams(c.Rule.Text.Normalize, c.Rule.Text.Tokenize, c.Rule.Text.ShingleSize))
}

// ShinglesOf describes these shingles.
func ShinglesOf(c spec.Method) []bloomlsh.Parameter {
	return append(identity.Markup(c.Rule.Text.Markup),
		bloomlsh.Parameter{Name: "normalize", Value: c.Rule.Text.Normalize},
		bloomlsh.Parameter{Name: "tokenize", Value: c.Rule.Text.Tokenize},
		bloomlsh.Parameter{Name: "shingle-size", Value: strconv.Itoa(c.Rule.Text.ShingleSize)})
}

// ReadWeights reads the table of weights of c, which must be for the shingles of c.
func ReadWeights(c spec.Method) (*simhash.Weights, error) {
	path := c.Rule.Fingerprint.IDF
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
