package config

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// DefaultCosine is the default of --threshold for vectors.
const DefaultCosine = 0.9

// EmbeddingFlags say which model computes the vectors.
type EmbeddingFlags struct {
	Model   string `not:"vectors,sketched" reads:"directory" placeholder:"DIR" help:"@embedding/model"`
	Pooling string `rule:"yes" not:"vectors,sketched" enum:",cls,mean,max" default:"" placeholder:"HOW" help:"@embedding/pooling"`
}

// VectorFlags say where the vectors of records are.
type VectorFlags struct {
	Vector string `rule:"field" run:"same" way:"9" placeholder:"PATH" help:"@embedding/vector"`
}

// ByMinHash reports whether sets of shingles are compared by MinHash signatures.
func (s SimilarFlags) ByMinHash() bool {
	return spec.Rule{Sketch: s.Sketch}.ByMinHash()
}

// ByVectors reports whether vectors are compared.
func (s SimilarFlags) ByVectors() bool { return s.Sketch == spec.SketchEmbedding }

// resolveEmbedding checks the flags given with --sketch embedding, and sets those that follow from
// it. Vectors are compared with each other, so the originals are known.
func (c *comparison) resolveEmbedding() error {
	const name = "--sketch " + spec.SketchEmbedding
	switch {
	case !c.ByVectors() && c.Model != "":
		return errors.New("--model needs " + name)
	case !c.ByVectors() && c.Pooling != "":
		return errors.New("--pooling needs " + name)
	case !c.ByVectors() && c.Vector != "":
		return errors.New("--vector needs " + name)
	case !c.ByVectors():
		return nil
	case c.Model == "" && c.Vector == "":
		return errors.New(name + " needs --model DIR, what vectors are made with, or --vector FIELD, where they are")
	}
	if c.given["--memory"] {
		if err := byEmbedding.checkValue(name, "--memory", c.Memory); err != nil {
			return err
		}
	}
	if err := byEmbedding.check(c.given, name); err != nil {
		return err
	}
	c.Memory = spec.MemoryExact
	fill(&c.Threshold, DefaultCosine)
	return c.resolveVector()
}

// resolveVector rejects flags about text if records provide vectors.
func (c *comparison) resolveVector() error {
	if c.Vector == "" {
		return nil
	}
	*c.fields = []string{c.Vector}
	return byVectors.check(c.given, "--vector")
}
