package command

import (
	"errors"
	"runtime"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/stream"
)

// seen is what a run remembers and compares with.
type seen struct {
	own      index           // takes in the records of the run; nil under --read-only
	store    *bloomlsh.Store // own, if it is kept in a directory
	against  []*bloomlsh.Reader
	remember string
}

// An index is one in memory or one on disk.
type index interface {
	stream.BatchIndex
	Parallelize(workers int)
	Stats() bloomlsh.Stats
	Usage() bloomlsh.Usage
	Close() error
}

// openStore opens the index of a directory: bloomlsh.Open, or another way.
type openStore func(dir string, p bloomlsh.Params, identity []bloomlsh.Parameter) (*bloomlsh.Store, error)

// openSeen opens it for keys of that kind.
func openSeen(c config.IndexFlags, kind keyKind, open openStore) (*seen, error) {
	s := &seen{remember: c.Remember}
	if err := s.open(c, kind, open); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *seen) open(c config.IndexFlags, kind keyKind, open openStore) error {
	params := indexParams(c, kind.bands)
	if err := params.Validate(); err != nil {
		return config.Usage(err)
	}
	asked := c.Against
	var err error
	switch {
	case c.ReadOnly:
		if c.Index != "" {
			asked = append([]string{c.Index}, asked...)
		}
	case c.Index != "":
		if s.store, err = open(c.Index, params, kind.identity); err != nil {
			return err
		}
		s.own = s.store
	default:
		x, err := bloomlsh.New(params)
		if err != nil {
			return err
		}
		s.own = x
	}
	for _, dir := range asked {
		r, err := bloomlsh.OpenReadOnly(dir, kind.bands, kind.identity)
		if err != nil {
			return err
		}
		s.against = append(s.against, r)
	}
	return nil
}

// durable is the index that is kept in a directory, or nil.
func (s *seen) durable() *bloomlsh.Store {
	if s == nil {
		return nil
	}
	return s.store
}

func indexParams(c config.IndexFlags, bands int) bloomlsh.Params {
	return bloomlsh.Params{
		Bands: bands, Capacity: uint64(c.Capacity), FPRate: c.FPRate, Filter: c.Filter, Remember: c.Remember, OnFull: c.OnFull,
	}
}

// Observe reports whether the record resembles one of any index, and takes it into the run's own.
func (s *seen) Observe(keys []stream.Key) (bool, error) {
	elsewhere := s.isElsewhere(keys)
	if s.own == nil || elsewhere && s.remember == bloomlsh.RememberUnseen {
		return elsewhere, nil
	}
	duplicate, err := s.own.Observe(keys)
	return duplicate || elsewhere, err
}

// ObserveBatch is Observe for several records.
func (s *seen) ObserveBatch(keys []stream.Key, duplicates []bool) (observed int, err error) {
	if len(duplicates) == 0 {
		return 0, nil
	}
	bands := len(keys) / len(duplicates)
	if s.own == nil || len(s.against) > 0 && s.remember == bloomlsh.RememberUnseen {
		for i := range duplicates {
			if duplicates[i], err = s.Observe(keys[i*bands : (i+1)*bands]); err != nil {
				return i, err
			}
		}
		return len(duplicates), nil
	}
	// What the own index takes in does not depend on the others.
	observed, err = s.own.ObserveBatch(keys, duplicates)
	for i := range observed {
		duplicates[i] = duplicates[i] || s.isElsewhere(keys[i*bands:(i+1)*bands])
	}
	return observed, err
}

// parallelize has several goroutines work on the run's own index where so many others read texts that one could not keep up with them:
// it takes an index about a seventh of the time that it takes to make the keys of a short text.
func (s *seen) parallelize(threads int) {
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	if s.own != nil {
		s.own.Parallelize(min(8, threads/4))
	}
}

func (s *seen) isElsewhere(keys []stream.Key) bool {
	for _, r := range s.against {
		if r.Query(keys) {
			return true
		}
	}
	return false
}

// usage is that of the run's own index, or of all others where it has none.
func (s *seen) usage() (u bloomlsh.Usage) {
	if s.own != nil {
		return s.own.Usage()
	}
	for _, r := range s.against {
		x := r.Usage()
		u.Inserted += x.Inserted
		u.Capacity += x.Capacity
		u.Bytes += x.Bytes
	}
	return u
}

// stats describes the run's own index, or all others where it has none.
func (s *seen) stats() []indexStats {
	if s.own != nil {
		return []indexStats{describeIndex(s.own.Stats())}
	}
	all := make([]indexStats, len(s.against))
	for i, r := range s.against {
		all[i] = describeIndex(r.Stats())
	}
	return all
}

func (s *seen) close() error {
	var errs []error
	if s.own != nil {
		errs = append(errs, s.own.Close())
	}
	for _, r := range s.against {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}
