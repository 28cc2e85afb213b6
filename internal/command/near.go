package command

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// near answers each text and each record with the most similar records of an index.
func near(ctx context.Context, c *config.Near, std files.Streams) (err error) {
	s, err := openSearch(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	out := bufio.NewWriter(std.Out)
	defer func() { err = errors.Join(err, out.Flush()) }()
	for _, text := range c.Texts {
		if err := s.answer(out, []byte(text), c.Count); err != nil {
			return err
		}
	}
	if len(c.Filter.Input.Paths) == 0 {
		return nil
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return nearRecords(ctx, c, std, s)
}

// A search looks for texts in an exact memory that is kept in a directory.
type search struct {
	sketcher    stream.Sketcher
	newSketcher func() stream.Sketcher // for other goroutines
	keys        identity.KeyKind       // of these sketchers; set only for vectors
	*memory.Named
	words []uint64
	found []memory.Match
}

// openSearch opens the index as of its last commit. A writer may continue meanwhile.
func openSearch(c *config.Near) (s *search, err error) {
	m, err := method.ReadStored(c.Index, &method.SketchFiles{
		Model: c.Model, Pooling: c.Pooling, Idf: c.IDF, Vector: c.Vector,
	})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.Keys.Close())
		}
	}()
	switch {
	case c.IDF != "" && m.Parameter("idf") == "":
		return nil, usage.Error(fmt.Errorf("--idf: %s was made without one: leave it out", c.Index))
	case c.Vector != "" && m.Kind.Name != identity.MemoryOfVectors:
		return nil, usage.Error(fmt.Errorf("--vector is for vectors, and %s has none: leave it out", c.Index))
	case c.Model != "" && m.Kind.Name != identity.MemoryOfVectors:
		return nil, usage.Error(fmt.Errorf("--model is for vectors, and %s has none: leave it out", c.Index))
	case c.Tokens != "" && (m.Parameter("normalize") != "none" || m.Parameter("tokenize") != "whitespace"):
		return nil, usage.Error(fmt.Errorf("--tokens: %s was made of texts: leave it out", c.Index))
	case c.MaxMemory > 0:
		if err := m.Kind.Limit(uint64(c.MaxMemory)); err != nil {
			return nil, err
		}
	}
	s = &search{newSketcher: m.NewSketcher, sketcher: m.NewSketcher(), keys: m.Keys}
	s.Named, err = exact.OpenAsked(c.Index, m.Bands, m.Identity, m.Kind)
	return s, err
}

func (s *search) close() error { return errors.Join(s.Named.Close(), s.keys.Close()) }

// An answer is what is written for a text.
type answer struct {
	Query   any          `json:"query"` // the text, or the name of a record
	Near    []nearRecord `json:"near"`
	Problem string       `json:"problem,omitempty"` // why a record could not be read
}

type nearRecord struct {
	Record     json.RawMessage `json:"record"`
	Similarity json.RawMessage `json:"similarity"`
	Contains   bool            `json:"contains,omitempty"` // the text has that part of the record
}

func (s *search) answer(out *bufio.Writer, text []byte, count int) error {
	var ok bool
	s.found = s.found[:0]
	if s.words, ok = s.sketcher.Append(s.words[:0], text); ok {
		err := s.keys.Failures.Of(s.words)
		if err != nil {
			return err
		}
		if s.found, err = s.Near(s.found, s.words, count); err != nil {
			return err
		}
	}
	return writeAnswer(out, answer{Query: string(text), Near: s.named(s.found)})
}

// named returns matches with the names of their records.
func (s *search) named(found []memory.Match) []nearRecord {
	named := make([]nearRecord, len(found))
	for i, m := range found {
		named[i] = nearRecord{s.Names.Append(nil, m.Record), stream.AppendSimilarity(nil, m.Similarity), m.Contains}
	}
	return named
}

func writeAnswer(out *bufio.Writer, a answer) error {
	return jsonout.WriteLine(out, a)
}
