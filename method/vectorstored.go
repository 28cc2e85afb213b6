package method

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/memory/vectors"
)

// ofVectors says that the memory has vectors, and how to make them.
func (m *storedMemory) ofVectors(dir string, files *SketchFiles) error {
	p := vectors.Params{Threshold: 1} // of which nothing is asked
	if files == nil {
		file, _, err := openCommitted(dir, m.Params.Bands, m.Identity)
		if err != nil {
			return err
		}
		p.Dims, err = vectors.ReadDims(file)
		m.Kind = vectorKind{p}
		return errors.Join(err, file.Close())
	}
	if files.Model == "" {
		return usage.Error(errors.New("it has vectors: give the --model DIR that they were made with"))
	}
	c := &config.Filter{EmbeddingFlags: config.EmbeddingFlags{Model: files.Model, Pooling: files.Pooling}}
	c.Text.Markup = m.Parameter("markup")
	made, of, err := VectorSketcher(c)
	if err != nil {
		return err
	}
	m.Keys = of
	if hash := m.Parameter("model"); of.Model.Hash() != hash {
		return fmt.Errorf("it was made with another model: the hash of that is %s, and that of --model %s is %s", hash,
			files.Model, of.Model.Hash())
	}
	p.Dims = of.Model.Dims()
	m.Kind = vectorKind{p}
	return m.extracted(made)
}
