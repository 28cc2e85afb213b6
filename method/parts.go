package method

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/memory/overlap"
	"github.com/mithril-stream/mithril-stream/stream"
)

// looksAtParts reports whether records are judged by parts of them.
func looksAtParts(c *config.Filter) bool { return c.Method != "" && c.Method != config.MethodExact }

// partsKind is the keyKind of a method other than similarity: an index of one band holds its keys.
func partsKind(c *config.Filter) (kind KeyKind, err error) {
	kind = KeyKind{Bands: 1, Votes: 1, Identity: []bloomlsh.Parameter{
		{Name: "method", Value: c.Method},
		{Name: "markup", Value: c.Text.Markup},
	}}
	if !looksAtParts(c) {
		return kind, nil
	}
	p, err := c.PartParams()
	if err != nil {
		return kind, err
	}
	if p.HasNGrams() {
		kind.Identity = append(kind.Identity, bloomlsh.Parameter{Name: "shingle-size", Value: strconv.Itoa(p.NGram)})
	}
	if p.Tokens != "" {
		kind.Identity = append(kind.Identity, bloomlsh.Parameter{Name: "tokenize", Value: p.Tokens})
	}
	kind.Identity = append(kind.Identity,
		bloomlsh.Parameter{Name: "overlap", Value: strconv.FormatFloat(p.Threshold, 'g', -1, 64)})
	return kind, nil
}

// partSketcher makes the sketcher of a method other than similarity.
func partSketcher(c *config.Filter) (func() stream.Sketcher, KeyKind, error) {
	kind, err := partsKind(c)
	if err != nil {
		return nil, kind, err
	}
	if !looksAtParts(c) {
		return func() stream.Sketcher { return overlap.Exact{} }, kind, nil
	}
	p, err := c.PartParams()
	return func() stream.Sketcher { return overlap.NewSketcher(p) }, kind, err
}

// beginSet has parts remembered exactly, in memory.
func beginSet(o *Opening) (*Judging, error) {
	set := overlap.NewSet()
	j := &Judging{Judge: stream.ByVotes(set, 1), set: set}
	if !looksAtParts(o.Config) {
		return j, nil
	}
	return j, j.byParts(o.Config, set)
}

// byParts has records judged by their parts, which that memory keeps.
func (j *Judging) byParts(c *config.Filter, memory overlap.Memory) error {
	p, err := c.PartParams()
	if err != nil {
		return err
	}
	j.Pieces = overlap.NewJudge(p, memory)
	j.Judge = j.Pieces
	return nil
}

// defaultLines and defaultNGrams are how many parts a run plans for that says nothing about its
// size: filters of some 20 and 40 MB.
const defaultLines, defaultNGrams = 1 << 22, 1 << 24

// planFor says for how many parts an index is planned: what the user says; what an index that is
// there was planned for; or as many as the given number of records have.
func planFor(c config.IndexFlags, method config.MethodFlags, perRecord func() (float64, error)) (uint64, error) {
	if method.Parts > 0 {
		return uint64(method.Parts), nil
	}
	if c.Index != "" {
		p, _, err := bloomlsh.ReadParameters(c.Index)
		if err == nil {
			return p.Capacity, nil
		}
		if !errors.Is(err, bloomlsh.ErrNoIndex) {
			return 0, err
		}
	}
	switch {
	case c.GivenCapacity != nil:
	case method.NGram > 0:
		return defaultNGrams, nil
	default:
		return defaultLines, nil
	}
	parts, err := perRecord()
	if err != nil {
		return 0, fmt.Errorf("count the parts of the first records: %w", err)
	}
	return uint64(max(1, parts*float64(c.Capacity))), nil
}
