package command

import (
	"errors"
	"fmt"
	"os"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/memory/signatures"
	"github.com/mithril-stream/mithril-stream/memory/vectors"
	"github.com/mithril-stream/mithril-stream/sketch/embedding"
	"github.com/mithril-stream/mithril-stream/stream"
)

// vectorSketcher opens the model, and returns what makes vectors with it.
func vectorSketcher(c *config.Filter) (func() stream.Sketcher, keyKind, error) {
	if c.Model == "" {
		return nil, keyKind{}, fmt.Errorf("--sketch %s is for the filter and groups: this command compares sets of "+
			"shingles", config.SketchEmbedding)
	}
	model, err := openModel(c.EmbeddingFlags)
	if err != nil {
		return nil, keyKind{}, fmt.Errorf("--model: %w", err)
	}
	kind := keyKind{bands: 1, votes: 1, model: model, failures: &failures{words: vectors.RowWords(model.Dims())},
		identity: []bloomlsh.Parameter{
			{Name: "markup", Value: c.Text.Markup},
			{Name: "sketch", Value: config.SketchEmbedding},
			{Name: "model", Value: model.Hash()},
			{Name: memoryParameter, Value: memoryOfVectors},
		}}
	return func() stream.Sketcher {
		return &rowSketcher{encoder: model.newEncoder(), failures: kind.failures}
	}, kind, nil
}

// A rowSketcher is a sketcher whose sketches are rows of vectors.
type rowSketcher struct {
	encoder  vectorEncoder
	failures *failures
	vector   []float32
}

// Append appends the row of a text. A text that has no vector has nothing to compare.
func (s *rowSketcher) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	var err error
	s.vector, err = s.encoder.Append(s.vector[:0], text)
	switch {
	case errors.Is(err, embedding.ErrNoTokens) || errors.Is(err, embedding.ErrZero):
		return dst, false
	case err != nil:
		return append(dst, s.failures.add(err)), true
	}
	return vectors.AppendRow(dst, s.vector), true
}

// vectorParams are those of the memory.
func vectorParams(c *config.Filter, of keyKind) vectors.Params {
	return vectors.Params{
		Dims: of.model.Dims(), Threshold: c.Similar.Threshold, UnseenOnly: c.Index.Remember == "unseen",
	}
}

// useVectors has the records judged by the vectors of their texts.
func (f *filterRun) useVectors() error {
	if err := f.checkID(); err != nil {
		return err
	}
	params := vectorParams(f.c, f.keys)
	if err := checkVectorRoom(params, expectedRecords(f.c), "records (--capacity)"); err != nil {
		return err
	}
	f.judgeByExact(nil)
	f.opts.Method.Judge = f.keys.failures.before(f.exact)
	var err error
	if f.c.Index.Index != "" && !f.c.Index.ReadOnly {
		err = f.openExact(f.keys.identity, func(committed exactCommit) error {
			return f.exact.loadVectors(committed, params)
		})
	} else {
		err = f.exact.useVectors(vectors.New(params))
	}
	if err == nil {
		err = f.openAgainst(f.keys.identity, vectorLog(params))
	}
	if err == nil {
		f.exact.look()
	}
	return err
}

// checkVectorRoom refuses a memory of so many vectors for which there is no room. what says where
// the number comes from.
func checkVectorRoom(p vectors.Params, entries uint64, what string) error {
	return checkPeak(p.Memory(entries), "the vectors of "+count(entries)+" "+what, "")
}

// memoryOfVectors is what an index with a log of vectors has for its memory.
const memoryOfVectors = "vectors"

// useVectors has the memory be that of an index of vectors, if there was no error.
func (m *exactMemory) useVectors(index *vectors.Index, err error) error {
	if err == nil {
		m.index = &vectorIndex{Index: index}
	}
	return err
}

// loadVectors reads the log.
func (m *exactMemory) loadVectors(committed exactCommit, p vectors.Params) error {
	if err := checkVectorRoom(p, committed.Signatures, "records that it has"); err != nil {
		return err
	}
	index, log, err := vectors.Load(m.file, committed.Bytes, p, m.names.load)
	if err := m.useVectors(index, err); err != nil {
		return err
	}
	m.names.log = log
	return m.names.checkCount(committed.Records)
}

// vectorLog reads the log of an index of vectors.
func vectorLog(p vectors.Params) logReader {
	return func(file *os.File, length int64, notes func(note []byte) error) (askedIndex, error) {
		index, err := vectors.LoadReadOnly(file, length, p, notes)
		if err != nil {
			return nil, err
		}
		return &vectorIndex{Index: index}, nil
	}
}

// A vectorIndex has an index of vectors answer like one of signatures.
type vectorIndex struct {
	*vectors.Index
	matches []vectors.Match
}

// take notes what other indexes have found.
func (x *vectorIndex) take(matches []signatures.Match) {
	x.matches = x.matches[:0]
	for _, m := range matches {
		x.matches = append(x.matches, vectors.Match{Record: m.Record, Similarity: m.Similarity})
	}
}

// give says what is found.
func (x *vectorIndex) give(matches []signatures.Match) {
	for i := range matches {
		matches[i] = signatures.Match{Record: x.matches[i].Record, Similarity: x.matches[i].Similarity}
	}
}

func (x *vectorIndex) ObserveBeside(rows []uint64, matches []signatures.Match) (observed int, err error) {
	x.take(matches)
	observed, err = x.Index.ObserveBeside(rows, x.matches)
	x.give(matches[:observed])
	return observed, err
}

func (x *vectorIndex) Query(rows []uint64, matches []signatures.Match) error {
	x.take(matches)
	err := x.Index.Query(rows, x.matches)
	x.give(matches)
	return err
}

func (x *vectorIndex) Near(dst []signatures.Match, row []uint64, k int) ([]signatures.Match, error) {
	var err error
	x.matches, err = x.Index.Near(x.matches[:0], row, k)
	start := len(dst)
	dst = append(dst, make([]signatures.Match, len(x.matches))...)
	x.give(dst[start:])
	return dst, err
}

// Stats describes the index; its rows are what signatures are to others.
func (x *vectorIndex) Stats() signatures.Stats {
	s := x.Index.Stats()
	return signatures.Stats{
		Records: s.Records, Entries: s.Entries, Duplicates: s.Duplicates, Copies: s.Copies, Bytes: s.Bytes,
	}
}

// Close has nothing to close.
func (x *vectorIndex) Close() error { return nil }
