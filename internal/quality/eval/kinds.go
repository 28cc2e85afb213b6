package eval

import (
	"maps"
	"slices"
)

// Kinds are the duplicates of each kind. A nil one counts nothing.
type Kinds map[string]*Kind

// A Kind is the duplicates of one kind.
type Kind struct {
	Duplicates int
	Right      int // that were removed
}

// Recall is the share of these duplicates that were removed.
func (k Kind) Recall() float64 { return share(k.Right, k.Duplicates) }

// Names are the kinds in their order.
func (k Kinds) Names() []string { return slices.Sorted(maps.Keys(k)) }

// byKind counts the duplicates of each kind, of which none is found yet.
func (c Corpus) byKind() Kinds {
	if c.Kinds == nil {
		return nil
	}
	kinds := Kinds{}
	for i, parent := range c.Parents {
		if parent < 0 {
			continue
		}
		if kinds[c.Kinds[i]] == nil {
			kinds[c.Kinds[i]] = &Kind{}
		}
		kinds[c.Kinds[i]].Duplicates++
	}
	return kinds
}

// found counts a duplicate that was removed.
func (k Kinds) found(c Corpus, i int) {
	if k != nil {
		k[c.Kinds[i]].Right++
	}
}
