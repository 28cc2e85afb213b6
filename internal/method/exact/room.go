package exact

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// An exact memory grows with the number of records. If the expected number cannot fit, the run is
// refused before the first record; otherwise the system would kill it halfway.

// expectedRecords returns the number of records that --capacity gives for an exact memory.
func expectedRecords(c spec.Method) uint64 {
	if !c.Memory.Filters.Planned {
		return 0
	}
	return c.Memory.Filters.Capacity
}

// checkRoom returns an error if that many signatures do not fit into memory. what says where the
// number comes from.
func checkRoom(p signatures.Params, entries uint64, what string) error {
	usable, available := bloomlsh.UsableMemory()
	return checkRoomIn(usable, available, p, entries, what)
}

func checkRoomIn(usable, available uint64, p signatures.Params, entries uint64, what string) error {
	if p.Capacity > 0 {
		entries = min(entries, p.Capacity)
	}
	plan, err := signatures.PlanIndex(p, entries)
	switch {
	case err != nil:
		return err
	case p.MaxMemory > 0 && p.MaxMemory < plan.LeastMemory:
		return fmt.Errorf("%w: --max-memory must be at least %s for %s %s", memory.ErrMemory,
			sizeFrom(plan.LeastMemory), units.Count(entries), what)
	case p.MaxMemory > 0:
		plan.Peak = min(plan.Peak, p.MaxMemory)
	}
	if plan.Peak <= usable {
		return nil
	}
	advice := fmt.Sprintf("--max-memory %s or more, which has the rest on disk; or --memory auto --max-memory %s, "+
		"which continues with Bloom filters", sizeFrom(plan.LeastMemory), sizeFrom(usable/2))
	if p.MaxMemory > 0 || p.Capacity > 0 {
		advice = "less"
	}
	return errNoRoom(plan.Peak, available, units.Count(entries)+" "+what, ", or give "+advice)
}

// checkPeak refuses a memory that would need more than the machine has. advice says what helps
// besides more memory.
func checkPeak(peak uint64, something, advice string) error {
	if usable, available := bloomlsh.UsableMemory(); peak > usable {
		return errNoRoom(peak, available, something, advice)
	}
	return nil
}

func errNoRoom(needed, available uint64, something, advice string) error {
	return fmt.Errorf("%w: %s are needed for %s, and at most 80 %% of the available %s are used: "+
		"use a machine with more memory%s", memory.ErrMemory, units.Bytes(needed), something,
		units.Bytes(available), advice)
}

// sizeFrom rounds a number of bytes up to a size that is easily typed.
func sizeFrom(bytes uint64) string {
	if bytes < 10<<30 {
		return fmt.Sprintf("%dMiB", (bytes+1<<20-1)>>20)
	}
	return fmt.Sprintf("%dGiB", (bytes+1<<30-1)>>30)
}
