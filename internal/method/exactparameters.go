package method

import (
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// The parameters of an index without filters: the identity of its sketches, the number of its
// bands, and what determines which records are remembered, which a query ignores.

const (
	bandsParameter    = "bands"
	rememberParameter = "remember"
	votesParameter    = "votes"
	keepParameter     = "keep-generations"
	forgetParameter   = "forget-after"
)

// exactOwn are the parameters after the identity.
func exactOwn(bands, votes int, remember string, forget spec.Forget) []bloomlsh.Parameter {
	list := []bloomlsh.Parameter{{Name: bandsParameter, Value: strconv.Itoa(bands)}}
	add := func(name, value string) { list = append(list, bloomlsh.Parameter{Name: name, Value: value}) }
	if remember != "" {
		add(rememberParameter, remember)
	}
	if votes > 1 {
		add(votesParameter, strconv.Itoa(votes))
	}
	if forget.Generations > 0 {
		add(keepParameter, strconv.Itoa(forget.Generations))
	}
	if forget.After > 0 {
		add(forgetParameter, forget.After.String())
	}
	return list
}

// remembering are the names of parameters that a query ignores.
var remembering = []string{rememberParameter, votesParameter, keepParameter, forgetParameter}

// ofFilters are the names of the parameters of Bloom filters that an exact memory lacks.
var ofFilters = []string{"capacity", "fp-rate", "filter", "on-full", "page-seed", "growth", "generations"}

// withoutFilters removes the parameters of filters.
func withoutFilters(list []bloomlsh.Parameter) []bloomlsh.Parameter { return without(list, ofFilters) }

// askedOf returns the parameters that matter to a query of an exact memory.
func askedOf(list []bloomlsh.Parameter) []bloomlsh.Parameter {
	return without(withoutFilters(index.Without(list, index.MadeByParameter)), remembering)
}

func without(list []bloomlsh.Parameter, names []string) []bloomlsh.Parameter {
	return slices.DeleteFunc(slices.Clone(list), func(p bloomlsh.Parameter) bool {
		return slices.Contains(names, p.Name)
	})
}

// forgettingFilters returns filters that would forget as a memory does, to check its settings.
func forgettingFilters(m spec.Memory, kind KeyKind, keep int) bloomlsh.Params {
	return bloomlsh.Params{
		Bands: kind.Bands, Votes: kind.Votes, Capacity: 1, Remember: m.Remember,
		KeepGenerations: keep, ForgetAfter: m.Forget.After,
	}
}
