package kinds

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/memory"
	"github.com/mithril-stream/mithril-stream/memory/signatures"
)

// LeastKinds is the least that a table can be bounded to: half of them is given up at once.
const LeastKinds = 2

// A Table finds the kind of a record by its sketch, as sketch.Signed makes it. K is what the caller
// knows of a kind. It is for one goroutine.
type Table[K any] struct {
	params signatures.Params
	most   int
	better func(a, b *K) int // less than 0 if a is to stay rather than b
	gone   func(*K)          // is told of each kind that is given up

	index *signatures.Index // of the first records; that of kinds[i] has the number i+1
	kinds []*kind[K]
	match [1]memory.Match
}

type kind[K any] struct {
	sketch []uint64 // of its first record
	of     K
}

// NewTable returns a table of at most so many kinds. When there are more, those stay that better
// puts first, of equal ones the earlier; gone is told of each of the others, from the earliest on.
func NewTable[K any](p signatures.Params, most int, better func(a, b *K) int, gone func(*K)) (*Table[K], error) {
	if most < LeastKinds {
		return nil, fmt.Errorf("a table of %d kinds must have room for at least %d", most, LeastKinds)
	}
	p.UnseenOnly, p.MaxMemory, p.Capacity = false, 0, 0
	index, err := signatures.New(p)
	if err != nil {
		return nil, err
	}
	return &Table[K]{params: p, most: most, better: better, gone: gone, index: index}, nil
}

// Find returns the kind of a record, which is new if the record resembles no first one. It is good
// as long as the table has it.
func (t *Table[K]) Find(sketch []uint64) (of *K, isNew bool, err error) {
	t.match[0] = memory.Match{}
	if err := t.index.Query(sketch, t.match[:]); err != nil {
		return nil, false, err
	}
	if found := t.match[0].Record; found != 0 {
		return &t.kinds[found-1].of, false, nil
	}
	if len(t.kinds) == t.most {
		if err := t.giveUp(); err != nil {
			return nil, false, err
		}
	}
	added := &kind[K]{sketch: slices.Clone(sketch)}
	if err := t.add(added); err != nil {
		return nil, false, err
	}
	return &added.of, true, nil
}

func (t *Table[K]) add(k *kind[K]) error {
	if _, err := t.index.Observe(k.sketch, t.match[:]); err != nil {
		return err
	}
	t.kinds = append(t.kinds, k)
	return nil
}

// giveUp makes room by leaving the worse half of the kinds out of a new index.
func (t *Table[K]) giveUp() error {
	order := make([]int, len(t.kinds))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(t.better(&t.kinds[a].of, &t.kinds[b].of), a-b)
	})
	stays := make([]bool, len(order))
	for _, i := range order[:len(order)/2] {
		stays[i] = true
	}
	index, err := signatures.New(t.params)
	if err != nil {
		return err
	}
	before, old := t.kinds, t.index
	t.kinds, t.index = make([]*kind[K], 0, len(before)), index
	for i, k := range before {
		if !stays[i] {
			t.gone(&k.of)
		} else if err := t.add(k); err != nil {
			return errors.Join(err, old.Close())
		}
	}
	return old.Close()
}

// Each calls do for all kinds, from the earliest on.
func (t *Table[K]) Each(do func(*K)) {
	for _, k := range t.kinds {
		do(&k.of)
	}
}

// Len is how many kinds there are.
func (t *Table[K]) Len() int { return len(t.kinds) }

// Bytes is what the table takes, but for what the caller knows of kinds.
func (t *Table[K]) Bytes() uint64 {
	return t.index.Stats().Bytes + uint64(len(t.kinds)*8*t.params.SketchWords())
}

// Close gives the memory back.
func (t *Table[K]) Close() error { return t.index.Close() }
