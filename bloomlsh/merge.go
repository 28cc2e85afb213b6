package bloomlsh

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/index"
)

// Merge writes the union of several indexes to a new directory: it contains everything that any of
// them contains. The indexes must have the same parameters and together hold no more than a
// generation is planned for, since otherwise the promised false-positive rate would be exceeded.
// Their positions are not kept. Repeating a complete merge has no effect as long as the indexes
// have not changed.
func Merge(dirs []string, out string) error { return merge(system, dirs, out) }

func merge(env environment, dirs []string, out string) (err error) {
	if len(dirs) == 0 {
		return errors.New("no index to merge")
	}
	u := &union{}
	defer func() {
		if u.index != nil {
			err = errors.Join(err, u.index.Close())
		}
	}()
	for _, dir := range dirs {
		if err := u.add(env, dir); err != nil {
			return err
		}
	}
	if len(u.index.generations) == 0 { // all of them are empty
		if err := u.index.addGeneration(planGeneration(u.index.params, 0)); err != nil {
			return err
		}
	}
	if err := u.settle(); err != nil {
		return err
	}
	return u.write(env, out)
}

// A union combines indexes, generation by generation.
type union struct {
	index      *Index // nil before the first one
	parameters []Parameter
	inserted   []uint64 // number of records in each generation, over all indexes
	sources    []byte   // identifies these indexes in their present state

	from   string   // the current index
	at     int      // its current generation
	counts []uint64 // records in each of its generations
}

// add adds the index in a directory.
func (u *union) add(env environment, dir string) error {
	// Unlike other readers, do not retry on damage: half of the index may be in the union.
	return index.ReadOnce(env.files, dir, func(from *index.Snapshot) error { return u.addSnapshot(env, dir, from) })
}

func (u *union) addSnapshot(env environment, dir string, from *index.Snapshot) error {
	d, err := openDirectory(from)
	if err != nil {
		return err
	}
	if d.params.forgets() {
		return fmt.Errorf("%s: it forgets (%s), and nothing says which records of two indexes are the older ones: "+
			"name it with --against instead", dir, keepName)
	}
	parameters := from.Parameters()
	if u.index == nil {
		u.index, u.parameters = emptyIndex(d.params, env.memory), parameters
	}
	if err := index.CheckParameters(dir, parameters, u.parameters); err != nil {
		return err
	}
	u.parameters = index.Agreed(u.parameters, parameters)
	u.from, u.at, u.counts = dir, -1, nil
	u.sources = append(u.sources, from.Source()...)
	if d.params.isTagged() {
		return u.addTables(env, d)
	}
	return d.read(u)
}

func (u *union) base(b *baseFile) error {
	if err := u.selectGeneration(b.generation, b.geometry); err != nil {
		return err
	}
	u.counts[u.at] = b.inserted
	g := u.index.generations[u.at]
	g.moveFirst()
	// Extents are whole words that do not overlap, so several can be added at once.
	return b.Scan(func(start int64, extent []byte) {
		for i, word := range wordsOf(extent) {
			g.words[start/8+int64(i)] |= word
		}
	})
}

func (u *union) open(generation int, g geometry) error {
	if u.at >= 0 {
		u.counts[u.at] = u.index.generations[u.at].capacity
	}
	return u.selectGeneration(generation, g)
}

// selectGeneration selects a generation, and creates it in the union if necessary.
func (u *union) selectGeneration(generation int, g geometry) error {
	u.at = generation - 1
	u.counts = append(u.counts, 0)
	if u.at == len(u.index.generations) {
		u.inserted = append(u.inserted, 0)
		return u.index.addGeneration(g)
	}
	if has := u.index.generations[u.at].geometry; has.bandWords != g.bandWords || has.probes != g.probes {
		return fmt.Errorf("%s: generation %d has %d words for each band, that of the indexes before %d: "+
			"they cannot be merged", u.from, generation, g.bandWords, has.bandWords)
	}
	return nil
}

func (u *union) keys(keys []Key) error { return u.index.replay(u.index.generations[u.at], keys) }

func (u *union) commit(c counted) error {
	if u.at >= 0 {
		u.counts[u.at] = c.inserted
	}
	for i, n := range u.counts {
		u.inserted[i] += n
	}
	u.index.observed += c.observed
	u.index.duplicates += c.duplicates
	return nil
}

// settle sets the counts of the union. Records that occur in several indexes are counted for each
// of them, so the counts may exceed the capacity even though the bits do not.
func (u *union) settle() error {
	if u.index.params.doubles() {
		return nil
	}
	for i, n := range u.inserted {
		g := u.index.generations[i]
		g.inserted = min(n, g.capacity)
		if n <= g.capacity {
			continue
		}
		if _, records := g.sample(len(g.words)); records > 1.01*float64(g.capacity) {
			return fmt.Errorf("the indexes hold about %.0f records in generation %d, which is planned for %d: build "+
				"them with a larger capacity", records, i+1, g.capacity)
		}
	}
	return nil
}

func (u *union) write(env environment, out string) error {
	w, err := index.OpenMerge(env.files, out, u.sources)
	if w == nil || err != nil {
		return err
	}
	s := newStore(w)
	s.section.index = u.index
	return errors.Join(s.Create(u.parameters, s.section, Position{}), w.Close())
}
