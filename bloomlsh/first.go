package bloomlsh

import (
	"math"
	"sync"
	"unsafe"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// firstRecords holds the first records of a generation in small filters of their own and in a list
// of keys. Even a few records would set bits all over the large filters, and the system would have
// to clear their pages first: 44 MB by default, for which a short stream would wait longer than for
// all its verdicts. When the small filters are full, the large ones are filled from the list.
//
// The small filters err more rarely than the large ones do at any time that matters: at firstRate,
// for a stream that ends in them. So verdicts do not reveal when the records moved.
type firstRecords struct {
	geometry        // of the large filters
	small    *paged // comes first in memory, before keys
	keys     []Key  // keys of the records, in order
	records  int    // capacity
	memory   []uint64
}

const (
	firstShare      = 32      // the small filters hold one record in this many
	maxFirstRecords = 1 << 15 // but at most this many,
	maxFirstKeys    = 1 << 20 // and this many keys, since their memory has to be cleared, too

	firstRate     = 1e-13 // rate at which the small filters call an unseen record a duplicate,
	firstBandRate = 3e-4  // and the maximum rate of one of them, for records that lack one vote
)

// firstGeometry returns the geometry of the small filters. Its capacity is 0 if the generation has
// none.
func (g geometry) firstGeometry(votes int) geometry {
	small := geometry{filter: FilterPaged, bands: g.bands, seed: g.seed}
	small.capacity = min(g.capacity/firstShare, maxFirstRecords, uint64(maxFirstKeys/g.bands))
	rate := min(lsh.Banding{Bands: g.bands, Votes: max(1, votes)}.KeyRate(firstRate), firstBandRate)
	small.probes = partitionsFor(rate, votes)
	small.bandWords = uint64(math.Ceil(float64(small.capacity)/pagedLoad(rate, small.probes))) * pageWords
	return small
}

// firstWords returns the memory of the first records, in words.
func (g geometry) firstWords(votes int) uint64 {
	small := g.firstGeometry(votes)
	return small.words() + 2*small.capacity*uint64(g.bands)
}

// newFirstRecords returns nil if a generation is too small to start with small filters.
func newFirstRecords(g geometry, votes int) (*firstRecords, error) {
	small := g.firstGeometry(votes)
	if small.capacity == 0 {
		return nil, nil
	}
	memory, err := allocate(g.firstWords(votes))
	if err != nil {
		return nil, err
	}
	keys := memory[small.words():]
	return &firstRecords{
		geometry: g, memory: memory, records: int(small.capacity),
		small: newPaged(small, memory[:small.words()]),
		keys:  unsafe.Slice((*Key)(unsafe.Pointer(&keys[0])), len(keys)/2)[:0],
	}, nil
}

func (f *firstRecords) close() error { return offheap.Release(f.memory) }

// hasRoom reports whether there is space for that many more records.
func (f *firstRecords) hasRoom(records int) bool { return f.held()+records <= f.records }

// held returns the number of records in the list.
func (f *firstRecords) held() int { return len(f.keys) / f.bands }

func (f *firstRecords) contains(keys []Key, from int, to bandSet) (present int) {
	return f.small.contains(keys, from, to)
}

func (f *firstRecords) add(keys []Key) (present int) {
	present = f.small.add(keys)
	if present < len(keys) {
		f.keys = append(f.keys, keys...)
	}
	return present
}

func (f *firstRecords) insert(outcomes []outcome, b batch) {
	f.small.insert(outcomes, b)
	for i := range outcomes {
		if outcomes[i].changed {
			f.keys = append(f.keys, b.record(i)...)
		}
	}
}

// moveTo inserts all records into filters over words. Since everything waits for it, it uses
// several cores, each for some of the bands.
func (f *firstRecords) moveTo(words []uint64, cores int) {
	workers := min(max(1, cores), f.bands)
	var busy sync.WaitGroup
	for w := range workers {
		b := batch{keys: f.keys, bands: f.bands, from: f.bands * w / workers, to: f.bands * (w + 1) / workers}
		busy.Go(func() {
			newPart(f.geometry, words, b.from, b.to).insert(make([]outcome, f.held()), b)
		})
	}
	busy.Wait()
}

// sample returns what is expected for the large filters.
func (f *firstRecords) sample(int) (fill, records float64) {
	records = float64(f.held())
	return f.expectedFill(records), records
}

func (f *firstRecords) lookup(outcomes []outcome, b batch) { f.small.lookup(outcomes, b) }
