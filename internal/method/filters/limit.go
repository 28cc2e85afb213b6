package filters

import (
	"runtime/debug"
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// Under --max-memory the generations of an index that do not fit into memory are read from disk,
// for many records at once, which must be read ahead. So half of the memory is for records. An
// index that fits stays in memory, and nothing is read ahead.

// AheadOf returns how many bytes of a limit are for records that are read ahead.
func AheadOf(limit uint64) int64 { return int64(limit / 2) }

// ShareOf returns how many bytes the filters of each index may take, given the sizes of all.
func ShareOf(limit uint64, sizes ...uint64) uint64 {
	left := limit
	for _, size := range sizes {
		if size > left {
			return limit / 2 / uint64(len(sizes))
		}
		left -= size
	}
	return limit
}

// Divide returns the parameters of a new index whose filters may take a share of memory.
func Divide(p bloomlsh.Params, share uint64) bloomlsh.Params {
	p.Memory = share
	return p.Divide()
}

// limit adapts the parameters of the run's own index to --max-memory. The division of an index is
// fixed when it is made.
func (s *Memory) limit(p bloomlsh.Params, m spec.Memory) (bloomlsh.Params, error) {
	var stored bloomlsh.Params
	isNew, dirs := false, slices.Clone(m.Against)
	if m.Index != "" {
		var exists bool
		var err error
		if stored, exists, err = storedFilters(m.Index); err != nil {
			return p, err
		}
		if isNew = !exists; exists {
			dirs = append(dirs, m.Index)
		}
	}
	limited := p
	limited.Memory = m.Limit.Bytes
	if err := s.setShares(limited, m, dirs, isNew); err != nil {
		return p, err
	}
	switch {
	case m.Index == "" || m.ReadOnly: // no index, or one that is not on disk
		return p, nil
	case isNew:
		return Divide(p, s.share), nil
	}
	p.Memory, p.Generations = s.share, stored.Generations
	return p, nil
}

// setShares sets the share of each index of the run: those of directories, and a new one.
func (s *Memory) setShares(p bloomlsh.Params, m spec.Memory, dirs []string, isNew bool) error {
	if m.Kind != spec.MemoryBloom || m.Limit.Bytes == 0 {
		return nil
	}
	var sizes []uint64
	if isNew {
		sizes = append(sizes, p.FilterBytes())
	}
	for _, dir := range dirs {
		size, err := bloomlsh.FilterBytes(dir)
		if err != nil {
			return err
		}
		sizes = append(sizes, size)
	}
	s.share = ShareOf(m.Limit.Bytes, sizes...)
	return nil
}

// CanPrefetch reports whether an index has parts on disk.
func (s *Memory) CanPrefetch() bool {
	foresees := s.Store != nil && s.Store.CanPrefetch()
	for _, r := range s.against {
		foresees = foresees || r.CanPrefetch()
	}
	if foresees && !s.tidy {
		s.tidy = true
		debug.SetGCPercent(tidyPercent)
	}
	return foresees
}

// tidyPercent is GOGC while records are read ahead. By default there may be as much garbage as
// there are records. Most records are in buffers without pointers, so collecting more often costs
// little.
const tidyPercent = 20

// Prefetch tells all indexes for which records they will be searched.
func (s *Memory) Prefetch(keys []bloomlsh.Key) error {
	if s.Store != nil {
		if err := s.Store.Prefetch(keys); err != nil {
			return err
		}
	}
	for _, r := range s.against {
		if err := r.Prefetch(keys); err != nil {
			return err
		}
	}
	return nil
}
