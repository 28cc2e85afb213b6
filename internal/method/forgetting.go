package method

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// A memory that forgets is made of windows. The index beside it has the parameters of that, as one
// of Bloom filters has; each commit names the logs of the windows.

// windowsOf says what the windows of a memory are; ok is false if it forgets nothing.
func windowsOf(m spec.Memory) (p windows.Params, ok bool) {
	p = windows.Params{
		Keep: m.Forget.Generations, ForgetAfter: m.Forget.After, Capacity: m.Filters.Capacity,
		UnseenOnly: m.UnseenOnly(),
	}
	return p, p.Keep > 0 && !m.ReadOnly
}

// forgetsIn reports whether the index in dir forgets.
func forgetsIn(dir string) (bool, error) {
	p, _, err := bloomlsh.ReadParameters(dir)
	return p.KeepGenerations > 0, err
}

// WindowsOf is what the parameters of an index say of its windows; nothing if it forgets nothing.
func WindowsOf(list []bloomlsh.Parameter) (p windows.Params) {
	keep, _ := parameter.Value(list, "keep-generations")
	age, _ := parameter.Value(list, "forget-after")
	p.Keep, _ = strconv.Atoi(keep)
	p.ForgetAfter, _ = time.ParseDuration(age)
	return p
}

// divide makes the memory of a window a share of the whole, for that many expected entries.
func (k *ExactKind) divide(p windows.Params, expected uint64) error {
	keep, others := uint64(p.Keep), uint64(p.Keep-1)
	if k.maxMemory == nil || *k.maxMemory == 0 {
		return k.checkRoom(expected/others*keep, ofCapacity)
	}
	*k.maxMemory, k.isDivided = max(1, *k.maxMemory/keep), true
	isUsage, err := true, k.validate()
	if err == nil {
		isUsage, err = false, k.checkRoom(expected/others, ofCapacity)
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

// checkRoomOf refuses windows for which there is no room: for each in its part of --max-memory, or
// for all.
func (k *ExactKind) checkRoomOf(committed ExactCommit) error {
	entries := committed.Signatures
	if w := committed.Windows; w != nil && k.maxMemory != nil && *k.maxMemory > 0 {
		entries = 0
		for _, each := range w.Remembered {
			entries = max(entries, each.Entries)
		}
	}
	return k.checkRoom(entries, k.entries+" that it has")
}

// openWindows opens the memory that forgets in dir, as its last commit says.
func (o *Opening) openWindows(m *Exact, committed ExactCommit, kind *ExactKind) (err error) {
	p := *m.forgets
	if w := committed.Windows; w != nil && p.ForgetAfter == 0 {
		if o.Method.Memory.Filters.Planned && w.Capacity != p.Capacity {
			return fmt.Errorf("%s: %w: capacity is %d here, and %d is wanted: use the parameters of the index, or "+
				"another directory", m.dir.Path(), bloomlsh.ErrParameters, w.Capacity, p.Capacity)
		}
		p.Capacity = w.Capacity
	}
	if committed.Bytes > 0 && committed.Windows == nil {
		return advised(fmt.Errorf("%s: %w: its last commit names no windows", m.dir.Path(), memory.ErrCorrupt))
	}
	if err := kind.checkRoomOf(committed); err != nil {
		return err
	}
	m.windows, err = windows.Open(m.dir, p, kind.begin, &m.Names, committed.Windows, committed.Records,
		committed.Signatures)
	if err != nil {
		return advised(err)
	}
	m.Index = m.windows
	return nil
}

// advised is an error that names a file, with what to do about a damaged one.
func advised(err error) error {
	if errors.Is(err, memory.ErrCorrupt) {
		return fmt.Errorf("%w: restore it from a copy, or build the index again", err)
	}
	return err
}

// openAskedWindows opens the windows of the index in dir, to be asked only, as of its last commit.
func openAskedWindows(
	dir string, bands int, identity []bloomlsh.Parameter, kind *ExactKind,
) (*memory.Named, error) {
	return steadily(dir, func() (*memory.Named, error) {
		committed, err := lastCommitOf(dir, bands, identity)
		if err != nil {
			return nil, err
		}
		if committed.Windows == nil { // it was taken back to nothing
			return nil, fmt.Errorf("%s: its last commit was taken back while it was opened: %w", dir, fs.ErrNotExist)
		}
		if limit := kind.maxMemory; limit != nil && !kind.isDivided {
			all := *limit
			*limit = all / uint64(max(1, len(committed.Windows.Remembered)))
			defer func() { *limit = all }()
		}
		held, err := store.OpenDir(dir)
		if err != nil {
			return nil, err
		}
		n := &memory.Named{}
		x, err := windows.Read(held, kind.begin, &n.Names, committed.Windows, committed.Records, committed.Signatures)
		if err = errors.Join(err, held.Close()); err != nil {
			return nil, advised(err)
		}
		n.Searcher = x
		return n, nil
	})
}

// Forgets reports whether names of records go while it works.
func (m *Exact) Forgets() bool { return m != nil && m.windows != nil }

// OfRun says which run the records are of that come next.
func (m *Exact) OfRun(r windows.Run) {
	if m.Forgets() {
		m.windows.OfRun(r)
	}
}

// NameDropped has the names be there of all that verdicts of a run may name.
func (m *Exact) NameDropped(run uint64) error {
	if !m.Forgets() {
		return nil
	}
	return advised(m.windows.NameDropped(run))
}

// syncWindows makes the logs of the windows durable, and describes them.
func (f *forgetting) syncWindows() (*ExactCommit, error) {
	state, err := f.windows.Sync()
	if err != nil {
		return nil, err
	}
	committed := commitOf(f.windows.Stats())
	committed.Bytes, committed.Windows, committed.Deleted = state.Bytes(), state, state.Deleted()
	f.synced = &committed
	return &committed, nil
}

// RemoveOld removes the files that are not needed any more, since what Sync has described counts.
func (m *Exact) RemoveOld() {
	if m == nil || m.synced == nil {
		return
	}
	if oldest := m.synced.Windows.Remembered[0].Number; oldest != m.oldest { // or nothing was dropped since
		_ = m.synced.logs().RemoveOthers(m.dir) // or the next run does
		m.oldest = oldest
	}
}
