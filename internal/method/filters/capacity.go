package filters

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
)

// defaultLines and defaultNGrams are the numbers of parts for which a run of unknown size is
// planned: filters of some 20 and 40 MB.
const defaultLines, defaultNGrams = 1 << 22, 1 << 24

// roomForMore is the ratio of the records that filters are planned for to the estimate. A few too
// many cost some bytes; one too few costs another generation, three times as large.
const roomForMore = 1.2

// A plan says for how many records Bloom filters are made.
type plan struct {
	records uint64 // or parts, where records are judged by these
	guessed bool   // from the inputs
	blind   bool   // nothing says how many will come
}

// explain adds to the error for filters that are too large where their size comes from.
func (p plan) explain(err error) error {
	switch {
	case !errors.Is(err, bloomlsh.ErrMemory), strings.Contains(err.Error(), "--max-memory"):
		return err
	case p.guessed:
		return fmt.Errorf("%w; by their sizes the inputs have so many: --capacity N plans for another number, and "+
			"--index DIR with --max-memory SIZE reads from disk what does not fit", err)
	}
	return fmt.Errorf("%w; --index DIR with --max-memory SIZE reads from disk what does not fit", err)
}

// capacity plans for the number that the user gives, or for which an existing index was planned, or
// that the inputs seem to have, but for no less than the default.
func (o *Opening) capacity() (plan, error) {
	memory, byParts := o.Method.Memory, o.Method.Rule.Parts.IsEnabled()
	switch {
	case byParts && memory.Filters.Parts > 0:
		return plan{records: memory.Filters.Parts}, nil
	case !byParts && memory.Filters.Planned:
		return plan{records: memory.Filters.Capacity}, nil
	}
	if memory.Index != "" {
		p, exists, err := storedFilters(memory.Index)
		if err != nil || exists {
			return plan{records: p.Capacity}, err
		}
	}
	records := o.expected()
	if byParts {
		return o.partsOf(records)
	}
	p := atLeast(memory.Filters.Capacity, records)
	p.blind = records == 0
	return p, nil
}

// storedFilters returns the parameters of the filters of the index in dir, if it has any.
func storedFilters(dir string) (p bloomlsh.Params, exist bool, err error) {
	memory, err := identity.MemoryOf(dir)
	switch {
	case errors.Is(err, bloomlsh.ErrNoIndex):
		return p, false, nil
	case err != nil || !identity.HasFilters(memory): // opening it reports that it is another one
		return p, false, err
	}
	p, _, err = bloomlsh.ReadParameters(dir)
	return p, err == nil, err
}

func atLeast(least, guessed uint64) plan {
	return plan{records: max(least, guessed), guessed: guessed > least}
}

// expected returns the number of records to plan for, or 0 if it is unknown. The size of an index
// that forgets, or may not grow, says nothing about the records of one run.
func (o *Opening) expected() uint64 {
	switch m := o.Method.Memory; {
	case m.Filters.Planned:
		return m.Filters.Capacity
	case m.ReadOnly, m.Filters.OnFull == bloomlsh.OnFullRefuse, m.Forget.Generations > 0, m.Forget.After > 0:
		return 0
	}
	return roundUp(uint64(roomForMore * float64(o.Records())))
}

// Endless is the Opening.Records of a stream without a known end.
func Endless() uint64 { return 0 }

// partsOf plans for the estimated number of parts of that many records.
func (o *Opening) partsOf(records uint64) (plan, error) {
	least := uint64(defaultLines)
	switch {
	case o.Method.Memory.Filters.Planned:
		least = 1
	case o.Method.Rule.Parts.NGram > 0:
		least = uint64(defaultNGrams / max(1, o.Method.Rule.Parts.Scale))
	}
	if records == 0 {
		return plan{records: least, blind: true}, nil
	}
	perRecord, err := o.PartsPerRecord()
	if err != nil {
		return plan{}, fmt.Errorf("count the parts of the first records: %w", err)
	}
	p := atLeast(least, uint64(perRecord*float64(records)))
	p.guessed = p.guessed && !o.Method.Memory.Filters.Planned
	return p, nil
}

// roundUp rounds up to a number of two digits and zeros.
func roundUp(n uint64) uint64 {
	unit := uint64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit - 1) / unit * unit
}
