package samples

import (
	"fmt"
	"math/bits"

	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// Common is the number of sources from which on a hash no longer counts.
const Common = 64

// Members is the maximum number of copies of its sources that a hash lists: half are the first,
// half the latest.
const Members = 64

// whole is the weight of a hash with at most one source. It is divisible by all smaller weights.
const whole = 60

// weightOf returns the weight of a hash with that many sources: all of it for one, half for two or
// three, a third for four to seven, and so on, and nothing from Common on.
func weightOf(sources int) uint32 {
	if sources >= Common {
		return 0
	}
	return whole / uint32(max(1, bits.Len(uint(sources))))
}

// Least is the minimum number of uncommon hashes that two samples share before they say anything
// about how much of one text is in the other.
const Least = 4

// nearCopy is the share of each of two texts that is in the other one if they are near copies: with
// a Jaccard similarity of .9 they are. The hashes they share may weigh little, since variants of
// variants of a text, such as a licence, are many sources of what they have in common. A template
// is rarely so large a part of a page.
const nearCopy = .9

// Params configures an Index.
type Params struct {
	Scale int // of the samples
	// Threshold is the minimum share of a text that another one contains, above 0 and at most 1.
	Threshold float64
	// Either makes a record a duplicate also if it contains that share of an earlier record.
	Either bool
	// Beside is what sketches hold apart from samples, to confirm what these indicate. Sets are
	// kept in the log of the index, or in an unnamed file in SpillDir if it has no log.
	Beside fracminhash.Beside
	// MaxMemory bounds the memory of the index, in bytes; 0 means no limit. All but a few bytes of
	// each entry can move to unnamed files in SpillDir. If there is no room for a record it is not
	// remembered, and the error is ErrFull.
	MaxMemory uint64
	SpillDir  string // if empty, the system's directory for temporary files
	// UnseenOnly makes the index remember only records that are not duplicates.
	UnseenOnly bool
}

// Validate returns an error if the parameters are invalid.
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

// leastNear returns the minimum share of near copies.
func (p *Params) leastNear() float64 { return max(p.Threshold, nearCopy) }

// leastOfNear returns the minimum number of a text's uncommon hashes that a near copy has. A finer
// sample or a set corrects the estimate, so with one of these the usual number suffices.
func (p *Params) leastOfNear(hashes uint32) float64 {
	if p.Beside == fracminhash.Nothing {
		return p.leastNear() * float64(hashes)
	}
	return usually(int(hashes), p.leastNear())
}

func (p Params) hasSets() bool { return p.Beside == fracminhash.Set }

func (p Params) hasFiner() bool { return p.Beside == fracminhash.Finer }

// usual is the expected number of hashes of a sample: a short text has between fracminhash.Least
// and twice as many.
const usual = 1.5 * fracminhash.Least

// usualFinerWords is the number of words of such a text's finer sample: three further hashes for
// each in the sample, of some 4 bits, in whole words.
const usualFinerWords = 5
