package sketch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Normalizer maps texts that differ only in insignificant ways to the same text. Every Normalizer
// is idempotent and returns well-formed UTF-8 for any input. It may own scratch memory, so each
// goroutine needs its own.
type Normalizer interface {
	// Append appends the normal form of text to dst.
	Append(dst, text []byte) []byte
}

// recipes are names for lists of steps.
var recipes = map[string][]string{
	"none":      {},
	"nfkc-fold": {"strip-format", "nfkc", "fold"},
	"fineweb":   {"strip-controls", "fold", "strip-accents", "strip-punctuation", "numbers", "squash-space"},
	"ccnet":     {"strip-controls", "fold", "strip-punctuation", "digits"},
}

// NormalizerNames lists the names that Params.Normalize may combine: the recipes, and the steps in
// order.
func NormalizerNames() []string {
	list := slices.Sorted(maps.Keys(recipes))
	for _, s := range steps {
		list = append(list, s.name)
	}
	return list
}

// NewNormalizer returns the Normalizer with a name: a comma-separated list of recipes and steps.
// Steps must be in the order of NormalizerNames, in which they are performed.
func NewNormalizer(name string) (Normalizer, error) {
	list, err := stepsOf(name)
	if err != nil {
		return nil, err
	}
	// The default recipe has an implementation of its own, which also serves as the first step of
	// longer lists.
	var first []pass
	if fast := recipes["nfkc-fold"]; len(list) >= len(fast) && slices.Equal(list[:len(fast)], fast) {
		n := newNFKCFold()
		if len(list) == len(fast) {
			return n, nil
		}
		first = append(first, n.Append)
		list = list[len(fast):]
	}
	if len(list) == 0 {
		return repair{}, nil
	}
	p := &pipeline{steps: first, mapsASCII: slices.Contains(list, "confusables") || joinsVariables(list)}
	for _, s := range list {
		p.steps = append(p.steps, steps[rank(s)].make())
	}
	return p, nil
}

// joinsVariables reports whether a step after those that mask variables may join what was separate.
func joinsVariables(list []string) bool {
	i := slices.IndexFunc(list, masksVariables)
	return i >= 0 && slices.ContainsFunc(list[i+1:], func(s string) bool {
		return s != "squash-space" || list[i] == "log-variables"
	})
}

// masksVariables reports whether a step masks runs of bytes.
func masksVariables(step string) bool {
	return step == "ids" || step == "variables" || step == "log-variables"
}

// stepsOf returns the steps that a value of Params.Normalize means.
func stepsOf(name string) ([]string, error) {
	var list []string
	for _, item := range strings.Split(name, ",") {
		switch recipe, ok := recipes[item]; {
		case ok && len(recipe) == 0 && item != name:
			return nil, fmt.Errorf("normalize: %q stands alone", item)
		case ok:
			list = append(list, recipe...)
		case rank(item) >= 0:
			list = append(list, item)
		default:
			return nil, fmt.Errorf("normalize: unknown name %q (want some of: %s)", item,
				strings.Join(NormalizerNames(), ", "))
		}
	}
	for i, s := range list {
		if i == 0 {
			continue
		}
		before := list[i-1]
		switch {
		case rank(s) == rank(before):
			return nil, fmt.Errorf("normalize: %q is there twice", s)
		case rank(s) < rank(before):
			return nil, fmt.Errorf("normalize: %q must come before %q", s, before)
		case steps[rank(s)].kin != "" && steps[rank(s)].kin == before:
			return nil, fmt.Errorf("normalize: want one of %q and %q, not both", before, s)
		}
	}
	return list, nil
}

// rank returns the position of a step, or -1.
func rank(name string) int {
	return slices.IndexFunc(steps, func(s step) bool { return s.name == name })
}
