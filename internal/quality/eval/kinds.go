package eval

import (
	"maps"
	"slices"
)

// Kinds counts the duplicates of each kind. A nil map counts nothing.
type Kinds map[string]*Kind

// A Kind counts the duplicates of one kind.
type Kind struct {
	Duplicates int
	Right      int // number of these that were removed
}

// Recall returns the share that was removed.
func (k Kind) Recall() float64 { return share(k.Right, k.Duplicates) }

// Names returns the kinds in order.
func (k Kinds) Names() []string { return slices.Sorted(maps.Keys(k)) }

// byKind counts the duplicates of each kind, none of them found.
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
