package signatures

import (
	"context"
	"slices"
	"unsafe"

	"github.com/mithril-stream/mithril-stream/sketch"
)

// A sortedPart holds the sorted pairs of some of the keys of a column.
type sortedPart struct {
	column int // index of the column among those to sort
	pairs  []pair
	by     *pairSorter
	err    error
}

// sortedColumns holds columns of keys to sort together with those of earlier entries.
type sortedColumns struct {
	columns  []column
	earlier  []column // nil without earlier entries
	first    uint32   // the first entry in columns
	skip     []uint64 // a bit for each entry to leave out
	maxBytes uint64   // maximum bytes for pairs; 0 means no limit
}

// eachRun sorts columns, and calls do with the column and the entries of each key that several
// entries have. It sorts the next part in the background.
func (s *pairSorters) eachRun(ctx context.Context, sorting sortedColumns,
	do func(column int, entries []pair) error) error {

	ctx, stop := context.WithCancel(ctx)
	sorted, idle := make(chan sortedPart), make(chan *pairSorter, len(s))
	for i := range s {
		s[i].maxBytes = sorting.maxBytes / uint64(len(s))
		idle <- &s[i]
	}
	go func() {
		defer close(sorted)
		s.sortAll(ctx, sorting, idle, sorted)
	}()
	defer func() { // no goroutine may read the columns after the return
		stop()
		for range sorted {
		}
	}()
	for part := range sorted {
		if part.err != nil {
			return part.err
		}
		if err := part.eachRun(ctx, do); err != nil {
			return err
		}
		idle <- part.by
	}
	return context.Cause(ctx)
}

// sortAll sorts columns, one after the other, with the sorters from idle.
func (s *pairSorters) sortAll(ctx context.Context, sorting sortedColumns, idle chan *pairSorter,
	sorted chan<- sortedPart) {

	for i := range sorting.columns {
		keys := keysOf{own: &sorting.columns[i], first: sorting.first}
		if sorting.earlier != nil {
			keys.earlier = &sorting.earlier[i]
		}
		parts := partsOf(keys.count(), s[0].maxBytes)
		for part := range parts {
			var by *pairSorter
			select {
			case by = <-idle:
			case <-ctx.Done():
				return
			}
			pairs, err := by.sort(ctx, keys, part, parts, sorting.skip)
			select {
			case sorted <- sortedPart{i, pairs, by, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}
}

// eachRun calls do with the entries of each key that several entries have.
func (part *sortedPart) eachRun(ctx context.Context, do func(column int, entries []pair) error) error {
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

// toSort returns columns to sort, with those of earlier entries.
func (g *groupEntries) toSort(columns, earlier []column, skip []uint64) sortedColumns {
	c := sortedColumns{columns: columns, earlier: earlier, first: g.earlier.entries, skip: skip}
	if g.params.MaxMemory > 0 {
		c.maxBytes = max(g.leastRoom, g.params.MaxMemory/2)
	}
	return c
}

// joinCopies joins entries with equal signatures. All but the first are copies, which need no
// lookup by bands.
func (g *Groups) joinCopies(ctx context.Context) error {
	g.copies = make([]uint64, (g.joined.Entries()+63)/64)
	g.joinSettled(true)
	sorting := g.toSort([]column{g.hashes}, g.earlier.hashes(), nil)
	return g.sorters.eachRun(ctx, sorting, func(_ int, entries []pair) error {
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

// joinBands joins the entries that share a band key and resemble each other.
func (g *Groups) joinBands(ctx context.Context) error {
	sorting := g.toSort(g.keys, g.earlier.keys(), g.copies)
	return g.sorters.eachRun(ctx, sorting, func(band int, entries []pair) error {
		g.joining.Store(int64(band) + 1)
		return g.eachOf(ctx, entries, func(earlier, entry uint32, a, b []uint64) (done bool, err error) {
			if !sameBand(g.masks[band], a, b) {
				return false, nil
			}
			alike, err := g.areSimilar(entry, earlier, b, a)
			if alike {
				g.join(earlier, entry, false)
			}
			return false, err
		})
	})
}

// areSame reports whether two entries with these signatures are copies.
func (g *groupEntries) areSame(i, j uint32, a, b []uint64) (same bool, err error) {
	if same = slices.Equal(a, b); !same || !g.params.Sets {
		return same, nil
	}
	ofI, err := g.hashesOf(i)
	if err != nil {
		return false, err
	}
	ofJ, err := g.hashesOf(j)
	if err != nil || ofI != ofJ {
		return false, err
	}
	similarity, err := g.exactly(j, i, g.params.NumPerm)
	return similarity == 1, err
}

// areSimilar reports whether two entries with these signatures are similar enough and share enough
// bands. If it compares sets, it caches that of the first entry.
func (g *groupEntries) areSimilar(i, j uint32, a, b []uint64) (alike bool, err error) {
	agree := sketch.PackedAgreement(a, b, g.slotBits) - g.padding
	switch {
	case !g.params.Sets:
		return agree >= g.agreeing && g.haveVotes(a, b), nil
	case !g.haveVotes(a, b):
		return false, nil
	}
	return g.similarBySets(i, j, agree)
}

// mostCompared bounds the earlier entries of a key that an entry is compared with. Otherwise a very
// common key, such as that of boilerplate, would take quadratic time.
const mostCompared = 1 << 10

// looksUp is the number of entries of a key after which ctx is checked.
const looksUp = 1 << 8

// eachOf calls compare with pairs of entries of a key that are not in one group yet: each entry
// with those before it, the nearest last. If compare returns true the entry is done. Settled
// entries are only compared with later ones.
func (g *Groups) eachOf(ctx context.Context, entries []pair,
	compare func(earlier, entry uint32, a, b []uint64) (done bool, err error)) error {

	areOne := true // all entries so far are in one group, which is usual for a very common key
	for i, p := range entries {
		if i%looksUp == looksUp-1 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		entry := uint32(p)
		g.read.forget(i)
		if areOne && g.joined.Root(entry) == g.joined.Root(uint32(entries[max(0, i-1)])) {
			continue
		}
		if entry < g.earlier.entries {
			areOne = false
			continue
		}
		first, done := max(0, i-g.read.most()), false
		for j := first; j < i && !done; j++ {
			earlier := uint32(entries[j])
			if g.joined.Root(earlier) == g.joined.Root(entry) {
				continue
			}
			a, err := g.signature(j, earlier)
			if err != nil {
				return err
			}
			b, err := g.signature(i, entry)
			if err != nil {
				return err
			}
			if done, err = compare(earlier, entry, a, b); err != nil {
				return err
			}
		}
		if areOne = areOne && g.joined.Root(entry) == g.joined.Root(uint32(entries[max(0, i-1)])); !areOne {
			g.noteCut(entry, first)
		}
	}
	return nil
}

// recent caches the signatures of the entries being compared: those that an entry may be compared
// with, and its own. Each is read at most once.
type recent struct {
	signatures [][]uint64
	bufs       [][]uint64 // for signatures read from a file
}

// newRecent returns a cache for one entry and most earlier ones.
func newRecent(most int) recent { return recent{make([][]uint64, most+1), make([][]uint64, most+1)} }

func (r *recent) most() int { return len(r.signatures) - 1 }

// forget frees the slot for entry i of a key.
func (r *recent) forget(i int) { r.signatures[i%len(r.signatures)] = nil }

// signature returns the signature of entry i of a key.
func (g *groupEntries) signature(i int, entry uint32) ([]uint64, error) {
	r := &g.read
	i %= len(r.signatures)
	if r.signatures[i] != nil {
		return r.signatures[i], nil
	}
	isEarlier := entry < g.earlier.entries
	if r.bufs[i] == nil && (isEarlier || g.signatures.file != nil) {
		r.bufs[i] = make([]uint64, g.signatures.size/wordBytes)
	}
	if isEarlier {
		packed, err := g.earlierAt(entry)
		if err != nil {
			return nil, err
		}
		copy(r.bufs[i], packed[g.params.packedKeys():])
		r.signatures[i] = r.bufs[i]
		return r.signatures[i], nil
	}
	item, err := g.signatures.at(int(entry-g.earlier.entries), bytesOf(r.bufs[i]))
	if err != nil {
		return nil, err
	}
	r.signatures[i] = unsafe.Slice((*uint64)(unsafe.Pointer(&item[0])), len(item)/wordBytes)
	return r.signatures[i], nil
}
