package exact

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// A memory that forgets consists of windows, each with its own logs.

// windowsOf returns the windows of a memory; ok is false if it forgets nothing.
func windowsOf(c spec.Method) (p windows.Params, ok bool) {
	m := c.Memory
	p = windows.Params{
		Keep: m.Forget.Generations, ForgetAfter: m.Forget.After, Capacity: m.Filters.Capacity,
		UnseenOnly: m.UnseenOnly(),
	}
	if KnowsTimes(c) {
		p = windows.ExactParams(m.Forget.After)
		p.UnseenOnly = m.UnseenOnly()
	}
	return p, p.Keep > 0 && !m.ReadOnly
}

// divide makes the memory of a window a share of the whole, for that many expected entries.
func (k *Kind) divide(p windows.Params, expected uint64) error {
	keep, others := uint64(p.Keep), uint64(p.Keep-1)
	if k.maxMemory == nil || *k.maxMemory == 0 {
		return k.CheckRoom(expected/others*keep, ofCapacity)
	}
	*k.maxMemory, k.isDivided = max(1, *k.maxMemory/keep), true
	isUsage, err := true, k.Validate()
	if err == nil {
		isUsage, err = false, k.CheckRoom(expected/others, ofCapacity)
	}
	if err != nil {
		err = fmt.Errorf("%w; of --max-memory each of %s generations has its part, which this is about", err,
			units.Count(keep))
	}
	if isUsage {
		return usage.Error(err)
	}
	return err
}

// checkRoomOf refuses windows that do not fit into memory: each of them into its part of
// --max-memory, or without that limit all together.
func (k *Kind) checkRoomOf(last State) error {
	entries := last.Signatures
	if w := last.Windows; w != nil && k.maxMemory != nil && *k.maxMemory > 0 {
		entries = 0
		for _, each := range w.Remembered {
			entries = max(entries, each.Entries)
		}
	}
	return k.CheckRoom(entries, k.Entries+" that it has")
}

// openWindows opens the forgetting memory in dir, as of its last commit.
func (o *Opening) openWindows(m *Memory, last State, kind *Kind) (err error) {
	p := *m.forgets
	if w := last.Windows; w != nil && p.ForgetAfter == 0 {
		if o.Method.Memory.Filters.Planned && w.Capacity != p.Capacity {
			return fmt.Errorf("%s: %w: capacity is %d here, and %d is wanted: use the parameters of the index, or "+
				"another directory", m.writer.Path(), bloomlsh.ErrParameters, w.Capacity, p.Capacity)
		}
		p.Capacity = w.Capacity
	}
	if last.Records > 0 && last.Windows == nil {
		return advised(fmt.Errorf("%s: %w: its last commit names no windows", m.writer.Path(), memory.ErrCorrupt))
	}
	if err := kind.checkRoomOf(last); err != nil {
		return err
	}
	m.windows, err = windows.Open(m.writer, p, kind.Begin, &m.Names, last.Windows, last.Records, last.Signatures)
	if err != nil {
		return advised(err)
	}
	m.Index = m.windows
	return nil
}

// advised adds to an error that names a file what to do if the file is damaged.
func advised(err error) error {
	if errors.Is(err, memory.ErrCorrupt) {
		return fmt.Errorf("%w: restore it from a copy, or build the index again", err)
	}
	return err
}

// Forgets reports whether names of records may be forgotten during a run.
func (m *Memory) Forgets() bool { return m != nil && m.windows != nil }

// OfRun sets the run to which the next records belong.
func (m *Memory) OfRun(r windows.Run) {
	if m.Forgets() {
		m.windows.OfRun(r)
	}
}

// NameDropped loads the names of all records that verdicts of a run may name.
func (m *Memory) NameDropped(run uint64) error {
	if !m.Forgets() {
		return nil
	}
	return advised(m.windows.NameDropped(run))
}

// forgettingFilters returns filters that would forget as a memory does, to check its settings.
func forgettingFilters(m spec.Memory, kind identity.KeyKind, keep int) bloomlsh.Params {
	return bloomlsh.Params{
		Bands: kind.Bands, Votes: kind.Votes, Capacity: 1, Remember: m.Remember,
		KeepGenerations: keep, ForgetAfter: m.Forget.After,
	}
}
