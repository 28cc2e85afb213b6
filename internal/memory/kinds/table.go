package kinds

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
)

// LeastKinds is the minimum capacity of a table, since half of it is dropped at once.
const LeastKinds = 2

const (
	// A table with at most this many kinds compares each of them. A larger one uses an index, which
	// takes time to rebuild.
	mostCompared = 128

	// crowd is the number of kinds that a key lists. Lines that differ in many words are separate
	// kinds that share keys.
	crowd = 16
)

// A Table finds the kind of a record by its sketch, as returned by sketch.Signed. K is the caller's
// state of a kind. Only one goroutine may use it.
type Table[K any] struct {
	params signatures.Params
	limit  int
	better func(a, b *K) int // negative if a is the one to keep
	gone   func(*K)          // called for each dropped kind

	few     *signatures.Linear // the first records, in the order of kinds; or
	index   *signatures.Index  // an index of them, in which kinds[i] has the number i+1
	kinds   []*kind[K]
	match   [1]memory.Match
	scratch []uint64
}

type kind[K any] struct {
	packed []uint64 // sketch of its first record
	of     K
}

// NewTable returns a table of at most that many kinds. When it is full it keeps the half that
// better orders first, the earlier if they are equal, and calls gone for each of the others in
// ascending order.
func NewTable[K any](p signatures.Params, most int, better func(a, b *K) int, gone func(*K)) (*Table[K], error) {
	if most < LeastKinds {
		return nil, fmt.Errorf("a table of %d kinds must have room for at least %d", most, LeastKinds)
	}
	p.UnseenOnly, p.MaxMemory, p.Capacity, p.Crowd = false, 0, 0, crowd
	t := &Table[K]{params: p, limit: most, better: better, gone: gone}
	if most <= mostCompared && !p.Sets {
		if err := p.Validate(); err != nil {
			return nil, err
		}
		t.few = signatures.NewLinear(p)
		return t, nil
	}
	var err error
	t.index, err = signatures.New(p)
	return t, err
}

// Find returns the kind of a record, and whether it is new because the record resembles no first
// record. The pointer is valid until the table drops the kind.
func (t *Table[K]) Find(sketch []uint64) (of *K, isNew bool, err error) {
	at, known, err := t.find(sketch)
	switch {
	case err != nil:
		return nil, false, err
	case known:
		return &t.kinds[at].of, false, nil
	}
	if len(t.kinds) == t.limit {
		if err := t.evict(); err != nil {
			return nil, false, err
		}
	}
	added := &kind[K]{packed: t.params.Pack(make([]uint64, 0, t.params.PackedWords()), sketch)}
	if err := t.add(added); err != nil {
		return nil, false, err
	}
	return &added.of, true, nil
}

// find returns the index of the kind of a record.
func (t *Table[K]) find(sketch []uint64) (at int, known bool, err error) {
	if t.few != nil {
		at, known = t.few.Best(sketch)
		return at, known, nil
	}
	t.match[0] = memory.Match{}
	err = t.index.Query(sketch, t.match[:])
	return int(t.match[0].Record) - 1, t.match[0].Record != 0, err
}

func (t *Table[K]) add(k *kind[K]) error {
	t.scratch = t.params.Unpack(t.scratch[:0], k.packed)
	if t.few != nil {
		t.few.Add(t.scratch)
	} else if _, err := t.index.Observe(t.scratch, t.match[:]); err != nil {
		return err
	}
	t.kinds = append(t.kinds, k)
	return nil
}

// evict drops the worse half of the kinds and builds a new index.
func (t *Table[K]) evict() error {
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
	before := t.kinds
	if err := t.begin(); err != nil {
		return err
	}
	for i, k := range before {
		if !stays[i] {
			t.gone(&k.of)
		} else if err := t.add(k); err != nil {
			return err
		}
	}
	return nil
}

// begin empties the table.
func (t *Table[K]) begin() (err error) {
	t.kinds = make([]*kind[K], 0, len(t.kinds))
	if t.few != nil {
		t.few.Clear()
		return nil
	}
	if err := t.index.Close(); err != nil {
		return err
	}
	t.index, err = signatures.New(t.params)
	return err
}

// Each calls do for all kinds in ascending order.
func (t *Table[K]) Each(do func(*K)) {
	for _, k := range t.kinds {
		do(&k.of)
	}
}

// Len returns the number of kinds.
func (t *Table[K]) Len() int { return len(t.kinds) }

// Close frees the memory.
func (t *Table[K]) Close() error {
	if t.index == nil {
		return nil
	}
	return t.index.Close()
}
