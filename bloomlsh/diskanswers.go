package bloomlsh

import (
	"math/bits"
	"slices"
)

// diskAnswers looks up records in generations that are only on disk. It keeps answers about
// foreseen records until those are observed.
type diskAnswers struct {
	*history
	foreseen []Key // keys of all foreseen records
	next     int   // index of the next one to be observed
	sets     map[*generation]knownSets
	tags     map[*generation]knownTags // for a tagged index
}

// knownSets are the bands of foreseen records that a generation contains, starting with one of
// them.
type knownSets struct {
	from int
	sets []uint64
}

// foresee notes which records will be observed next.
func (d *diskAnswers) foresee(keys []Key) error {
	d.forgetAll()
	d.foreseen, d.sets, d.tags = keys, map[*generation]knownSets{}, map[*generation]knownTags{}
	if len(keys) == 0 {
		return nil
	}
	if d.params.isTagged() {
		_, err := d.findTags(keys[:d.params.Bands])
		return err
	}
	for _, g := range d.generations {
		if g.stored != nil {
			if _, err := d.setsIn(g, keys[:d.params.Bands]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *diskAnswers) forgetAll() { *d = diskAnswers{history: d.history} }

// pass advances past records that were observed.
func (d *diskAnswers) pass(records int) { d.next += records }

// rest returns the keys of the foreseen records that have not been observed, if they start with
// keys. Otherwise other records were foreseen, and rest drops everything about them.
func (d *diskAnswers) rest(keys []Key) (rest []Key, ok bool) {
	rest = d.foreseen[min(d.next*d.params.Bands, len(d.foreseen)):]
	if len(rest) < len(keys) || !slices.Equal(rest[:len(keys)], keys) {
		d.forgetAll()
		return nil, false
	}
	return rest, true
}

// setsIn returns the bands of records that a generation contains.
func (d *diskAnswers) setsIn(g *generation, keys []Key) (sets []uint64, err error) {
	bands, words := d.params.Bands, setWords(d.params.Bands)
	n := len(keys) / bands
	rest, ok := d.rest(keys)
	if !ok {
		sets = make([]uint64, n*words)
		return sets, g.stored.queryAll(keys, sets)
	}
	known, ok := d.sets[g]
	if !ok {
		known = knownSets{d.next, make([]uint64, len(rest)/bands*words)}
		if err := g.stored.queryAll(rest, known.sets); err != nil {
			return nil, err
		}
		d.sets[g] = known
	}
	return known.sets[(d.next-known.from)*words:][:n*words], nil
}

// addSets adds the bands found in generations on disk to the set of each record, and calls copied
// for each record that has all its bands in one generation.
func (d *diskAnswers) addSets(keys []Key, sets []uint64, copied func(i int)) error {
	if len(keys) == 0 {
		return nil
	}
	words := setWords(d.params.Bands)
	for _, g := range d.generations {
		if g.stored == nil {
			continue
		}
		has, err := d.setsIn(g, keys)
		if err != nil {
			return err
		}
		for i := range len(keys) / d.params.Bands {
			count := 0
			for w, word := range has[i*words : (i+1)*words] {
				sets[i*words+w] |= word
				count += bits.OnesCount64(word)
			}
			if count == d.params.Bands {
				copied(i)
			}
		}
	}
	return nil
}

// knownTags are the tags of foreseen records in a generation, starting with one of them.
type knownTags struct {
	from int
	tags []tagFind
}

// findTags looks up the keys of records in all generations on disk.
func (d *diskAnswers) findTags(keys []Key) (found []tagFind, err error) {
	if len(keys) == 0 {
		return nil, nil
	}
	asked := 0
	for _, g := range d.generations {
		if g.stored == nil {
			continue
		}
		own, err := d.findTagsIn(g, keys)
		if err != nil {
			return nil, err
		}
		found = append(found, own...)
		asked++
	}
	if asked > 1 {
		slices.SortStableFunc(found, compareFinds)
	}
	return found, nil
}

// findTagsIn is findTags for one generation.
func (d *diskAnswers) findTagsIn(g *generation, keys []Key) (found []tagFind, err error) {
	rest, ok := d.rest(keys)
	if !ok {
		return g.stored.findTags(keys)
	}
	known, ok := d.tags[g]
	if !ok {
		own, err := g.stored.findTags(rest)
		if err != nil {
			return nil, err
		}
		known = knownTags{d.next, own}
		d.tags[g] = known
	}
	from := uint32(d.next - known.from)
	start, _ := slices.BinarySearchFunc(known.tags, tagFind{record: from}, compareFinds)
	for _, find := range known.tags[start:] {
		if find.record >= from+uint32(len(keys)/d.params.Bands) {
			break
		}
		find.record -= from
		found = append(found, find)
	}
	return found, nil
}
