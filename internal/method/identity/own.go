package identity

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// The parameters of an index without filters: the identity of its sketches, the number of its
// bands, and what determines which records are remembered, which a query ignores.

const (
	rememberParameter = "remember"
	keepParameter     = "keep-generations"
	forgetParameter   = "forget-after"
)

// Own are the parameters after the identity.
func Own(bands, votes int, remember string, forget spec.Forget) []bloomlsh.Parameter {
	list := []bloomlsh.Parameter{{Name: BandsParameter, Value: strconv.Itoa(bands)}}
	add := func(name, value string) { list = append(list, bloomlsh.Parameter{Name: name, Value: value}) }
	if remember != "" {
		add(rememberParameter, remember)
	}
	if votes > 1 {
		add(VotesParameter, strconv.Itoa(votes))
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
var remembering = []string{rememberParameter, VotesParameter, keepParameter, forgetParameter}

// ofFilters are the names of the parameters of Bloom filters that an exact memory lacks.
var ofFilters = []string{"capacity", "fp-rate", "filter", "on-full", "page-seed", "growth", "generations"}

// WithoutFilters removes the parameters of filters.
func WithoutFilters(list []bloomlsh.Parameter) []bloomlsh.Parameter { return Without(list, ofFilters) }

// Asked returns the parameters that matter to a query of an exact memory.
func Asked(list []bloomlsh.Parameter) []bloomlsh.Parameter {
	return Without(WithoutFilters(index.Without(list, index.MadeByParameter)), remembering)
}

// Without removes the parameters of these names.
func Without(list []bloomlsh.Parameter, names []string) []bloomlsh.Parameter {
	return slices.DeleteFunc(slices.Clone(list), func(p bloomlsh.Parameter) bool {
		return slices.Contains(names, p.Name)
	})
}

// WithMadeBy adds to an identity the flags of the run, which a new index keeps.
func WithMadeBy(list []bloomlsh.Parameter, m spec.Memory) ([]bloomlsh.Parameter, error) {
	if len(m.MadeBy) == 0 {
		return list, nil
	}
	text, err := json.Marshal(m.MadeBy)
	madeBy := bloomlsh.Parameter{Name: bloomlsh.MadeByParameter, Value: string(text)}
	return append([]bloomlsh.Parameter{madeBy}, list...), err
}
