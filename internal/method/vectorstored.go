package method

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/memory/vectors"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// ofVectors completes the description of a memory of vectors.
func (m *storedMemory) ofVectors(dir string, files *SketchFiles) error {
	p := vectors.Params{Threshold: 1, Within: m.Parameter(sketchers.WithinParameter) != ""} // any valid threshold
	if files == nil {
		err := exact.ReadAnyLog(dir, func(file *index.File) error { return p.ReadDims(file) })
		m.Kind = exact.KindOfVectors(p)
		return err
	}
	switch given := m.Parameter("model") == modelOfGiven; {
	case given && files.Vector == "":
		return usage.Error(errors.New("its vectors came with the records: give --vector FIELD, where those of these " +
			"records are"))
	case !given && files.Vector != "":
		return usage.Error(errors.New("its vectors were made with a model: give --model DIR in place of --vector"))
	case given:
		return m.ofGiven(files)
	}
	if files.Model == "" {
		return usage.Error(errors.New("it has vectors: give the --model DIR that they were made with"))
	}
	c := spec.Method{Rule: spec.Rule{Vectors: spec.Vectors{Model: files.Model, Pooling: files.Pooling}}}
	c.Rule.Text.Markup = m.Parameter("markup")
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
	m.Kind = exact.KindOfVectors(p)
	return m.extracted(made)
}

// ofGiven completes the description of a memory of vectors that records have in a field.
func (m *storedMemory) ofGiven(files *SketchFiles) error {
	dims, err := m.number(dimsParameter)
	if err != nil {
		return err
	}
	m.NewSketcher, m.Keys = rowsOf(recordVectors{dims}, "none")
	m.Kind = exact.KindOfVectors(vectors.Params{Threshold: 1, Dims: dims})
	return nil
}
