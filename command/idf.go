package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/files"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/simhash"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/compress"
)

// countedForEach is how many shingles are counted for each that is to be in the table: how frequent
// one is comes out in the end only.
const countedForEach = 8

// runIDF makes a table of the weights of shingles.
func runIDF(ctx context.Context, c *config.IDF, std files.Streams) error {
	started := time.Now()
	paths, err := std.Paths(c.Filter.Inputs)
	if err != nil {
		return err
	}
	file, err := files.CreateResult(paths, c.Output, std)
	if err != nil {
		return err
	}
	counted := &shingleCounter{Frequencies: simhash.NewFrequencies(countedForEach * c.Shingles)}
	err = readOnce(ctx, c.Filter, std, func(f *filterRun) (err error) {
		f.opts.Method = stream.Method{Judge: counted}
		f.opts.Method.NewSketcher, err = shinglerOf(&c.Filter)
		return err
	})
	var weights *simhash.Weights
	if err == nil && counted.Texts() == 0 {
		err = errors.New("there is no record to count: nothing is written")
	}
	if err == nil {
		weights, err = counted.Weights(c.Shingles)
	}
	if err == nil {
		err = weights.Write(file, shinglesOf(&c.Filter))
	}
	if err = errors.Join(err, file.Finish(err == nil, false)); err != nil {
		return files.NameLeft(err, file)
	}
	if !c.Filter.Output.Quiet {
		shown.Notice(std.Err, "%s records in %s: %s shingles have weights",
			units.Count(counted.Texts()),
			time.Since(started).Round(10*time.Millisecond), units.Count(uint64(weights.Len())))
	}
	return nil
}

// shinglerOf returns what makes, for each worker, a sketcher that gives out each shingle of a text
// once.
func shinglerOf(c *config.Filter) (func() stream.Sketcher, error) {
	shingler, err := shinglesFrom(c)
	if err != nil {
		return nil, err
	}
	return func() stream.Sketcher {
		s, _ := extractedFrom(c.Text.Markup, simhash.NewShingler(shingler.Clone())) // the name was checked
		return s
	}, nil
}

// shinglesFrom returns what makes shingles of texts.
func shinglesFrom(c *config.Filter) (*sketch.Sketcher, error) {
	return sketcherWith(sketch.ShingleParams(c.Text.Normalize, c.Text.Tokenize, c.Text.ShingleSize))
}

// shinglesOf says which shingles these are.
func shinglesOf(c *config.Filter) []bloomlsh.Parameter {
	return []bloomlsh.Parameter{
		{Name: "markup", Value: c.Text.Markup},
		{Name: "normalize", Value: c.Text.Normalize},
		{Name: "tokenize", Value: c.Text.Tokenize},
		{Name: "shingle-size", Value: strconv.Itoa(c.Text.ShingleSize)},
	}
}

// A shingleCounter is the judge that counts in how many records each shingle is.
type shingleCounter struct{ *simhash.Frequencies }

// Judge counts the shingles of the records. Those without any count too.
func (s *shingleCounter) Judge(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	for i := range out {
		out[i] = stream.Verdict{}
		if err := s.Add(b.Sketch(i)); err != nil {
			return i, err
		}
	}
	return len(out), nil
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
	if differences := parameter.Differences(of, shinglesOf(c), "here"); len(differences) > 0 {
		return nil, fmt.Errorf("%s: the table is of other shingles: %s", path, strings.Join(differences, ", "))
	}
	return weights, nil
}
