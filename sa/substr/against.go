package substr

import (
	"bytes"
	"context"

	"github.com/mithril-stream/mithril-stream/sa"
)

// Texts are compared with a corpus by the keys of its samples. The keys of all windows of the
// samples' length are sorted, a memory's load at a time, and merged with the sorted samples of the
// corpus: its pages are read in order and those between are jumped over. Where keys are equal, the
// bytes around both places are compared. Where a key is too common in the corpus, the windows
// around are marked, and in a second round looked up in the corpus's table of windows.

func (f *Finder) findAgainst(ctx context.Context) error {
	crowded, err := newBitmap(f.options.TempDir, f.spool.size())
	if err != nil {
		return err
	}
	defer crowded.close()
	r, w := &roller{unit: f.options.Unit, count: f.sampled.length}, &windows{}
	all := func(i int, add func(keyed)) {
		f.eachWindow(r, w, i, func(int) {
			for k := range w.n {
				add(keyed{w.key[k], w.start[k]})
			}
		})
	}
	err = f.join(ctx, 0, f.options.Against.samples(), all, func(p, q int) error {
		if q == crowd {
			f.markAround(crowded, p)
			return nil
		}
		return f.compare(p, q)
	})
	if err != nil {
		return err
	}
	marked := func(i int, add func(keyed)) {
		f.eachMarked(i, crowded, func(k keyed) {
			if f.options.Locate || !f.repeated.has(k.at) { // a window that is found may still occur earlier
				add(k)
			}
		})
	}
	if err = f.join(ctx, 0.5, f.options.Against.windows(), marked, f.compareWindow); err != nil {
		return err
	}
	f.sortMatches()
	return nil
}

// join calls visit with the positions in the texts and in the corpus of windows that have equal
// keys: those that list adds, text by text, and the entries of a table. Its progress begins at
// `from` and is half of the whole.
func (f *Finder) join(ctx context.Context, from float64, t table, list func(text int, add func(keyed)),
	visit func(p, q int) error) error {
	done := f.progress(from, from+0.5, f.spool.size())
	load := int(f.options.Memory / entrySize)
	var queries []keyed
	var err error
	for i := range f.Texts() {
		list(i, func(k keyed) {
			if len(queries) == load && err == nil {
				err = f.merge(ctx, t, queries, visit)
				queries = queries[:0]
			}
			queries = append(queries, k)
		})
		start, end := f.spool.bounds(i)
		if done(end - start); err != nil {
			return err
		}
	}
	return f.merge(ctx, t, queries, visit)
}

// merge is join for one load of queries.
func (f *Finder) merge(ctx context.Context, t table, queries []keyed, visit func(p, q int) error) error {
	sortKeyed(queries)
	c := f.options.Against
	from := 0
	for i, query := range queries {
		if i%(1<<16) == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var err error
		if from, err = c.seek(t, query.key, from); err != nil {
			return err
		}
		for e := from; e < t.entries; e++ {
			key, q, err := c.entry(t, e)
			if err != nil {
				return err
			}
			if key != query.key {
				break
			}
			if err := visit(query.at, q); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareWindow compares the window at position p of the spool with that at q in the corpus, and
// marks it if they are equal.
func (f *Finder) compareWindow(p, q int) error {
	if q == crowd {
		return f.options.Against.damaged("a window has no position")
	}
	start, end := f.spool.bounds(f.spool.at(p))
	text := f.spool.text[start:end]
	window := text[p-start : f.options.windowEnd(text, p-start)]
	_, _, corpusEnd, err := f.options.Against.bounds(q)
	if err != nil {
		return err
	}
	other, err := f.options.Against.read(q, min(corpusEnd, q+len(window)+f.options.Unit.lookahead()))
	if err != nil || !bytes.HasPrefix(other, window) || !f.options.Unit.ends(other, len(window)) {
		return err
	}
	if f.options.Locate && (p == start || !f.repeated.has(p-1)) {
		f.matches = append(f.matches, match{p, q})
	}
	f.repeated.set(p, p+1)
	return nil
}

// compare compares the windows that hold a sample: units of the text around position p, bytes of
// the corpus around q. It marks those that are windows of the corpus.
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
	// What lies a little farther is read, too: it decides if units of the corpus begin and end
	// there.
	margin := f.options.Unit.lookahead()
	from := max(corpusStart, q-left-margin)
	other, err := f.options.Against.read(from, min(corpusEnd, q+right+margin))
	if err != nil {
		return err
	}
	shift := (q - from) - (p - start) // from a position of text to the same one of other
	agreeLeft := p - start - commonEnd(text[starts[0]:p-start], other[:q-from])
	agreeRight := p - start + sa.CommonPrefix(text[p-start:], other[q-from:])
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

// commonEnd is the length of the longest common suffix.
func commonEnd(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
