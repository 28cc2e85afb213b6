package bloomlsh

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/windowclock"
)

// A history is the list of an index's generations. It opens them as they fill up or as windows of
// time begin, and drops the oldest ones or leaves them on disk.
type history struct {
	params      Params
	generations []*generation // the last one takes insertions; the others are only looked up
	forgotten   int           // number of generations dropped before these
	clock       windowclock.Clock
	// spill writes a full generation to its base file. It is nil for an index without a directory.
	spill  func(number int, g *generation) (*baseFile, error)
	memory memoryGauge
	cores  cores
	team
}

func (h *history) addGeneration(g geometry) error {
	if err := errors.Join(h.forget(), h.freeMemory(h.generations, g.bytes())); err != nil {
		return err
	}
	if err := h.memory.check(g.memory(h.params.Votes), h.number(len(h.generations))); err != nil {
		return err
	}
	return h.addChecked(g)
}

// freeMemory moves generations, which must be the first of the index, to disk until there is memory
// for more bytes.
func (h *history) freeMemory(generations []*generation, more uint64) error {
	if h.params.Memory == 0 || h.spill == nil {
		return nil
	}
	for i, older := range generations {
		if h.bytes()-h.storedBytes()+more <= h.params.Memory {
			break
		}
		if older.stored != nil || older.isSmall() {
			continue
		}
		base, err := h.spill(h.number(i), older)
		if err != nil {
			return err
		}
		h.dismiss() // the crew reads it
		if err := older.store(base); err != nil {
			return err
		}
	}
	return nil
}

// geometryOf returns the geometry of the i-th generation, counting dropped ones. Dropped ones are
// never read again, so for them any geometry that the parameters allow will do.
func (h *history) geometryOf(i int) geometry {
	if i < h.forgotten {
		return planGeneration(h.params, i)
	}
	return h.generations[i-h.forgotten].geometry
}

// number returns the number of the i-th generation, counted from 1. Numbers are never reused.
func (h *history) number(i int) int { return h.forgotten + i + 1 }

// forget drops the oldest generation if there is no room for another one.
func (h *history) forget() error {
	switch {
	case h.params.hasClock() && len(h.generations) == maxWindows:
		return fmt.Errorf("%w: there are %d generations, and none may be forgotten: plan a larger capacity",
			ErrFull, maxWindows)
	case h.params.hasClock() || !h.params.forgets() || len(h.generations) < h.params.KeepGenerations:
		return nil
	}
	return h.drop()
}

// drop drops the oldest generation.
func (h *history) drop() error {
	h.dismiss() // the crew reads it
	oldest := h.generations[0]
	h.generations = slices.Delete(h.generations, 0, 1)
	h.forgotten++
	return oldest.close()
}

// addChecked adds a generation for which memory was checked.
func (h *history) addChecked(g geometry) error {
	g.seed = h.params.PageSeed
	added, err := newGeneration(g, h.params.Votes, h.cores)
	if err == nil {
		h.generations = append(h.generations, added)
	}
	return err
}

func (h *history) current() *generation { return h.generations[len(h.generations)-1] }

func (h *history) older() []*generation { return h.generations[:len(h.generations)-1] }

// grow opens the next generation. When it does so depends only on the number of inserted records,
// so that runs are exactly repeatable.
func (h *history) grow() error {
	if h.params.OnFull == OnFullRefuse {
		return fmt.Errorf("%w: it holds the %d records that it was planned for: plan a larger capacity, or let it grow",
			ErrFull, h.params.Capacity)
	}
	if h.params.doubles() {
		return h.double()
	}
	return h.openGeneration()
}

// openGeneration opens the next generation.
func (h *history) openGeneration() error {
	due := planGeneration(h.params, h.forgotten+len(h.generations))
	if h.params.hasClock() {
		due = h.dueInWindow()
	}
	err := h.addGeneration(due)
	if err == nil {
		h.current().window = h.clock.Window
	}
	return err
}

// large returns the number of the current generation if its records are in its large filters,
// otherwise 0.
func (h *history) large() int {
	if h.current().isSmall() {
		return 0
	}
	return h.number(len(h.generations) - 1)
}

// inserted returns the number of records in all generations.
func (h *history) inserted() (n uint64) {
	for _, g := range h.generations {
		n += g.inserted
	}
	return n
}

// bytes returns the size of all generations, in memory or on disk.
func (h *history) bytes() (n uint64) {
	for _, g := range h.generations {
		n += g.bytes()
	}
	return n
}

// storedBytes returns the size of the generations that are only on disk.
func (h *history) storedBytes() (n uint64) {
	for _, g := range h.generations {
		if g.stored != nil {
			n += g.bytes()
		}
	}
	return n
}

// hasStored reports whether any generation is only on disk.
func (h *history) hasStored() bool {
	return slices.ContainsFunc(h.generations, func(g *generation) bool { return g.stored != nil })
}

// failed returns an error if answers of generations on disk cannot be trusted.
func (h *history) failed() error {
	for _, g := range h.generations {
		if g.stored != nil && g.stored.err != nil {
			return g.stored.err
		}
	}
	return nil
}

func (h *history) close() (err error) {
	h.dismiss()
	for _, g := range h.generations {
		err = errors.Join(err, g.close())
	}
	h.generations = nil
	return err
}
