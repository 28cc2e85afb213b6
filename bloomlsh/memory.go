package bloomlsh

import (
	"fmt"
	"math"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// A MemoryError is an ErrMemory that says how many bytes an index needs and how many it may use.
type MemoryError struct {
	Needed, Limit uint64
	text          string
}

func (e *MemoryError) Error() string { return ErrMemory.Error() + ": " + e.text }

// Unwrap returns ErrMemory.
func (e *MemoryError) Unwrap() error { return ErrMemory }

func short(needed, limit uint64, format string, args ...any) error {
	return &MemoryError{needed, limit, fmt.Sprintf(format, args...)}
}

// allocate returns zeroed words outside the Go heap, where the garbage collector neither counts nor
// scans them. Release them with offheap.Release.
func allocate(words uint64) ([]uint64, error) {
	memory, err := offheap.Allocate(words)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMemory, err)
	}
	return memory, nil
}

// A memoryGauge returns how many bytes of memory are available, if that is known.
type memoryGauge func() (bytes uint64, known bool)

// usableShare is the fraction of the available memory that an index may use. The rest of the
// program and of the machine need some, too.
const usableShare = 0.8

// usable returns how many bytes an index, or another generation of it, may use. It must be called
// before any page is touched: the system provides memory lazily, so a shortage would otherwise show
// in the middle of the run, when the system kills the process.
func (memory memoryGauge) usable() (bytes, available uint64) {
	available, known := memory()
	if !known {
		return math.MaxUint64, math.MaxUint64
	}
	return uint64(float64(available) * usableShare), available
}

// UsableMemory returns how many bytes an index may use now, which is 80 % of those available, and
// how many are available: what the system has or what the limit of a control group leaves. Both are
// the largest uint64 if the system does not tell.
func UsableMemory() (bytes, available uint64) { return memoryGauge(availableMemory).usable() }

// plan returns the geometry of the first generation of a new index, or an error with advice if
// there is not enough memory.
func (memory memoryGauge) plan(p Params) (geometry, error) {
	usable, available := memory.usable()
	g := planGeneration(p, 0)
	need := p.FilterBytes()
	if p.doubles() {
		need = g.memory(p.Votes)
	}
	if p.Memory > 0 { // the rest is on disk
		if err := p.checkMemory(); err != nil {
			return g, err
		}
		need = min(need, p.Memory)
	}
	if need <= usable {
		return g, nil
	}
	return g, short(need, usable, "%s are needed for %d bands, a capacity of %d records and a false-positive rate of "+
		"%g, at most 80 %% of the available %s are used: %s",
		units.Bytes(need), p.Bands, p.Capacity, p.FPRate, units.Bytes(available), fittingParameters(p, usable))
}

// checkMemory returns an error if not even one generation fits into Memory.
func (p Params) checkMemory() error {
	one := planGeneration(p, 0).memory(p.Votes)
	if p.Memory > 0 && one > p.Memory {
		return short(one, p.Memory, "a generation takes %s, which is more than the limit of %s: plan more "+
			"generations, or a larger limit", units.Bytes(one), units.Bytes(p.Memory))
	}
	return nil
}

// FilterBytes returns the size of the filters of an index with the planned number of records, in
// bytes.
func (p Params) FilterBytes() uint64 {
	p = p.complete()
	return multiply(planGeneration(p, 0).memory(p.Votes), float64(p.generations()))
}

// check returns an error if there is not enough memory for a generation of an existing index.
func (memory memoryGauge) check(need uint64, generation int) error {
	usable, available := memory.usable()
	if need <= usable {
		return nil
	}
	return short(need, usable, "%s are needed for generation %d, at most 80 %% of the available %s are used: use a "+
		"machine with more memory",
		units.Bytes(need), generation, units.Bytes(available))
}

// fittingParameters names a capacity and a rate with which the index would fit, each with the other
// one unchanged.
func fittingParameters(p Params, usable uint64) string {
	fits := func(capacity uint64, rate float64) bool {
		q := p
		q.Capacity, q.FPRate = capacity, rate
		return q.FilterBytes() <= usable
	}
	low, high := uint64(0), p.Capacity // low fits, high does not
	for high-low > 1 {
		if middle := low + (high-low)/2; fits(middle, p.FPRate) {
			low = middle
		} else {
			high = middle
		}
	}
	if low == 0 {
		return "no capacity would fit"
	}
	advice := fmt.Sprintf("a capacity of %d would fit", roundDown(low))
	for rate := p.FPRate * 10; rate <= 1e-3; rate *= 10 {
		if fits(p.Capacity, rate) {
			return advice + fmt.Sprintf(", or a false-positive rate of %.2g", rate)
		}
	}
	return advice
}

// roundDown rounds down to two digits.
func roundDown(n uint64) uint64 {
	unit := uint64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return n / unit * unit
}
