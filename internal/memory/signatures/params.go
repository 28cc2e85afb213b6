package signatures

import (
	"cmp"
	"fmt"
	"math"

	"github.com/mithril-stream/mithril-stream/internal/postings"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// Params configures an Index.
type Params struct {
	NumPerm     int // number of slots in a signature
	SlotBits    int // bits kept of each slot, as in sketch.Params
	Bands, Rows int // of the band keys; Bands·Rows ≤ NumPerm

	// Votes is the number of bands, at least 1, that a duplicate shares with one earlier record.
	Votes int
	// Threshold is the minimum estimated Jaccard similarity of a duplicate, above 0 and at most 1.
	// With 0 common bands are sufficient.
	Threshold float64
	// Sets makes the index verify candidates by their shingle sets: sketches come from
	// sketch.SignedSet and PackSet, and Threshold applies to the exact Jaccard similarity. The sets
	// are kept in the log of the index, or in an unnamed file in SpillDir if it has no log.
	Sets bool
	// Containment, if not 0, is the minimum share of the smaller set that the other set contains,
	// at most 1. It replaces Threshold. With 0 sets are compared by Jaccard similarity.
	Containment float64
	// Crowd bounds the records listed for a key: the earliest and the latest that have it. 0 means
	// 128. If Crowd is set, bands also count as common where a key does not list the record, so a
	// lower number is sufficient. Otherwise only the bands that found the record count.
	Crowd int
	// UnseenOnly makes the index remember only records that are not duplicates.
	UnseenOnly bool

	// Capacity is the maximum number of signatures; beyond it Observe returns memory.ErrFull. 0
	// means no limit but that of the counters.
	Capacity uint64

	// MaxMemory bounds the memory of the index, in bytes; 0 means no limit. The excess goes to
	// unnamed files in SpillDir, or in the system's directory for temporary files. This affects
	// matches only for keys that very many records share.
	MaxMemory uint64
	SpillDir  string
}

// Validate returns an error if the parameters are invalid.
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
	case p.MaxMemory != 0 && costs(p).activeEntries() == 0:
		return fmt.Errorf("max-memory must be at least %d bytes, not %d", costs(p).leastMemory(), p.MaxMemory)
	case !(p.Containment >= 0 && p.Containment <= 1):
		return fmt.Errorf("containment must be between 0 and 1, not %v", p.Containment)
	case !(p.Threshold >= 0 && p.Threshold <= 1):
		return fmt.Errorf("threshold must be between 0 and 1, not %v", p.Threshold)
	}
	return nil
}

// SketchWords returns the number of words of a sketch, as returned by sketch.Signed. With Sets, the
// number of shingles and their packed set follow.
func (p Params) SketchWords() int { return sketch.SignedWords(p.ofSketch()) }

func (p Params) ofSketch() sketch.Params {
	return sketch.Params{NumPerm: p.NumPerm, SlotBits: p.SlotBits, Bands: p.Bands, Rows: p.Rows}
}

// mostOfKey returns the maximum number of entries listed for a key.
func (p Params) mostOfKey() int { return cmp.Or(p.Crowd, mostPostings) }

// slotBits returns the number of bits kept of a slot.
func (p Params) slotBits() int { return p.ofSketch().PackedBits() }

// signatureWords returns the number of words of the packed signature, which ends a sketch.
func (p Params) signatureWords() int { return p.ofSketch().PackedWords() }

// tableShape returns the shape of tables. Signatures that sets make shorter leave memory for tables
// that take less time.
func (p Params) tableShape() postings.Shape {
	if p.Sets {
		return postings.Spacious
	}
	return postings.Compacted
}

// padding returns the number of unused slots in a packed signature. They agree in all signatures.
func (p Params) padding() int { return p.signatureWords()*64/p.slotBits() - p.NumPerm }

// unequalAgree returns the probability that two different slots agree in the bits that are kept.
func (p Params) unequalAgree() float64 { return 1 / float64(int(1)<<p.slotBits()) }

// similarity estimates the Jaccard similarity from the number of slots that agree: for a share s of
// all slots, J ≈ (s - 2⁻ᵇ)/(1 - 2⁻ᵇ).
func (p Params) similarity(agree int) float64 {
	share, byChance := float64(agree)/float64(p.NumPerm), p.unequalAgree()
	return max(0, (share-byChance)/(1-byChance))
}

// agreeing returns the minimum number of agreeing slots at which the similarity reaches the
// threshold.
func (p Params) agreeing() int {
	if p.Threshold == 0 {
		return 0
	}
	// The ceiling of the inverse, corrected for rounding errors of one.
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

// plausible returns the minimum number of agreeing slots at which the sets, of the given sizes, may
// reach the threshold: four standard deviations below the expected number. Sizes that are too
// different can't reach it at all. 0 is the size of a set that is missing.
func (p Params) plausible(a, b int) int {
	jaccard, areSets := p.Threshold, a > 0 && b > 0
	switch {
	case p.Containment == 0 && areSets && float64(min(a, b))/float64(max(a, b)) < jaccard:
		return p.NumPerm + 1
	case p.Containment > 0 && !areSets:
		return 0
	case p.Containment > 0:
		common := p.Containment * float64(min(a, b))
		jaccard = common / (float64(a+b) - common)
	}
	expected := jaccard*(1-p.unequalAgree()) + p.unequalAgree()
	slots := float64(p.NumPerm)
	return int(slots*expected - 4*math.Sqrt(slots*expected*(1-expected)))
}

// A Plan estimates the size of an index.
type Plan struct {
	// BytesPerRecord is the maximum memory of a record once there are some thousands. A record with
	// a known signature takes none.
	BytesPerRecord float64
	Memory         uint64 // maximum bytes at the end
	Peak           uint64 // maximum bytes while a table grows

	LeastMemory uint64 // the lowest MaxMemory if most entries are on disk
	Disk        uint64 // maximum bytes on disk
}

// PlanIndex estimates an index of that many records, all with different signatures and without
// MaxMemory.
func PlanIndex(p Params, records uint64) (Plan, error) {
	p.MaxMemory = 0
	if err := p.Validate(); err != nil {
		return Plan{}, err
	}
	c := costs(p)
	each := c.bytesOfEntry()
	row := c.rowBytes() + float64(wordBytes*p.Bands)
	return Plan{
		BytesPerRecord: each,
		Memory:         uint64(each * float64(records)),
		Peak:           uint64(c.peakOfEntry() * float64(records)),
		LeastMemory:    max(c.leastMemory(), uint64(2*c.bytesOfSealed()*float64(records))),
		Disk:           uint64(row * float64(records)),
	}, nil
}

// CapacityOf returns how many signatures fit into that many bytes, apart from a few megabytes that
// an index takes from the start and while tables grow.
func (p Params) CapacityOf(memory uint64) uint64 {
	return uint64(float64(memory) / costs(p).peakOfEntry())
}

// costs computes the memory of an index with these Params.
type costs Params

// bytesOfEntry returns the maximum memory of an entry: its signature, and its share of tables that
// have just grown.
func (p costs) bytesOfEntry() float64 {
	return Params(p).tableShape().CompactMean()*float64(p.Bands) + p.rowBytes()
}

// peakOfEntry is bytesOfEntry while a table grows, when it is in memory twice.
func (p costs) peakOfEntry() float64 {
	return p.bytesOfEntry() + Params(p).tableShape().CompactBytes()
}

// rowBytes returns the memory of an entry apart from tables.
func (p costs) rowBytes() float64 {
	e := newEntries(Params(p))
	return float64(e.chunkWords()) * wordBytes / rowsPerChunk
}
