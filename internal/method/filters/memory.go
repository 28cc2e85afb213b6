package filters

import (
	"errors"
	"sync/atomic"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Memory is what a run remembers and compares with: its index, by votes or by parts of records.
type Memory struct {
	own     filterIndex     // remembers the records of the run; nil under --read-only
	Store   *bloomlsh.Store // own, if it is kept in a directory
	against []*bloomlsh.Reader
	before  earlierVotes // from other indexes, which were searched before the run, one after the other
	bands   int
	Votes   int              // that make a duplicate
	planned uint64           // how many records, or parts of these, own was made for; 0 without it
	others  bloomlsh.Answers // of the other indexes about the records being judged
	share   uint64           // of --max-memory, for the filters of each index; 0 if there is no limit
	tidy    bool             // garbage is collected more often

	size     struct{ inserted, capacity, bytes atomic.Uint64 } // for others to read while the committer works
	observed uint64                                            // records since the run began
}

// A filterIndex is an index in memory or on disk.
type filterIndex interface {
	Observe(keys []bloomlsh.Key, votes []uint16) (observed int, err error)
	Query(keys []bloomlsh.Key, votes []uint16) error
	Remembers(votes uint16) bool
	ObserveCopies(n int) error
	ObserveAt(times []int64, beside *bloomlsh.Answers, keys []bloomlsh.Key, votes []uint16) (observed int, err error)
	Lookup(keys []bloomlsh.Key, to *bloomlsh.Answers) error
	Parallelize(workers int)
	UseCores(count int, wide func(work func()))
	Stats() bloomlsh.Stats
	ByVotes() (needed int, records []uint64, largest uint64)
	Crowds() []bloomlsh.CrowdFound
	Usage() bloomlsh.Usage
	Close() error
}

// Open opens the indexes of a run whose sketches are band keys.
func Open(o Opening) (*Memory, error) {
	s := &Memory{bands: o.Keys.Bands, Votes: o.Keys.Votes}
	planned, err := o.capacity()
	if err != nil {
		return nil, err
	}
	memory := o.Method.Memory
	memory.Filters.Capacity = planned.records
	if err := s.open(memory, planned.blind, o); err != nil {
		return nil, errors.Join(planned.explain(err), s.Close())
	}
	if !memory.ReadOnly {
		s.planned = planned.records
	}
	if s.own != nil {
		// An index takes about a seventh of the time that it takes to sketch a short text. So with
		// many threads one goroutine could not keep up with them.
		s.own.Parallelize(min(8, o.Cores.Threads/4))
		if o.Cores.Wide != nil {
			s.own.UseCores(o.Cores.Count, o.Cores.Wide)
		}
	}
	s.updateSize()
	return s, nil
}

func (s *Memory) open(m spec.Memory, blind bool, o Opening) error {
	kind := o.Keys
	params, err := s.limit(Params(m, kind), m)
	if err != nil {
		return err
	}
	if blind {
		params = params.Unplanned()
	}
	if err := params.Validate(); err != nil {
		return usage.Error(err)
	}
	asked := m.Against
	switch {
	case m.ReadOnly:
		asked = m.Indexes()
	case m.Index != "":
		parameters, err := identity.WithMadeBy(kind.Kept(), m)
		if err != nil {
			return err
		}
		if s.Store, err = bloomlsh.OpenPrepared(m.Index, params, parameters, o.Decide); err != nil {
			return err
		}
		s.own = s.Store
	default:
		x, err := bloomlsh.New(params)
		if err != nil {
			return err
		}
		s.own = x
	}
	if last := len(asked) - 1; m.ReadOnly && last > 0 && o.EachKey != nil {
		if s.before, err = s.queryEach(asked[:last], kind, o.EachKey); err != nil {
			return err
		}
		asked = asked[last:]
	}
	for _, dir := range asked {
		r, err := bloomlsh.OpenReadOnlyIn(s.share, dir, kind.Bands, kind.Kept())
		if err != nil {
			return err
		}
		s.against = append(s.against, r)
	}
	return nil
}

// Judge returns the judge of a run whose sketches are band keys.
func (s *Memory) Judge() stream.Judge {
	return stream.ByVotes(stream.BandIndex{
		Observe: s.Observe, ObserveAt: s.ObserveAt, CanPrefetch: s.CanPrefetch, Prefetch: s.Prefetch,
		Remembers: s.Remembers, ObserveCopies: s.ObserveCopies,
	}, s.Votes)
}

// Durable returns the index if it is kept in a directory, or nil.
func (s *Memory) Durable() *bloomlsh.Store {
	if s == nil {
		return nil
	}
	return s.Store
}

// Params returns the parameters of Bloom filters for keys of a kind.
func Params(m spec.Memory, kind identity.KeyKind) bloomlsh.Params {
	secret, _ := identity.SecretOf(kind.Identity)
	pageSeed := secret.PageSeed()
	if m.Filters.Kind == bloomlsh.FilterClassic { // it has no pages
		pageSeed = 0
	}
	return bloomlsh.Params{
		PageSeed: pageSeed,
		Bands:    kind.Bands, Votes: kind.Votes, Capacity: m.Filters.Capacity, FPRate: m.Filters.FPRate,
		Filter: m.Filters.Kind, Remember: m.Remember, OnFull: m.Filters.OnFull, KeepGenerations: m.Forget.Generations,
		ForgetAfter: m.Forget.After,
	}
}

// Observe searches all indexes for some records, and inserts these into the run's own.
func (s *Memory) Observe(keys []bloomlsh.Key, votes []uint16) (observed int, err error) {
	return s.ObserveAt(nil, keys, votes)
}

// ObserveAt is Observe for records with these times, in seconds.
func (s *Memory) ObserveAt(times []int64, keys []bloomlsh.Key, votes []uint16) (observed int, err error) {
	observed, err = s.observe(times, keys, votes)
	s.count(observed)
	return observed, err
}

// count counts records, and updates the size of the indexes from time to time.
func (s *Memory) count(observed int) {
	before := s.observed
	if s.observed += uint64(observed); before/gaugeInterval != s.observed/gaugeInterval {
		s.updateSize()
	}
}

func (s *Memory) observe(times []int64, keys []bloomlsh.Key, votes []uint16) (observed int, err error) {
	if len(s.against) == 0 {
		return s.own.ObserveAt(times, nil, keys, votes)
	}
	if err := s.queryOthers(times, keys, &s.others); err != nil {
		return 0, err
	}
	if s.own != nil {
		return s.own.ObserveAt(times, &s.others, keys, votes)
	}
	for i := range votes {
		votes[i] = s.others.Votes(i)
	}
	return len(votes), nil
}

// queryOthers searches the other indexes for records with these times, which may be nil.
func (s *Memory) queryOthers(times []int64, keys []bloomlsh.Key, to *bloomlsh.Answers) error {
	to.Reset(s.bands)
	for _, r := range s.against {
		if err := r.LookupAt(times, keys, to); err != nil {
			return err
		}
	}
	return s.before.add(len(keys)/s.bands, to)
}

// VotesOf returns how many votes a record has, and inserts nothing.
func (s *Memory) VotesOf(keys []bloomlsh.Key) (votes int, err error) {
	var all bloomlsh.Answers
	if err := s.queryOthers(nil, keys, &all); err != nil {
		return 0, err
	}
	if s.own != nil {
		if err := s.own.Lookup(keys, &all); err != nil {
			return 0, err
		}
	}
	return int(all.Votes(0)), nil
}

// Query searches all indexes for some records of one band, without changing any.
func (s *Memory) Query(keys []bloomlsh.Key, votes []uint16) error {
	if len(s.against) == 0 {
		return s.own.Query(keys, votes)
	}
	if err := s.queryOthers(nil, keys, &s.others); err != nil {
		return err
	}
	clear(votes)
	if s.own != nil {
		if err := s.own.Query(keys, votes); err != nil {
			return err
		}
	}
	for i := range votes {
		votes[i] = max(votes[i], s.others.Votes(i))
	}
	return nil
}

// Planned returns the number of records, or of their parts, that the run's own filters were made
// for, or 0 without such filters.
func (s *Memory) Planned() uint64 { return s.planned }

// Close closes all indexes.
func (s *Memory) Close() error {
	if s == nil {
		return nil
	}
	var errs []error
	if store := s.Durable(); store != nil {
		errs = append(errs, store.Discard())
	} else if s.own != nil {
		errs = append(errs, s.own.Close())
	}
	for _, r := range s.against {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}
