package command

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A pairSketch says what is made of a text to find its pairs: the keys of its bands, if these find
// candidates, and the set of its shingles, unless only candidates are asked for.
type pairSketch struct {
	newSketcher func() stream.Sketcher

	keys    int            // words of a sketch that are keys
	between int            // unused words after them
	isSet   bool           // the set follows
	rule    lsh.Banding    // of the keys
	tooLong *atomic.Uint64 // texts with too many shingles
}

func newPairSketch(c *config.Pairs) (p pairSketch, err error) {
	p.tooLong, p.isSet = new(atomic.Uint64), !c.Unverified
	var of func() stream.Sketcher
	var signed sketch.Params // of the signatures before sets
	if c.Candidates == config.CandidatesPrefix {
		shingler, err := sketchers.ShinglesFrom(c.Filter.Method)
		if err != nil {
			return p, err
		}
		of = func() stream.Sketcher { return sketch.Set{Sketcher: shingler.Clone()} }
	} else {
		sketcher, rule, err := sketchers.New(c.Filter.Method)
		if err != nil {
			return p, err
		}
		p.rule, p.keys = rule, 2*rule.Bands
		of = func() stream.Sketcher { return sketcher.Clone() }
		if p.isSet {
			signed = sketcher.Params()
			p.between = sketch.SignedWords(signed) - p.keys
			of = func() stream.Sketcher { return sketch.SignedSet{Sketcher: sketcher.Clone()} }
		}
	}
	text := c.Filter.Rule.Text
	made, err := sketchers.OfText(text.Markup, text.Normalize, text.Tokenize, of)
	if p.isSet {
		p.newSketcher = sketchers.ConfineSets(c.Filter.Method, signed, made)
	} else {
		p.newSketcher = sketchers.ConfineKeys(c.Filter.Method, p.rule.Bands, made)
	}
	return p, err
}

// votes returns how many bands two records must have in common to be compared, or 0 without bands.
func (p pairSketch) votes() int { return p.rule.Votes }

// split divides a sketch into the set and the keys.
func (p pairSketch) split(words []uint64) (set, keys []uint64) {
	if len(words) == 0 {
		return nil, nil
	}
	keys = make([]uint64, 0, p.keys/2)
	for band, key := range stream.KeysOf(words[:p.keys]) {
		keys = append(keys, mixed(mixed(key.Lo^uint64(band+1))^key.Hi))
	}
	slices.Sort(keys)
	if !p.isSet {
		return nil, keys
	}
	if set = words[p.keys+p.between+1:]; len(set) == 0 {
		p.tooLong.Add(1)
	}
	return set, keys
}

// mixed is a bijection whose output bits all depend on all input bits: the last step of
// MurmurHash3.
func mixed(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// about says by which rule candidates were found, and how many of the pairs that finds.
func (p pairSketch) about(threshold float64) string {
	if p.keys == 0 {
		return ""
	}
	return fmt.Sprintf(", by %s, which find %.4g of the pairs at %g, and more of those above", p.rule,
		p.rule.Catch(threshold), threshold)
}
