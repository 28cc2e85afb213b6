package kinds

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
)

// LeastKinds is the least that a table can be bounded to: half of them is given up at once.
const LeastKinds = 2

const (
	// A table with at most this many kinds compares each of them. A larger one has an index, which
	// takes time to rebuild.
	mostCompared = 128

	// crowd is how many kinds a key leads to. Lines that differ in many of their words are kinds of
	// their own, and share keys with each other.
	crowd = 16
)

// A Table finds the kind of a record by its sketch, as sketch.Signed makes it. K is what the caller
// knows of a kind. It is for one goroutine.
type Table[K any] struct {
	params signatures.Params
	most   int
	better func(a, b *K) int // less than 0 if a is to stay rather than b
	gone   func(*K)          // is told of each kind that is given up

	few     *signatures.Few   // of the first records, in the order of kinds; or
	index   *signatures.Index // of these; that of kinds[i] has the number i+1
	kinds   []*kind[K]
	match   [1]memory.Match
	scratch []uint64
}

type kind[K any] struct {
	packed []uint64 // the sketch of its first record
	of     K
}

// NewTable returns a table of at most so many kinds. When there are more, those stay that better
// puts first, of equal ones the earlier; gone is told of each of the others, from the earliest on.
func NewTable[K any](p signatures.Params, most int, better func(a, b *K) int, gone func(*K)) (*Table[K], error) {
	if most < LeastKinds {
		return nil, fmt.Errorf("a table of %d kinds must have room for at least %d", most, LeastKinds)
	}
	p.UnseenOnly, p.MaxMemory, p.Capacity, p.Crowd = false, 0, 0, crowd
	t := &Table[K]{params: p, most: most, better: better, gone: gone}
	if most <= mostCompared && !p.Sets {
		if err := p.Validate(); err != nil {
			return nil, err
		}
		t.few = signatures.NewFew(p)
		return t, nil
	}
	var err error
	t.index, err = signatures.New(p)
	return t, err
}

// Find returns the kind of a record, which is new if the record resembles no first one. It is good
// as long as the table has it.
func (t *Table[K]) Find(sketch []uint64) (of *K, isNew bool, err error) {
	at, known, err := t.find(sketch)
	switch {
	case err != nil:
		return nil, false, err
	case known:
		return &t.kinds[at].of, false, nil
	}
	if len(t.kinds) == t.most {
		if err := t.giveUp(); err != nil {
			return nil, false, err
		}
	}
	added := &kind[K]{packed: t.params.Pack(make([]uint64, 0, t.params.PackedWords()), sketch)}
	if err := t.add(added); err != nil {
		return nil, false, err
	}
	return &added.of, true, nil
}

// find returns which of the kinds a record is of.
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

// begin makes the table an empty one.
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

// Each calls do for all kinds, from the earliest on.
func (t *Table[K]) Each(do func(*K)) {
	for _, k := range t.kinds {
		do(&k.of)
	}
}

// Len is how many kinds there are.
func (t *Table[K]) Len() int { return len(t.kinds) }

// Bytes is what the table takes, but for what the caller knows of kinds.
func (t *Table[K]) Bytes() (bytes uint64) {
	if t.index != nil {
		bytes = t.index.Stats().Bytes
	}
	return bytes + uint64(len(t.kinds)*8*t.params.PackedWords())
}

// Close gives the memory back.
func (t *Table[K]) Close() error {
	if t.index == nil {
		return nil
	}
	return t.index.Close()
}
