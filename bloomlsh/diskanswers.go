package bloomlsh

import (
	"math/bits"
	"slices"
)

// diskAnswers asks generations that are only on disk. What they say about records that are foreseen
// is kept until these are observed.
type diskAnswers struct {
	*history
	foreseen []Key // of all records that are foreseen
	next     int   // the one of them that is observed next
	sets     map[*generation]knownSets
	tags     map[*generation]knownTags // of a tagged index
}

// knownSets are the bands that a generation has of foreseen records, from one on.
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

// pass moves on in what is foreseen, after records were observed.
func (d *diskAnswers) pass(records int) { d.next += records }

// rest returns the keys of the foreseen records that are not observed yet, if they begin with the
// given ones. If they do not, other records were foreseen, and everything about them is forgotten.
func (d *diskAnswers) rest(keys []Key) (rest []Key, ok bool) {
	rest = d.foreseen[min(d.next*d.params.Bands, len(d.foreseen)):]
	if len(rest) < len(keys) || !slices.Equal(rest[:len(keys)], keys) {
		d.forgetAll()
		return nil, false
	}
	return rest, true
}

// setsIn returns the sets of bands that a generation has of records.
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

// addSets adds to the set of each record the bands that generations on disk have, and calls copied
// for each record with all bands in one generation.
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

// knownTags are the tags that a generation has for foreseen records, from one on.
type knownTags struct {
	from int
	tags []tagFind
}

// findTags looks for the keys of records in all generations on disk.
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
