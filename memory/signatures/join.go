package signatures

import (
	"context"
	"slices"
	"unsafe"

	"github.com/mithril-stream/mithril-stream/sketch"
)

// A sortedPart is the pairs of some keys of a column, in their order.
type sortedPart struct {
	column int // of those that were to be sorted
	pairs  []pair
	by     *pairSorter
	err    error
}

// eachRun sorts the keys of columns and calls do with the entries of each key that several have,
// but for those that skip has, and with the number of the column. The next part is sorted
// meanwhile.
func (g *Groups) eachRun(ctx context.Context, columns []column, skip []uint64,
	do func(column int, entries []pair) error) error {

	ctx, stop := context.WithCancel(ctx)
	sorted, idle := make(chan sortedPart), make(chan *pairSorter, 2)
	for range cap(idle) {
		idle <- &pairSorter{room: g.room() / uint64(cap(idle))}
	}
	go func() {
		defer close(sorted)
		g.sortAll(ctx, columns, skip, idle, sorted)
	}()
	defer func() { // nothing may go on that reads the columns
		stop()
		for range sorted {
		}
	}()
	for part := range sorted {
		if part.err != nil {
			return part.err
		}
		if err := g.eachRunOf(ctx, part, do); err != nil {
			return err
		}
		idle <- part.by
	}
	return context.Cause(ctx)
}

// sortAll sorts columns, one after the other, with sorters that are idle.
func (g *Groups) sortAll(ctx context.Context, columns []column, skip []uint64, idle chan *pairSorter,
	sorted chan<- sortedPart) {

	for i := range columns {
		fresh, err := freshIn(ctx, &columns[i], int(g.settled.entries))
		if err != nil {
			select {
			case sorted <- sortedPart{err: err}:
			case <-ctx.Done():
			}
			return
		}
		parts := (&pairSorter{room: g.room() / uint64(cap(idle))}).parts(&columns[i])
		for part := range parts {
			var s *pairSorter
			select {
			case s = <-idle:
			case <-ctx.Done():
				return
			}
			pairs, err := s.sort(ctx, &columns[i], part, parts, &fresh, skip)
			select {
			case sorted <- sortedPart{i, pairs, s, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}
}

func (g *Groups) eachRunOf(ctx context.Context, part sortedPart, do func(column int, entries []pair) error) error {
	pairs := part.pairs
	for from := 0; from < len(pairs); {
		to := from + 1
		for to < len(pairs) && pairs[to]>>32 == pairs[from]>>32 {
			to++
		}
		if to-from > 1 {
			if err := do(part.column, pairs[from:to]); err != nil {
				return err
			}
		}
		if from&0xffff > to&0xffff && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		from = to
	}
	return nil
}

// room is what the pairs of parts may take, in bytes; 0 if there is no bound.
func (g *Groups) room() uint64 {
	if g.params.MaxMemory == 0 {
		return 0
	}
	return max(g.leastRoom, g.params.MaxMemory/2)
}

// joinCopies joins entries of equal signatures. All but the first of them are copies, about which
// bands need not be asked.
func (g *Groups) joinCopies(ctx context.Context) error {
	g.copies = make([]uint64, (g.signatures.count+63)/64)
	g.joinSettled(true)
	return g.eachRun(ctx, []column{g.hashes}, nil, func(_ int, entries []pair) error {
		return g.eachOf(ctx, entries, func(earlier, entry uint32, a, b []uint64) (done bool, err error) {
			if same, err := g.areSame(earlier, entry, a, b); !same || err != nil {
				return false, err
			}
			g.join(earlier, entry, true)
			g.markCopy(entry)
			return true, nil
		})
	})
}

// joinBands joins the entries that have a key of a band in common and resemble each other.
func (g *Groups) joinBands(ctx context.Context) error {
	return g.eachRun(ctx, g.keys, g.copies, func(band int, entries []pair) error {
		g.joining.Store(int64(band) + 1)
		return g.eachOf(ctx, entries, func(earlier, entry uint32, a, b []uint64) (done bool, err error) {
			if !g.params.sameBand(band, a, b) {
				return false, nil
			}
			alike, err := g.areAlike(entry, earlier, b, a)
			if alike {
				g.join(earlier, entry, false)
			}
			return false, err
		})
	})
}

// areSame reports whether entries of these signatures are copies.
func (g *Groups) areSame(i, j uint32, a, b []uint64) (same bool, err error) {
	same = slices.Equal(a, b)
	if same && g.params.Sets {
		err = g.sets.compare(j, i, func(a, b []uint64) { same = slices.Equal(a, b) })
	}
	return same, err
}

// areAlike reports whether entries of these signatures are similar enough, and have enough bands in
// common. If sets are compared, that of the first entry is kept for the next time.
func (g *Groups) areAlike(i, j uint32, a, b []uint64) (alike bool, err error) {
	agree := sketch.PackedAgreement(a, b) - g.padding
	switch {
	case !g.params.Sets:
		return agree >= g.agreeing && g.haveVotes(a, b), nil
	case !g.haveVotes(a, b):
		return false, nil
	}
	return g.alikeBySets(i, j, agree)
}

// haveVotes reports whether signatures have enough bands in common.
func (g *Groups) haveVotes(a, b []uint64) bool {
	votes := 0
	for i := 0; i < g.params.Bands && votes < g.params.Votes; i++ {
		votes += boolToInt(g.params.sameBand(i, a, b))
	}
	return votes >= g.params.Votes
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// mostCompared is how many earlier entries of a key an entry is compared with: a key that very many
// have, such as that of boilerplate, would take quadratic time.
const mostCompared = 1 << 10

// looksUp is after how many entries of a key it is looked whether the caller wants to stop.
const looksUp = 1 << 8

// eachOf calls compare with the signatures of pairs of entries of a key, each entry with those
// before it, the nearest last, that are not in its group yet. If compare says so the entry is done.
// Entries that are settled are compared with later ones alone.
func (g *Groups) eachOf(ctx context.Context, entries []pair,
	compare func(earlier, entry uint32, a, b []uint64) (done bool, err error)) error {

	areOne := true // all entries so far are in one group, as mostly where very many have a key
	for i, p := range entries {
		if i%looksUp == looksUp-1 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		entry := uint32(p)
		g.read.forget(i)
		if areOne && g.joined.Root(entry) == g.joined.Root(uint32(entries[max(0, i-1)])) {
			continue
		}
		if entry < g.settled.entries {
			areOne = false
			continue
		}
		first, done := max(0, i-g.read.most()), false
		for j := first; j < i && !done; j++ {
			earlier := uint32(entries[j])
			if g.joined.Root(earlier) == g.joined.Root(entry) {
				continue
			}
			a, err := g.read.signature(j, &g.signatures, earlier)
			if err != nil {
				return err
			}
			b, err := g.read.signature(i, &g.signatures, entry)
			if err != nil {
				return err
			}
			if done, err = compare(earlier, entry, a, b); err != nil {
				return err
			}
		}
		if areOne = areOne && g.joined.Root(entry) == g.joined.Root(uint32(entries[max(0, i-1)])); !areOne {
			g.stats.Forgotten += uint64(first)
		}
	}
	return nil
}

// recent are the signatures of the entries at hand: those that an entry may be compared with, and
// its own. Each is read once, and only if it is asked for.
type recent struct {
	signatures [][]uint64
	bufs       [][]uint64 // for those that are in a file
}

// newRecent has room for so many, and one.
func newRecent(most int) recent { return recent{make([][]uint64, most+1), make([][]uint64, most+1)} }

func (r *recent) most() int { return len(r.signatures) - 1 }

// forget makes place for entry i of a key.
func (r *recent) forget(i int) { r.signatures[i%len(r.signatures)] = nil }

// signature is the signature of entry i of a key.
func (r *recent) signature(i int, from *column, entry uint32) ([]uint64, error) {
	i %= len(r.signatures)
	if r.signatures[i] == nil {
		if from.file != nil && r.bufs[i] == nil {
			r.bufs[i] = make([]uint64, from.size/wordBytes)
		}
		item, err := from.at(int(entry), bytesOf(r.bufs[i]))
		if err != nil {
			return nil, err
		}
		r.signatures[i] = unsafe.Slice((*uint64)(unsafe.Pointer(&item[0])), len(item)/wordBytes)
	}
	return r.signatures[i], nil
}
