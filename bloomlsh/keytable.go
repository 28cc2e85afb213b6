package bloomlsh

import (
	"math/bits"
	"runtime"
	"sync"
	"unsafe"
)

// keyTable holds the first records of a generation in place of its filters: their keys, and for each band a hash table of them. A few records
// would set bits all over the filters, whose pages the system clears before: 89 MB by default, for which a short stream waits longer than for
// all its answers. The table takes a fraction of that. When it is full, the filters are filled from it.
//
// It answers for the keys themselves, so it never errs, and nobody can tell when it was left: filters that are filled to one part in tableShare
// are expected to err less than once in 10¹⁵ such streams (at a rate of 1e-3; far less often at others).
type keyTable struct {
	geometry
	records int      // that it has room for
	keys    []Key    // of the records in it, one after the other
	buckets []bucket // 1<<bucketBits for each band; at most half of their entries are in use
	sink    bucket   // keeps the loads of fetch alive
	memory  []uint64

	bucketBits int
}

// A bucket has two entries, the first in its lower half. An entry has the number of a record, from 1, in its own lower half, and above it some
// bits of the hash of the record's key; 0 is none. One load nearly always says that a key is new, and which entry is free.
type bucket uint64

const (
	entryBits  = 32
	numberBits = 16

	maxTableRecords = 1 << 15 // whose numbers fit
	tableShare      = 32      // a generation for so many records has a table for one: it is small beside the filters
	maxBuckets      = 1 << 21 // in all: the first record touches them everywhere, and waits until the system has cleared their memory
)

// tablePlan returns how many records a generation has a table for, 0 if it has none, and the binary logarithm of each band's buckets.
func (g geometry) tablePlan() (records, bucketBits int) {
	most := uint64(1) << bits.Len(uint(maxBuckets/g.bands)) >> 1
	records = int(min(g.capacity/tableShare, maxTableRecords, most))
	return records, bits.Len(uint(max(1, records) - 1))
}

// tableWords is the memory of the table.
func (g geometry) tableWords() uint64 {
	records, bucketBits := g.tablePlan()
	if records == 0 {
		return 0
	}
	return uint64(g.bands<<bucketBits + 2*g.bands*records)
}

// newKeyTable makes the table of a generation that has one.
func newKeyTable(g geometry) (*keyTable, error) {
	memory, err := allocate(g.tableWords())
	if err != nil {
		return nil, err
	}
	enlarge(memory)
	t := &keyTable{geometry: g, memory: memory}
	t.records, t.bucketBits = g.tablePlan()
	buckets := g.bands << t.bucketBits
	t.buckets = unsafe.Slice((*bucket)(unsafe.Pointer(&memory[0])), buckets)
	t.keys = unsafe.Slice((*Key)(unsafe.Pointer(&memory[buckets])), g.bands*t.records)[:0]
	return t, nil
}

func (t *keyTable) close() error { return release(t.memory) }

// hasRoom reports whether so many records can be inserted.
func (t *keyTable) hasRoom(records int) bool { return t.held()+records <= t.records }

// held is how many records are in the table.
func (t *keyTable) held() int { return len(t.keys) / t.bands }

// begin returns the bucket of a band at which the search for a key begins, and what there is of the key's entry without its number.
func (t *keyTable) begin(band int, key Key) (at int, tag uint32) {
	hash := (key.Lo + key.Hi*mulA) * mulGolden // keys may differ in one half only, or in few bits
	return band<<t.bucketBits | int(hash>>1>>(63-t.bucketBits)), uint32(hash>>numberBits) >> numberBits << numberBits
}

// find returns the bucket that has the key, or the one where it belongs.
func (t *keyTable) find(band int, key Key) (b *bucket, tag uint32, found bool) {
	at, tag := t.begin(band, key)
	for {
		b = &t.buckets[at]
		first, second := uint32(*b), uint32(*b>>entryBits)
		if first^tag < 1<<numberBits && t.isKey(first, band, key) || second^tag < 1<<numberBits && t.isKey(second, band, key) {
			return b, tag, true
		}
		if second == 0 {
			return b, tag, false
		}
		if at++; at&(1<<t.bucketBits-1) == 0 {
			at = band << t.bucketBits
		}
	}
}

// isKey reports whether an entry, whose hash is that of the key, is of that key.
func (t *keyTable) isKey(entry uint32, band int, key Key) bool {
	number := int(entry & (1<<numberBits - 1))
	return number > 0 && t.keys[(number-1)*t.bands+band] == key
}

// put makes an entry in a bucket that has room for it.
func (b *bucket) put(entry uint32) {
	shift := 0
	if uint32(*b) != 0 {
		shift = entryBits
	}
	*b |= bucket(entry) << shift
}

func (t *keyTable) contains(keys []Key, from int, to bandSet) (present int) {
	for band, key := range keys {
		if _, _, found := t.find(band, key); found {
			present++
			if to != nil {
				to.put(from + band)
			}
		}
	}
	return present
}

func (t *keyTable) add(keys []Key) (present int) {
	number := uint32(t.held() + 1)
	for band, key := range keys {
		b, tag, found := t.find(band, key)
		if found {
			present++
		} else {
			b.put(tag | number)
		}
	}
	if present < len(keys) {
		t.keys = append(t.keys, keys...)
	}
	return present
}

// tableAhead is how many records before a record is inserted its entries are fetched.
const tableAhead = 4

func (t *keyTable) insert(outcomes []outcome, b batch) {
	for i := range outcomes {
		if i+tableAhead < len(outcomes) {
			t.fetch(b.record(i + tableAhead))
		}
		next := b
		next.keys = b.keys[i*b.bands : (i+1)*b.bands]
		if b.older != nil {
			next.older = b.seen(i)
		}
		insertEach(t, outcomes[i:i+1], next)
	}
}

// fetch loads the buckets at which the search for the keys will begin.
func (t *keyTable) fetch(keys []Key) {
	sink := bucket(0)
	for band, key := range keys {
		at, _ := t.begin(band, key)
		sink += t.buckets[at]
	}
	t.sink = sink
}

// moveTo inserts all records into the filters over words. Everything waits for it, so as many goroutines as have a core do it, each for some of the bands.
func (t *keyTable) moveTo(words []uint64) {
	workers := min(runtime.GOMAXPROCS(0), t.bands)
	var busy sync.WaitGroup
	for w := range workers {
		b := batch{keys: t.keys, bands: t.bands, from: t.bands * w / workers, to: t.bands * (w + 1) / workers}
		busy.Go(func() {
			newPart(t.geometry, words, b.from, b.to).insert(make([]outcome, t.held()), b)
		})
	}
	busy.Wait()
}

// sample tells what is expected of the filters.
func (t *keyTable) sample(int) (fill, records float64) {
	records = float64(t.held())
	return t.expectedFill(records), records
}
