package command

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Under --memory-limit the generations of an index that have no room in memory are read from disk,
// for many records at once, which have to be there. So half of the memory is for records that are
// read ahead.

// aheadOf is how many batches are read ahead under a limit.
func aheadOf(limit config.Size) int { return int(limit) / 2 / stream.BatchBytes }

// limit returns the parameters of the run's own index, as they are to be under --memory-limit. How
// an index is divided is decided when it is made.
func (s *seen) limit(p bloomlsh.Params, c config.IndexFlags) (bloomlsh.Params, error) {
	indexes := uint64(len(c.Against))
	if c.Index != "" {
		indexes++
	}
	if c.MemoryLimit > 0 {
		s.share = uint64(c.MemoryLimit/2) / indexes
	}
	if c.Index == "" || c.ReadOnly { // there is none, or one that is nowhere on disk
		return p, nil
	}
	p.Memory = s.share
	stored, _, err := bloomlsh.ReadParameters(c.Index)
	switch {
	case errors.Is(err, bloomlsh.ErrNoIndex):
		return p.Divide(), nil
	case err != nil:
		return p, err
	}
	p.Generations = stored.Generations
	return p, nil
}

// Foresee tells all indexes which records they will be asked about.
func (s *seen) Foresee(keys []bloomlsh.Key) error {
	if s.share == 0 {
		return nil
	}
	if s.store != nil {
		if err := s.store.Foresee(keys); err != nil {
			return err
		}
	}
	for _, r := range s.against {
		if err := r.Foresee(keys); err != nil {
			return err
		}
	}
	return nil
}
