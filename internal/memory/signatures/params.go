package signatures

import (
	"cmp"
	"fmt"
	"math"

	"github.com/mithril-stream/mithril-stream/internal/postings"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// Params is what an Index is to do.
type Params struct {
	NumPerm     int // slots of a signature
	SlotBits    int // of each slot that are kept, as in sketch.Params
	Bands, Rows int // of the band keys; Bands·Rows ≤ NumPerm

	// Votes is how many bands, one or more, a record must have in common with one earlier record.
	Votes int
	// Threshold is the least estimated Jaccard similarity of a duplicate, above 0 and at most 1.
	// Zero asks for none: then bands in common are all that it takes.
	Threshold float64
	// Sets says that candidates are verified by the sets of shingles themselves: sketches are those
	// of sketch.SignedSet, and Threshold is of the exact Jaccard similarity. The sets are kept in
	// the log of the index, or in a file without a name in SpillDir if it has none.
	Sets bool
	// Containment has sets compared by how much of the smaller one is in the other, which must be
	// at least so much, at most 1, whatever Threshold says. 0: by their Jaccard similarity.
	Containment float64
	// Crowd is how many records a key leads to at most, the earliest and the latest that have it; 0
	// is 128. If it is given, bands in common are counted also where a key does not lead to a
	// record, so that fewer are enough; else they are those by which a record is found.
	Crowd int
	// UnseenOnly says that only records that are no duplicates are remembered.
	UnseenOnly bool

	// Capacity is the most signatures that are observed; then Observe returns memory.ErrFull. 0: as
	// many as can be counted.
	Capacity uint64

	// MaxMemory bounds what the index takes, in bytes; 0: no bound. What exceeds it is written to
	// files without a name in SpillDir, or where the system keeps temporary files. Neither changes
	// a match, but for keys that very many records have.
	MaxMemory uint64
	SpillDir  string
}

// Validate reports what has no meaning.
func (p Params) Validate() error {
	switch {
	case !(p.SlotBits == 0 || p.SlotBits == 1 || p.SlotBits == 2 || p.SlotBits == 4 || p.SlotBits == 8):
		return fmt.Errorf("slot-bits must be 1, 2, 4 or 8, not %d", p.SlotBits)
	case p.NumPerm < 1 || p.NumPerm > 1<<16:
		return fmt.Errorf("num-perm must be between 1 and %d, not %d", 1<<16, p.NumPerm)
	case p.Bands < 1 || p.Rows < 1 || p.Rows > p.NumPerm/p.Bands:
		return fmt.Errorf("%d bands of %d rows do not fit into %d permutations", p.Bands, p.Rows, p.NumPerm)
	case p.Votes < 1 || p.Votes > p.Bands:
		return fmt.Errorf("votes must be between 1 and the %d bands, not %d", p.Bands, p.Votes)
	case p.MaxMemory != 0 && p.activeEntries() == 0:
		return fmt.Errorf("max-memory must be at least %d bytes, not %d", p.leastMemory(), p.MaxMemory)
	case !(p.Containment >= 0 && p.Containment <= 1):
		return fmt.Errorf("containment must be between 0 and 1, not %v", p.Containment)
	case !(p.Threshold >= 0 && p.Threshold <= 1):
		return fmt.Errorf("threshold must be between 0 and 1, not %v", p.Threshold)
	}
	return nil
}

// SketchWords is the number of words of each sketch, as sketch.Signed makes it. With Sets the
// number of shingles follows, and their hashes.
func (p Params) SketchWords() int { return sketch.SignedWords(p.ofSketch()) }

func (p Params) ofSketch() sketch.Params {
	return sketch.Params{NumPerm: p.NumPerm, SlotBits: p.SlotBits, Bands: p.Bands, Rows: p.Rows}
}

// mostOfKey is how many entries a key leads to.
func (p Params) mostOfKey() int { return cmp.Or(p.Crowd, mostPostings) }

// slotBits is how many bits of a slot are kept.
func (p Params) slotBits() int { return p.ofSketch().PackedBits() }

// signatureWords is the number of its last words, the packed signature.
func (p Params) signatureWords() int { return p.ofSketch().PackedWords() }

// padding is how many slots a packed signature has that are none, and agree in all.
func (p Params) padding() int { return p.signatureWords()*64/p.slotBits() - p.NumPerm }

// unequalAgree is the probability that slots that are not equal agree in the bits that are kept.
func (p Params) unequalAgree() float64 { return 1 / float64(int(1)<<p.slotBits()) }

// similarity estimates Jaccard similarity from the number of slots that agree: of a share s of all
// slots, J ≈ (s - 2⁻ᵇ)/(1 - 2⁻ᵇ).
func (p Params) similarity(agree int) float64 {
	share, byChance := float64(agree)/float64(p.NumPerm), p.unequalAgree()
	return max(0, (share-byChance)/(1-byChance))
}

// agreeing is the least number of slots that agree in signatures of the threshold's similarity.
func (p Params) agreeing() int {
	if p.Threshold == 0 {
		return 0
	}
	// The ceiling of the inverse, which rounding might put one off.
	byChance := p.unequalAgree()
	n := int(math.Floor(float64(p.NumPerm) * (p.Threshold*(1-byChance) + byChance)))
	for n > 0 && p.similarity(n-1) >= p.Threshold {
		n--
	}
	for n < p.NumPerm && p.similarity(n) < p.Threshold {
		n++
	}
	return n
}

// plausible is the least number of slots that agree in signatures of sets of so many hashes that
// may well be as similar as is asked: six standard deviations below what is expected.
func (p Params) plausible(a, b int) int {
	jaccard := p.Threshold
	if p.Containment > 0 {
		if a == 0 || b == 0 {
			return 0
		}
		common := p.Containment * float64(min(a, b))
		jaccard = common / (float64(a+b) - common)
	}
	expected := jaccard*(1-p.unequalAgree()) + p.unequalAgree()
	slots := float64(p.NumPerm)
	return int(slots*expected - 6*math.Sqrt(slots*expected*(1-expected)))
}

// A Plan says what an index takes.
type Plan struct {
	// BytesPerRecord is what one takes at most, once there are some thousands. A record whose
	// signature is known takes nothing.
	BytesPerRecord float64
	Memory         uint64 // bytes at most, at the end
	Peak           uint64 // bytes at most, while a table grows

	LeastMemory uint64 // what MaxMemory must be at least, if most is to be on disk
	Disk        uint64 // bytes there, at most
}

// PlanIndex returns what an index of this many records takes in memory, if no two of them have
// equal signatures and MaxMemory does not count.
func PlanIndex(p Params, records uint64) (Plan, error) {
	p.MaxMemory = 0
	if err := p.Validate(); err != nil {
		return Plan{}, err
	}
	each := p.bytesOfEntry()
	row := p.rowBytes() + float64(wordBytes*p.Bands)
	return Plan{
		BytesPerRecord: each,
		Memory:         uint64(each * float64(records)),
		Peak:           uint64(p.peakOfEntry() * float64(records)),
		LeastMemory:    max(p.leastMemory(), uint64(2*p.bytesOfSealed()*float64(records))),
		Disk:           uint64(row * float64(records)),
	}, nil
}

// CapacityOf returns how many signatures an index has room for in that many bytes, beside a few
// megabytes that it takes from the beginning, whatever they are and while tables grow.
func (p Params) CapacityOf(memory uint64) uint64 { return uint64(float64(memory) / p.peakOfEntry()) }

// bytesOfEntry is what an entry takes in memory at most: in tables that have just grown, and its
// signature.
func (p Params) bytesOfEntry() float64 {
	return postings.CompactMean()*float64(p.Bands) + p.rowBytes()
}

// peakOfEntry is the same while a table grows, which is in memory twice then.
func (p Params) peakOfEntry() float64 { return p.bytesOfEntry() + postings.CompactBytes() }

// rowBytes is what an entry takes beside tables.
func (p Params) rowBytes() float64 {
	e := newEntries(p)
	return float64(e.chunkWords()) * wordBytes / rowsPerChunk
}
