package substr

import (
	"context"
	"sort"
)

// Texts are compared with a corpus by the keys of its samples. The keys of all windows of the samples' length are sorted, a
// memory's load at a time, and merged with the sorted samples of the corpus: its pages are read in order and those between are
// jumped over. Where keys are equal, the bytes around both places are compared.

const keyedBytes = 16

func (f *Finder) findAgainst(ctx context.Context) error {
	done := f.progress(0, 1, f.spool.size())
	load := int(f.options.Memory / keyedBytes)
	queries := make([]keyed, 0, min(load, f.units+1))
	r, w := &roller{unit: f.options.Unit, count: f.sampled.length}, &windows{}
	var err error
	for i := range f.Texts() {
		f.eachWindow(r, w, i, func(int) {
			if len(queries)+w.n > load && err == nil {
				err = f.merge(ctx, queries)
				queries = queries[:0]
			}
			for k := range w.n {
				queries = append(queries, keyed{w.key[k], w.start[k]})
			}
		})
		start, end := f.spool.bounds(i)
		if done(end - start); err != nil {
			return err
		}
	}
	if err := f.merge(ctx, queries); err != nil {
		return err
	}
	f.sortMatches()
	return nil
}

// merge finds the samples of the corpus that have the key of a query, and compares their surroundings.
func (f *Finder) merge(ctx context.Context, queries []keyed) error {
	sortKeyed(queries)
	c := f.options.Against
	from := 0
	for i, q := range queries {
		if i%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var err error
		if from, err = c.seek(q.key, from); err != nil {
			return err
		}
		for s := from; s < c.header.samples; s++ {
			key, at, err := c.sampleAt(s)
			if err != nil {
				return err
			}
			if key != q.key {
				break
			}
			if err := f.compare(q.at, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// seek returns the first sample from `from` on whose key is not less than key.
func (c *Corpus) seek(key uint64, from int) (int, error) {
	var failed error
	less := func(i int) bool {
		if i >= c.header.samples {
			return false
		}
		k, _, err := c.sampleAt(i)
		if err != nil {
			failed = err
		}
		return err == nil && k < key
	}
	step := 1 // queries ascend, so the answer is near: gallop, then search in between
	for less(from + step - 1) {
		from += step
		step *= 2
	}
	n := sort.Search(step-1, func(i int) bool { return !less(from + i) })
	return from + n, failed
}

// compare compares the windows that hold a sample: units of the text around position p, bytes of the corpus around q. It
// marks those that are windows of the corpus.
func (f *Finder) compare(p, q int) error {
	start, end := f.spool.bounds(f.spool.at(p))
	text := f.spool.text[start:end]
	starts, ends := f.around(text, p-start)
	if len(ends) < f.options.MinLength {
		return nil
	}
	left, right := p-start-starts[0], ends[len(ends)-1]-(p-start)
	_, corpusStart, corpusEnd, err := f.options.Against.bounds(q)
	if err != nil {
		return err
	}
	// What lies a little farther is read, too: it decides if units of the corpus begin and end there.
	margin := f.options.Unit.lookahead()
	from := max(corpusStart, q-left-margin)
	other, err := f.options.Against.read(from, min(corpusEnd, q+right+margin))
	if err != nil {
		return err
	}
	shift := (q - from) - (p - start) // from a position of text to the same one of other
	agreeLeft := p - start - commonEnd(text[starts[0]:p-start], other[:q-from])
	agreeRight := p - start + common(text[p-start:], other[q-from:])
	before := false
	for i := range starts {
		last := i + f.options.MinLength - 1
		if last >= len(ends) || starts[i] > p-start {
			break
		}
		same := agreeLeft <= starts[i] && ends[last] <= agreeRight &&
			f.options.Unit.begins(other, starts[i]+shift) && f.options.Unit.ends(other, ends[last]+shift)
		if same {
			f.repeated.set(start+starts[i], start+starts[i]+1)
			if f.options.Locate && !before {
				f.matches = append(f.matches, match{start + starts[i], from + starts[i] + shift})
			}
		}
		before = same
	}
	return nil
}

// around lists where the units begin and end that windows with the sample at p consist of.
func (f *Finder) around(text []byte, p int) (starts, ends []int) {
	first := p
	for range f.sampled.step - 1 {
		if first == 0 || f.options.Unit == Words && skipBack(text, first, true) == 0 {
			break
		}
		first = f.options.Unit.previous(text, first)
	}
	starts, ends = f.starts[:0], f.ends[:0]
	for beyond := 0; beyond < f.options.MinLength; {
		s, e, ok := f.options.Unit.next(text, first)
		if !ok {
			break
		}
		if s >= p {
			beyond++
		}
		starts, ends = append(starts, s), append(ends, e)
		first = e
	}
	f.starts, f.ends = starts, ends
	return starts, ends
}
