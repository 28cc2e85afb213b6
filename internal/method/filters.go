package method

import (
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Filters is what a run remembers and compares with: its index, by votes or by parts of records.
type Filters struct {
	own     filterIndex     // remembers the records of the run; nil under --read-only
	Store   *bloomlsh.Store // own, if it is kept in a directory
	against []*bloomlsh.Reader
	before  earlierVotes // in other indexes, which were searched before the run, one after the other
	bands   int
	Votes   int              // that make a duplicate
	planned uint64           // how many records, or parts of these, own was made for; 0 without it
	others  bloomlsh.Answers // of the other indexes about the records being judged
	share   uint64           // of --max-memory, for the filters of each index; 0 if there is no limit
	tidy    bool             // garbage is collected more often

	size     struct{ inserted, capacity, bytes atomic.Uint64 } // for others to read while the committer works
	observed uint64                                            // records since the run began
}

// A filterIndex is one in memory or one on disk.
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

// withMadeBy adds to an identity the flags of the run, which a new index keeps.
func (o *Opening) withMadeBy(parameters []bloomlsh.Parameter) ([]bloomlsh.Parameter, error) {
	flags := o.Method.Memory.MadeBy
	if len(flags) == 0 {
		return parameters, nil
	}
	text, err := json.Marshal(flags)
	madeBy := bloomlsh.Parameter{Name: bloomlsh.MadeByParameter, Value: string(text)}
	return append([]bloomlsh.Parameter{madeBy}, parameters...), err
}

// beginFilters opens Bloom filters that judge records by their band keys, or by their parts.
func beginFilters(o *Opening) (*Detector, error) {
	filters, err := OpenFilters(*o)
	if err != nil {
		return nil, err
	}
	j := &Detector{Judge: filters.Judge(), Filters: filters, Ahead: o.ahead()}
	switch {
	case o.Method.Rule.Parts.IsEnabled():
		err = j.byParts(o.Method, overlap.Memory{Observe: filters.Observe, Query: filters.Query})
	case o.Method.Rule.Parts.Method == "":
		j.Similarity = o.Keys.Rule.Similarity
	}
	return j, err
}

// OpenFilters opens the indexes of a run whose sketches are band keys.
func OpenFilters(o Opening) (*Filters, error) {
	s := &Filters{bands: o.Keys.Bands, Votes: o.Keys.Votes}
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

func (s *Filters) open(m spec.Memory, blind bool, o Opening) error {
	kind := o.Keys
	params, err := s.limit(IndexParams(m, kind), m)
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
		parameters, err := o.withMadeBy(kind.Kept())
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

// Judge is the judge of a run: its sketches are band keys.
func (s *Filters) Judge() stream.Judge {
	return stream.ByVotes(stream.BandIndex{
		Observe: s.Observe, ObserveAt: s.ObserveAt, CanPrefetch: s.CanPrefetch, Prefetch: s.Prefetch,
		Remembers: s.Remembers, ObserveCopies: s.ObserveCopies,
	}, s.Votes)
}

// durable returns the index if it is kept in a directory; otherwise nil.
func (s *Filters) durable() *bloomlsh.Store {
	if s == nil {
		return nil
	}
	return s.Store
}

// IndexParams are the parameters of Bloom filters for keys of a kind.
func IndexParams(m spec.Memory, kind identity.KeyKind) bloomlsh.Params {
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
func (s *Filters) Observe(keys []bloomlsh.Key, votes []uint16) (observed int, err error) {
	return s.ObserveAt(nil, keys, votes)
}

// ObserveAt is Observe for records with these times, in seconds.
func (s *Filters) ObserveAt(times []int64, keys []bloomlsh.Key, votes []uint16) (observed int, err error) {
	observed, err = s.observe(times, keys, votes)
	s.count(observed)
	return observed, err
}

// count counts records, and updates the size of the indexes from time to time.
func (s *Filters) count(observed int) {
	before := s.observed
	if s.observed += uint64(observed); before/gaugeInterval != s.observed/gaugeInterval {
		s.updateSize()
	}
}

func (s *Filters) observe(times []int64, keys []bloomlsh.Key, votes []uint16) (observed int, err error) {
	if len(s.against) == 0 {
		return s.own.ObserveAt(times, nil, keys, votes)
	}
	if err := s.queryOthers(keys, &s.others); err != nil {
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

// queryOthers searches the other indexes.
func (s *Filters) queryOthers(keys []bloomlsh.Key, to *bloomlsh.Answers) error {
	to.Reset(s.bands)
	for _, r := range s.against {
		if err := r.Lookup(keys, to); err != nil {
			return err
		}
	}
	return s.before.add(len(keys)/s.bands, to)
}

// VotesOf returns how many votes a record has, and inserts nothing.
func (s *Filters) VotesOf(keys []bloomlsh.Key) (votes int, err error) {
	var all bloomlsh.Answers
	if err := s.queryOthers(keys, &all); err != nil {
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
func (s *Filters) Query(keys []bloomlsh.Key, votes []uint16) error {
	if len(s.against) == 0 {
		return s.own.Query(keys, votes)
	}
	if err := s.queryOthers(keys, &s.others); err != nil {
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

// gaugeInterval is the number of records between updates: few enough to be current, many enough to
// cost nothing.
const gaugeInterval = 4096

// updateSize notes the size of the indexes for others.
func (s *Filters) updateSize() {
	u := s.Usage()
	s.size.inserted.Store(u.Inserted)
	s.size.capacity.Store(u.Capacity)
	s.size.bytes.Store(u.Bytes)
}

// ByVotes returns the number of records by their votes since the index was opened. It is empty if
// one vote is enough, or if the run has no index of its own.
func (s *Filters) ByVotes() (needed int, records []uint64, largest uint64) {
	if s == nil || s.own == nil {
		return 0, nil, 0
	}
	return s.own.ByVotes()
}

// Crowds returns the crowds that the run's own index has found since it was opened.
func (s *Filters) Crowds() []bloomlsh.CrowdFound {
	if s == nil || s.own == nil {
		return nil
	}
	return s.own.Crowds()
}

// Usage returns the usage of the run's own index, or of all others if it has none.
func (s *Filters) Usage() (u bloomlsh.Usage) {
	if s.own != nil {
		return s.own.Usage()
	}
	for _, r := range s.against {
		x := r.Usage()
		u.Inserted += x.Inserted
		u.Capacity += x.Capacity
		u.Bytes += x.Bytes
	}
	u.Inserted += s.before.usage.Inserted
	u.Capacity += s.before.usage.Capacity
	u.Bytes = max(u.Bytes, s.before.usage.Bytes) // they are not open together
	return u
}

// Stats describes the run's own index, or all others if it has none.
func (s *Filters) Stats() []IndexStats {
	if s == nil {
		return nil
	}
	if s.own != nil {
		return []IndexStats{DescribeIndex(s.own.Stats())}
	}
	all := slices.Clone(s.before.stats)
	for _, r := range s.against {
		all = append(all, DescribeIndex(r.Stats()))
	}
	return all
}

func (s *Filters) Close() error {
	if s == nil {
		return nil
	}
	var errs []error
	if store := s.durable(); store != nil {
		errs = append(errs, store.Discard())
	} else if s.own != nil {
		errs = append(errs, s.own.Close())
	}
	for _, r := range s.against {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}
