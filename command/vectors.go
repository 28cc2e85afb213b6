package command

import (
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/lsh"
	"github.com/mithril-stream/mithril-stream/sketch/embedding"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/vector"
)

// vectorSketcher opens the model, and returns what makes vectors with it.
func vectorSketcher(c *config.Filter) (func() stream.Sketcher, keyKind, error) {
	if c.Model == "" {
		return nil, keyKind{}, fmt.Errorf("--sketch %s is for the filter alone: this command compares sets of shingles",
			config.SketchEmbedding)
	}
	model, err := embedding.Open(c.Model)
	if err != nil {
		return nil, keyKind{}, fmt.Errorf("--model: %w", err)
	}
	kind := keyKind{bands: 1, votes: 1, model: model, identity: []bloomlsh.Parameter{
		{Name: "markup", Value: c.Text.Markup},
		{Name: "sketch", Value: config.SketchEmbedding},
		{Name: "model", Value: model.Hash()},
	}}
	return func() stream.Sketcher { return &rowSketcher{encoder: model.NewEncoder()} }, kind, nil
}

// A rowSketcher is a sketcher whose sketches are rows of vectors.
type rowSketcher struct {
	encoder *embedding.Encoder
	vector  []float32
}

// Append appends the row of a text. A text that has no vector has nothing to compare.
func (s *rowSketcher) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	var err error
	if s.vector, err = s.encoder.Append(s.vector[:0], text); err != nil {
		return dst, false
	}
	return vector.AppendRow(dst, s.vector), true
}

// useVectors has the records judged by the vectors of their texts.
func (f *filterRun) useVectors() error {
	if err := f.checkID(); err != nil {
		return err
	}
	params := vector.Params{
		Dims: f.keys.model.Dims(), Threshold: f.c.Similar.Threshold, UnseenOnly: f.c.Index.Remember == "unseen",
	}
	if err := checkVectorRoom(params, expectedRecords(f.c), "records (--capacity)"); err != nil {
		return err
	}
	f.judgeByExact(nil)
	var err error
	if f.c.Index.Index != "" {
		identity := append(slices.Clone(f.keys.identity),
			bloomlsh.Parameter{Name: memoryParameter, Value: memoryOfVectors})
		err = f.openExact(identity, func(committed exactCommit) error { return f.exact.loadVectors(committed, params) })
	} else {
		err = f.exact.useVectors(vector.New(params))
	}
	if err == nil {
		f.exact.look()
	}
	return err
}

// checkVectorRoom refuses a memory of so many vectors for which there is no room. what says where
// the number comes from.
func checkVectorRoom(p vector.Params, vectors uint64, what string) error {
	return checkPeak(p.Memory(vectors), "the vectors of "+count(vectors)+" "+what, "")
}

// memoryOfVectors is what an index with a log of vectors has for its memory.
const memoryOfVectors = "vectors"

// useVectors has the memory be that of an index of vectors, if there was no error.
func (m *exactMemory) useVectors(index *vector.Index, err error) error {
	if err == nil {
		m.index = &vectorIndex{Index: index}
	}
	return err
}

// loadVectors reads the log.
func (m *exactMemory) loadVectors(committed exactCommit, p vector.Params) error {
	if err := checkVectorRoom(p, committed.Signatures, "records that it has"); err != nil {
		return err
	}
	index, log, err := vector.Load(m.file, committed.Bytes, p, m.names.load)
	if err := m.useVectors(index, err); err != nil {
		return err
	}
	m.names.log = log
	return m.names.checkCount(committed.Records)
}

// A vectorIndex is a memory of vectors as an originalIndex.
type vectorIndex struct {
	*vector.Index
	found []vector.Match // scratch
}

// ObserveBeside takes matches to be empty: no other memory of vectors is asked.
func (x *vectorIndex) ObserveBeside(rows []uint64, matches []lsh.Match) (observed int, err error) {
	x.found = slices.Grow(x.found[:0], len(matches))[:len(matches)]
	observed, err = x.Observe(rows, x.found)
	for i, m := range x.found[:observed] {
		matches[i] = lsh.Match{Record: m.Record, Similarity: m.Similarity}
	}
	return observed, err
}

// Stats describes the index; its rows are what signatures are to others.
func (x *vectorIndex) Stats() lsh.Stats {
	s := x.Index.Stats()
	return lsh.Stats{
		Records: s.Records, Entries: s.Entries, Duplicates: s.Duplicates, Copies: s.Copies, Bytes: s.Bytes,
	}
}

// Close has nothing to close.
func (x *vectorIndex) Close() error { return nil }
