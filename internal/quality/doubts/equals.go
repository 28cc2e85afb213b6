package doubts

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// Equals counts records that are equal to an earlier one in everything that the rule compares,
// although their texts differ: in punctuation, symbols, case or markup, not only in white space. If
// these are most of a run, what the rule ignores may be what tells the records apart, as in "3 + 4"
// and "3 - 4". It is safe for concurrent use.
//
// It remembers up to mostExtracts sketches. If there are more, it examines only a part of the
// records, chosen by their sketches, so it examines either all records of a sketch or none.
type Equals struct {
	every   atomic.Uint64 // only sketches whose first hash is divisible by it are examined
	lock    sync.Mutex
	first   map[uint64]firstText // by hash of the sketch
	records uint64               // an estimate from those examined
	unequal uint64               // also an estimate
}

// A firstText is the first text with a sketch.
type firstText struct {
	sample uint64 // the hash that chose the sketch
	hash   uint64 // of the text
}

// mostUnequal is the share of records above which what is ignored is in doubt.
const mostUnequal = .5

// NewEquals returns an empty Equals.
func NewEquals() *Equals {
	e := &Equals{first: map[uint64]firstText{}}
	e.every.Store(1)
	return e
}

// Examine examines a record. An empty sketch equals no other.
func (e *Equals) Examine(sketch []uint64, text []byte) {
	if len(sketch) == 0 {
		return
	}
	sample := mixed(sketch[:min(len(sketch), 4)])
	if sample%e.every.Load() != 0 {
		return
	}
	key, hash := mixed(sketch), hashOf(text)
	e.lock.Lock()
	defer e.lock.Unlock()
	every := e.every.Load()
	if sample%every != 0 {
		return
	}
	e.records += every
	if first, known := e.first[key]; known {
		if first.hash != hash {
			e.unequal += every
		}
		return
	}
	e.first[key] = firstText{sample, hash}
	if len(e.first) > mostExtracts {
		e.sampleLess()
	}
}

// sampleLess forgets sketches until there are few enough. The caller holds the lock.
func (e *Equals) sampleLess() {
	every := e.every.Load()
	for ; len(e.first) > mostExtracts; every *= 2 {
		for key, first := range e.first {
			if first.sample%(2*every) != 0 {
				delete(e.first, key)
			}
		}
	}
	e.every.Store(every)
}

// mixed returns a hash of words.
func mixed(words []uint64) (hash uint64) {
	for _, word := range words {
		hash = (bits.RotateLeft64(hash, 29) ^ word) * 0x9e3779b97f4a7c15
	}
	return hash ^ hash>>32
}

// hashOf returns a hash of a text without its white space, in which copies often differ.
func hashOf(text []byte) uint64 {
	rest := make([]byte, 0, len(text))
	for _, c := range text {
		if c > ' ' {
			rest = append(rest, c)
		}
	}
	return xxh3.Hash(rest)
}

// All returns the doubts so far.
func (e *Equals) All() []Doubt {
	if e == nil {
		return nil
	}
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.records < leastRecords || float64(e.unequal) <= mostUnequal*float64(e.records) {
		return nil
	}
	says := fmt.Sprintf("about %s of %s are equal to an earlier one in all that is compared, but differ in what is "+
		"not, such as symbols, punctuation, case or markup", units.Count(e.unequal), units.Of(e.records, "record"))
	return []Doubt{{"equal", says, "write them to a file with --duplicates and look at some before you trust it; " +
		"--tokenize whitespace --normalize none compares all characters"}}
}
