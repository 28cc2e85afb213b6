package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/memory/vectors"
)

// ofVectors says that the memory has vectors, and how to make them.
func (m *storedMemory) ofVectors(dir string, files *sketchFiles) error {
	p := vectors.Params{Threshold: 1} // of which nothing is asked
	if files == nil {
		file, err := os.Open(filepath.Join(dir, exactLogName))
		if err != nil {
			return err
		}
		p.Dims, err = vectors.ReadDims(file)
		m.kind = vectorKind{p}
		return errors.Join(err, file.Close())
	}
	if files.model == "" {
		return usage.Error(errors.New("it has vectors: give the --model DIR that they were made with"))
	}
	c := &config.Filter{EmbeddingFlags: config.EmbeddingFlags{Model: files.model, Pooling: files.pooling}}
	c.Text.Markup = m.parameter("markup")
	made, of, err := vectorSketcher(c)
	if err != nil {
		return err
	}
	m.keys = of
	if hash := m.parameter("model"); of.model.Hash() != hash {
		return fmt.Errorf("it was made with another model: the hash of that is %s, and that of --model %s is %s", hash,
			files.model, of.model.Hash())
	}
	p.Dims = of.model.Dims()
	m.kind = vectorKind{p}
	return m.extracted(made)
}
