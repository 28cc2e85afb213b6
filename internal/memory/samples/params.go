package samples

import (
	"fmt"
	"math/bits"

	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// Common is how many sources a hash has that no longer counts.
const Common = 64

// Members is how many copies of its sources a hash leads to: the first half and the latest.
const Members = 16

// whole is the weight of a hash of one source, or of none. All smaller weights divide it.
const whole = 60

// weightOf is how much a hash of so many sources counts: the whole up to one, half for two or
// three, a third for four to seven, and so on, until nothing for Common.
func weightOf(sources int) uint32 {
	if sources >= Common {
		return 0
	}
	return whole / uint32(max(1, bits.Len(uint(sources))))
}

// Least is how many hashes that are not common two samples share, if they say how much of the one
// text is in the other one. Fewer say nothing.
const Least = 4

// Params is what an Index is to do.
type Params struct {
	Scale int // of the samples
	// Threshold is the least share of a text that is in another one, above 0 and at most 1.
	Threshold float64
	// Either says that a record is a duplicate, too, if that share of an earlier record is in it.
	Either bool
	// Beside says what sketches have beside samples, by which it is confirmed what these say. Sets
	// are kept in the log of the index, or in a file without a name in SpillDir if it has none.
	Beside fracminhash.Beside
	// MaxMemory is how many bytes the index may take; 0 is no limit. What exceeds it goes to files
	// without a name in SpillDir, but for some bytes of each entry. A record for which there is no
	// room is not remembered, which is ErrFull.
	MaxMemory uint64
	SpillDir  string // where the system keeps temporary files if it is empty
	// UnseenOnly says that only records that are no duplicates are remembered.
	UnseenOnly bool
}

// Validate reports what has no meaning.
func (p Params) Validate() error {
	if err := p.sampling().Validate(); err != nil {
		return err
	}
	if !(p.Threshold > 0 && p.Threshold <= 1) {
		return fmt.Errorf("threshold must be above 0 and at most 1, not %v", p.Threshold)
	}
	return nil
}

func (p Params) sampling() fracminhash.Params {
	return fracminhash.Params{Scale: p.Scale, Beside: p.Beside}
}

func (p Params) hasSets() bool { return p.Beside == fracminhash.Set }

func (p Params) hasFiner() bool { return p.Beside == fracminhash.Finer }

// usual is how many hashes a sample is expected to have: that of a short text has between
// fracminhash.Least and twice as many.
const usual = 1.5 * fracminhash.Least

// usualFinerWords is how many words the finer sample of such a text takes: three more hashes for
// each of the sample, of some 4 bits, in whole words.
const usualFinerWords = 5
