package bloomlsh

import (
	"fmt"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// Generations that do not fit into memory (Params.Memory) stay in their base files, whose pages are
// read on demand. A key is in a single page, so looking up one record costs a read for each of its
// bands. When many records are looked up at once, keys are sorted by page, and pages close to each
// other are read together; with enough records, that is one pass over the file.

// A storedFilter is the filters of a generation in its base file, whose checksums were verified
// when it was opened. Nothing can be inserted. Since the methods of filter return no errors, it
// stores its first error, which Index checks before it trusts an answer.
type storedFilter struct {
	geometry
	base *baseFile
	err  error
}

// Limits on reading pages together: the largest gap between needed pages, and the largest read.
const (
	pageBytes   = pageWords * 8
	maxGapPages = 8
	maxRunPages = 256
)

// readsAtOnce returns how many bands to look up at once: enough to keep a disk busy, using a few
// bytes for each record of each band.
func readsAtOnce(records int) int {
	if records <= 4096 {
		return 16
	}
	return 8
}

// queryAll adds the bands whose key is present to the sets of records. keys holds the keys of all
// records.
func (f *storedFilter) queryAll(keys []Key, sets []uint64) error {
	if f.err != nil {
		return f.err
	}
	var bands errgroup.Group
	bands.SetLimit(readsAtOnce(len(keys) / f.bands))
	for band := range f.bands {
		bands.Go(func() error { return f.queryBand(band, keys, sets) })
	}
	f.err = bands.Wait()
	return f.err
}

// queryBand is queryAll for one band.
func (f *storedFilter) queryBand(band int, keys []Key, sets []uint64) error {
	words := setWords(f.bands)
	return f.eachRun(band, keys, func(i int, lines []pagedLine, run []uint64, first uint64) {
		if hasLines(run, lines, first) {
			atomic.OrUint64(&sets[i*words+band/64], 1<<(band%64)) // other bands are looked up concurrently
		}
	})
}

// eachRun reads the pages that contain the keys of a band. It calls found with the lines of each
// record, the words that contain them, and the index of the first word.
func (f *storedFilter) eachRun(
	band int, keys []Key, found func(i int, lines []pagedLine, run []uint64, first uint64),
) error {
	at := newPaged(f.oneLine(), nil) // only locates lines
	parts := at.partitions
	lines := make([]pagedLine, len(keys)/f.bands*parts)
	order := make([]uint64, len(keys)/f.bands) // a page and the number of a record
	for i := range order {
		own := lines[i*parts : (i+1)*parts]
		at.locateFew(own, []keySpread{spread(keys[i*f.bands+band], at.mask)}, 0, 0)
		order[i] = own[0].word/pageWords<<32 | uint64(i)
	}
	order = byPages(order, at.pages)
	memory, err := allocate(pageWords * min(maxRunPages, uint64(len(order))*(maxGapPages+1)))
	if err != nil {
		return err
	}
	defer offheap.Release(memory)
	for len(order) > 0 {
		n, first, pages := nextRun(order)
		run := memory[:pages*pageWords]
		if err := f.readAt(run, (uint64(band)*at.pages+first)*pageBytes); err != nil {
			return err
		}
		for _, o := range order[:n] {
			i := int(uint32(o))
			found(i, lines[i*parts:(i+1)*parts], run, first*pageWords)
		}
		order = order[n:]
	}
	return nil
}

// readAt reads words from an offset in the filters.
func (f *storedFilter) readAt(words []uint64, offset uint64) error {
	if _, err := f.base.ReadAt(bytesOf(words), int64(offset)); err != nil {
		return fmt.Errorf("%s:%d: %w", f.base.Path(), index.SealedHeader+offset, err)
	}
	return nil
}

// byPages sorts entries, each a page and a number, by page. If there are many, it uses a counting
// sort, which takes a tenth of the time of comparisons.
func byPages(order []uint64, pages uint64) []uint64 {
	if uint64(len(order)) < pages/8 {
		slices.Sort(order)
		return order
	}
	next := make([]uint32, pages+1) // where to put the next entry of a page
	for _, o := range order {
		next[o>>32+1]++
	}
	for page := range pages {
		next[page+1] += next[page]
	}
	sorted := make([]uint64, len(order))
	for _, o := range order {
		page := o >> 32
		sorted[next[page]] = o
		next[page]++
	}
	return sorted
}

// nextRun returns how many of the first entries to read together, and the pages to read for them.
func nextRun(order []uint64) (n int, first, pages uint64) {
	first = order[0] >> 32
	last := first
	for n = 1; n < len(order); n++ {
		page := order[n] >> 32
		if page-last > maxGapPages+1 || page-first >= maxRunPages {
			break
		}
		last = page
	}
	return n, first, last - first + 1
}

// hasLines reports whether lines have all their bits. first is the index of the first of words.
func hasLines(words []uint64, lines []pagedLine, first uint64) bool {
	for _, l := range lines {
		if testLine((*[lineWords]uint64)(words[l.word-first:]), l.bits) != 0 {
			return false
		}
	}
	return true
}

func (f *storedFilter) contains(keys []Key, from int, to bandSet) (present int) {
	set := make(bandSet, setWords(f.bands))
	_ = f.queryAll(keys, set) // the error is stored
	for band := range f.bands {
		if set.has(band) && to != nil {
			to.put(band)
		}
	}
	return set.count()
}

func (f *storedFilter) containsEach(keys []Key, votes []uint16) {
	sets := make([]uint64, len(keys))
	_ = f.queryAll(keys, sets)
	for i, set := range sets {
		votes[i] |= uint16(set)
	}
}

func (f *storedFilter) add([]Key) int           { panic("internal error: a stored generation takes no keys") }
func (f *storedFilter) insert([]outcome, batch) { f.add(nil) }
func (f *storedFilter) lookup([]outcome, batch) { f.add(nil) } // addSets calls it

// sample samples some pages.
func (f *storedFilter) sample(limit int) (fill, records float64) {
	const pages = 64
	memory, err := allocate(pages * pageWords)
	if err != nil {
		return 0, 0
	}
	defer offheap.Release(memory)
	total := f.words() / pageWords
	n := min(pages, total)
	for i := range n {
		if err := f.readAt(memory[i*pageWords:(i+1)*pageWords], total/n*i*pageBytes); err != nil {
			f.err = err
			return 0, 0
		}
	}
	if f.isTagged() {
		taken := 0.0
		fill, _ = newTagTable(f.geometry, memory[:n*pageWords]).sample(limit, f.bands)
		taken = fill * float64(f.words()*8) / float64(f.layout().bytes)
		return fill, taken / float64(f.bands)
	}
	looked := newPaged(f.geometry, memory[:n*pageWords])
	return looked.sample(limit)
}
