package exact

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// OpenAsked opens the memory in dir, as of its last commit, for queries. A writer may continue
// meanwhile.
func OpenAsked(
	dir string, bands int, parameters []bloomlsh.Parameter, kind *Kind,
) (*memory.Named, error) {
	return index.Open(index.System, dir, func(from *index.Snapshot) (*memory.Named, error) {
		if err := checkAsked(from, bands, parameters); err != nil {
			return nil, err
		}
		last, err := StateIn(from.Committed(), dir)
		if err != nil {
			return nil, advised(err)
		}
		kind := kind.in(from.Parameters())
		if last.Windows != nil {
			return askWindows(from, last, kind)
		}
		file, length, err := openRecords(from, last)
		if err != nil {
			return nil, err
		}
		if file == nil { // the only run was undone, so there are no records
			x, err := kind.Begin("")
			return &memory.Named{Searcher: x}, err
		}
		a, err := memory.ReadNamed(kind.Begin, "", file, length)
		if err != nil {
			return nil, damaged(file.Name(), err)
		}
		return a, nil
	})
}

// checkAsked refuses an index of other sketches.
func checkAsked(from *index.Snapshot, bands int, parameters []bloomlsh.Parameter) error {
	wanted := append(parameters[:len(parameters):len(parameters)], identity.Own(bands, 0, "", spec.Forget{})...)
	return index.CheckParameters(from.Path(), identity.Asked(from.Parameters()), wanted)
}

// openRecords opens the log of the records of a memory without windows. file is nil if there is no
// log, as after its only run was undone.
func openRecords(from *index.Snapshot, last State) (file *index.File, length int64, err error) {
	if _, isListed := from.Committed().Log(last.logName()); !isListed && last.Records == 0 {
		return nil, 0, nil
	}
	return from.OpenLog(last.logName())
}

// ReadAnyLog reads one of the logs of the records of the memory in dir.
func ReadAnyLog(dir string, read func(*index.File) error) error {
	return index.Read(dir, func(from *index.Snapshot) error {
		last, err := StateIn(from.Committed(), dir)
		if err != nil {
			return advised(err)
		}
		name := last.logName()
		if last.Windows != nil {
			name = last.Windows.Log()
		}
		file, _, err := from.OpenLog(name)
		if err != nil {
			return err
		}
		return errors.Join(read(file), file.Close())
	})
}

// askWindows opens the windows of an index for queries.
func askWindows(from *index.Snapshot, last State, kind *Kind) (*memory.Named, error) {
	if limit := kind.maxMemory; limit != nil && !kind.isDivided {
		all := *limit
		*limit = all / uint64(max(1, len(last.Windows.Remembered)))
		defer func() { *limit = all }()
	}
	p := identity.WindowsOf(from.Parameters())
	p.Capacity = last.Windows.Capacity
	n := &memory.Named{}
	x, err := windows.Read(
		from.OpenLog, from.Path(), p, kind.Begin, &n.Names, last.Windows, last.Records, last.Signatures,
	)
	if err != nil {
		return nil, advised(err)
	}
	n.Searcher = x
	return n, nil
}

// StateOf returns the state of the exact memory in the last commit of an index. It returns nil if
// there is none, or if the memory has a limit and no records yet.
func StateOf(from *index.Snapshot) (*State, error) {
	last, err := StateIn(from.Committed(), from.Path())
	memory := identity.MemoryIn(from.Parameters())
	if err != nil || memory == identity.MemoryOfGroups ||
		identity.HasFilters(memory) && from.Committed().State(sectionName) == nil {
		return nil, err
	}
	return &last, nil
}

// FiltersJudge reports whether Bloom filters judge the records of an index with these parameters
// and this state of its exact memory.
func FiltersJudge(list []bloomlsh.Parameter, exact *State) bool {
	return identity.HasFilters(identity.MemoryIn(list)) && (exact == nil || exact.BloomFrom > 0)
}
