package command

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/overlap"
	"github.com/mithril-stream/mithril-stream/stream"
)

// looksAtParts reports whether records are judged by parts of them.
func looksAtParts(c *config.Filter) bool { return c.Method != "" && c.Method != config.MethodExact }

// partsKind is the keyKind of a method other than similarity: an index of one band holds its keys.
func partsKind(c *config.Filter) (kind keyKind, err error) {
	kind = keyKind{bands: 1, votes: 1, identity: []bloomlsh.Parameter{
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
		kind.identity = append(kind.identity, bloomlsh.Parameter{Name: "shingle-size", Value: strconv.Itoa(p.NGram)})
	}
	if p.Tokens != "" {
		kind.identity = append(kind.identity, bloomlsh.Parameter{Name: "tokenize", Value: p.Tokens})
	}
	kind.identity = append(kind.identity,
		bloomlsh.Parameter{Name: "overlap", Value: strconv.FormatFloat(p.Threshold, 'g', -1, 64)})
	return kind, nil
}

// partSketcher makes the sketcher of a method other than similarity.
func partSketcher(c *config.Filter) (func() stream.Sketcher, error) {
	if !looksAtParts(c) {
		return func() stream.Sketcher { return overlap.Exact{} }, nil
	}
	p, err := c.PartParams()
	return func() stream.Sketcher { return overlap.NewSketcher(p) }, err
}

// useSet has parts remembered exactly, in memory.
func (f *filterRun) useSet() error {
	f.set = overlap.NewSet()
	if looksAtParts(f.c) {
		return f.useParts(f.set)
	}
	f.opts.Method.Judge = stream.ByVotes(f.set, 1)
	return nil
}

// useParts has records judged by their parts, which that memory keeps.
func (f *filterRun) useParts(memory overlap.Memory) error {
	c := f.c
	p, err := c.PartParams()
	if err != nil {
		return err
	}
	judge := overlap.NewJudge(p, memory)
	f.opts.Method.Judge = judge
	if !c.Edits() {
		return nil
	}
	f.parts = &partEditor{judge: judge, action: c.Action, mask: []byte(c.Mask)}
	judge.KeepPieces(c.Action != config.ActionReport)
	return f.parts.prepare(f.source.Settings)
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
