package bloomlsh

import (
	"cmp"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

// A tagFind is a tag that a stored generation has for a band of a record. Tag 0 means that the page
// of the key is full. The last tag of a generation has the number of repeated entries of the key.
type tagFind struct {
	record uint32
	band   uint16
	tag    uint16
	again  uint16
}

func compareFinds(a, b tagFind) int {
	if order := cmp.Compare(a.record, b.record); order != 0 {
		return order
	}
	return cmp.Compare(a.band, b.band)
}

// findTags looks up the keys of records in a generation on disk. The result is sorted by record and
// then by band.
func (f *storedFilter) findTags(keys []Key) (found []tagFind, err error) {
	if f.err != nil {
		return nil, f.err
	}
	var bands errgroup.Group
	var together sync.Mutex
	bands.SetLimit(readsAtOnce(len(keys) / f.bands))
	for band := range f.bands {
		bands.Go(func() error {
			votes := newTally(f.layout(), f.bands)
			var own []tagFind
			err := f.eachRun(band, keys, func(i int, lines []pagedLine, run []uint64, first uint64) {
				own = f.tagsOf(own, votes, i, band, lines[0], run, first)
			})
			together.Lock()
			defer together.Unlock()
			found = append(found, own...)
			return err
		})
	}
	f.err = bands.Wait()
	slices.SortFunc(found, compareFinds)
	return found, f.err
}

// tagsOf appends the tags in words for the key of a line. first is the index of the first word.
func (f *storedFilter) tagsOf(
	found []tagFind, votes *tally, record, band int, line pagedLine, words []uint64, first uint64,
) []tagFind {
	t := tagTable{tagLayout: *f.layout(), words: words}
	votes.reset()
	line.word -= first
	votes.addLine(&t, line)
	for _, tag := range votes.named {
		found = append(found, tagFind{record: uint32(record), band: uint16(band), tag: tag})
	}
	if len(votes.named) > 0 {
		found[len(found)-1].again = uint16(votes.again)
	}
	if len(votes.named) == 0 && votes.present.count() > 0 {
		found = append(found, tagFind{record: uint32(record), band: uint16(band)})
	}
	return found
}

// findTag counts the tags of a single key.
func (f *storedFilter) findTag(band int, key Key, votes *tally) {
	at := newTagTable(f.geometry, nil)
	line := at.lineOf(band, key)
	page := line.word / pageWords
	words := make([]uint64, pageWords)
	if err := f.readAt(words, page*pageBytes); err != nil {
		f.err = err
		return
	}
	at.words = words
	line.word -= page * pageWords
	votes.addLine(at, line)
}
