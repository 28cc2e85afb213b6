package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/memory/vectors"
)

// vectorKind is the storedKind of vectors.
type vectorKind struct{ vectors.Params }

func (m *storedMemory) ofVectors(dir string, files *sketchFiles) error {
	k := vectorKind{vectors.Params{Threshold: 1}} // of which nothing is asked
	m.kind = &k
	if files == nil {
		file, err := os.Open(filepath.Join(dir, exactLogName))
		if err != nil {
			return err
		}
		k.Dims, err = vectors.ReadDims(file)
		return errors.Join(err, file.Close())
	}
	if files.model == "" {
		return config.Usage(errors.New("it has vectors: give the --model DIR that they were made with"))
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
	k.Dims = of.model.Dims()
	return m.extracted(made)
}

func (*vectorKind) memory() string { return memoryOfVectors }

func (k *vectorKind) ask(file *os.File, length int64, notes func(note []byte) error) (askedIndex, error) {
	return vectorLog(k.Params)(file, length, notes)
}

func (k *vectorKind) begin(file *os.File) (mergedIndex, noteLog, error) {
	x, log, err := vectors.Load(file, 0, k.Params, nil)
	if err != nil {
		return nil, nil, err
	}
	return &vectorIndex{Index: x}, log, nil
}

func (k *vectorKind) checkRoom(entries uint64, what string) error {
	return checkVectorRoom(k.Params, entries, "records "+what)
}

func (k *vectorKind) limit(uint64, string) error { return errUnlimited(k) }
