package doubts

import (
	"bytes"
	"fmt"
	"math/bits"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// Equals counts records that are equal to an earlier one in everything that the rule compares,
// although their texts differ: in punctuation, symbols, case or markup, and not only in the white
// space around them. If these are most of a run, what the rule ignores may be what tells the
// records apart, as in "3 + 4" and "3 - 4". It is safe for concurrent use.
type Equals struct {
	texts   firsts[uint64] // hashes of the first texts, by sketch
	records uint64         // an estimate from those examined
	unequal uint64         // also an estimate
}

// mostUnequal is the share of records above which what is ignored is in doubt.
const mostUnequal = .5

// Examine examines a record. An empty sketch equals no other.
func (e *Equals) Examine(sketch []uint64, text []byte) {
	const low = 1<<32 - 1
	if len(sketch) == 0 {
		return
	}
	// A few words decide whether to look at all of them.
	sample := mixed(sketch[:min(len(sketch), 4)]) & low
	if !e.texts.examines(sample) {
		return
	}
	key, hash := mixed(sketch)&^low|sample, xxh3.Hash(bytes.TrimSpace(text))
	e.texts.lock.Lock()
	defer e.texts.lock.Unlock()
	first, known, weight := e.texts.meet(key, hash)
	e.records += weight
	if known && first != hash {
		e.unequal += weight
	}
}

// mixed returns a hash of words.
func mixed(words []uint64) (hash uint64) {
	for _, word := range words {
		hash = (bits.RotateLeft64(hash, 29) ^ word) * 0x9e3779b97f4a7c15
	}
	return hash ^ hash>>32
}

// All returns the doubts so far.
func (e *Equals) All() []Doubt {
	if e == nil {
		return nil
	}
	e.texts.lock.Lock()
	defer e.texts.lock.Unlock()
	if e.records < leastRecords || float64(e.unequal) <= mostUnequal*float64(e.records) {
		return nil
	}
	says := fmt.Sprintf("about %s of %s are equal to an earlier one in all that is compared, but differ in what is "+
		"not, such as symbols, punctuation, case or markup", units.Count(e.unequal), units.Of(e.records, "record"))
	return []Doubt{{"equal", says, "write them to a file with --duplicates and look at some before you trust it; " +
		"--tokenize whitespace --normalize none compares all characters"}}
}
