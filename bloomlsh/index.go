package bloomlsh

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/windowclock"
)

// Index is the set of band keys seen so far. It is not safe for concurrent use.
type Index struct {
	*history
	*counts
	onDisk *diskAnswers
	judge  judge
	keys   *keyJudge   // nil if the index is tagged
	groups *groupJudge // nil unless the index is tagged
}

// A judge decides how many votes records have, and remembers the records.
type judge interface {
	// observe implements Index.Observe. If changed is not nil, observe calls it with the log entry
	// of each record that changed the index.
	observe(r records, votes []uint16, changed func(keys []Key) error) (observed int, err error)
	query(keys []Key, votes []uint16) error
	// remembers implements Index.Remembers for an index that forgets nothing.
	remembers(votes uint16) bool
}

// New returns an empty index. It returns ErrMemory if its first generation needs more than 80 % of
// the available memory.
func New(p Params) (*Index, error) {
	return newIndex(p, availableMemory)
}

func newIndex(p Params, memory memoryGauge) (*Index, error) {
	p = p.complete()
	if err := p.Validate(); err != nil {
		return nil, err
	}
	g, err := memory.plan(p)
	if err != nil {
		return nil, err
	}
	x := emptyIndex(p, memory)
	if err := x.addChecked(g); err != nil {
		return nil, err
	}
	return x, nil
}

// emptyIndex returns an index without generations.
func emptyIndex(p Params, memory memoryGauge) *Index {
	h := &history{params: p, memory: memory, cores: defaultCores, clock: windowclock.Clock{Window: windowclock.None}}
	x := &Index{history: h, counts: &counts{byVotes: make([]uint64, p.Bands+1)}, onDisk: &diskAnswers{history: h}}
	if p.isTagged() {
		x.groups = newGroupJudge(h, x.counts, x.onDisk)
		x.judge = x.groups
		return x
	}
	x.keys = &keyJudge{history: h, counts: x.counts, onDisk: x.onDisk, seen: make(bandSet, setWords(p.Bands))}
	x.judge = x.keys
	return x
}

// checkKeys returns an error if the number of keys does not match the number of records.
func (x *Index) checkKeys(keys, records int) error {
	if keys != records*x.params.Bands {
		return fmt.Errorf("%d band keys are given for %d records of %d bands each", keys, records, x.params.Bands)
	}
	return nil
}

// Observe looks up several records and remembers them, one after the other. keys holds the band
// keys of len(votes) records. Observe sets votes[i] to the number of bands of record i whose key an
// earlier record had in the same band; in a tagged index, only bands that name the same group
// count. A record with at least Params.Votes votes is a duplicate.
//
// Observe returns the number of records observed, counted from the first. It is less than
// len(votes) only if there is an error, such as ErrFull, ErrMemory or a wrong number of keys.
// Observe does not retain keys.
func (x *Index) Observe(keys []Key, votes []uint16) (observed int, err error) {
	return x.ObserveAt(nil, nil, keys, votes)
}

// ObserveBeside is like Observe for records that were looked up in other indexes before. The votes
// are the same as if all indexes were one.
func (x *Index) ObserveBeside(beside *Answers, keys []Key, votes []uint16) (observed int, err error) {
	return x.ObserveAt(nil, beside, keys, votes)
}

// ObserveAt is like ObserveBeside for records with times, which Params.ForgetAfter refers to. Times
// are in seconds since any fixed moment. times and beside may be nil.
func (x *Index) ObserveAt(times []int64, beside *Answers, keys []Key, votes []uint16) (observed int, err error) {
	return x.observe(records{times, beside, keys}, votes, nil)
}

// observe implements ObserveAt. If changed is not nil, observe calls it with the log entry of each
// record that changed the index.
func (x *Index) observe(r records, votes []uint16, changed func(keys []Key) error) (observed int, err error) {
	if err := x.checkKeys(len(r.keys), len(votes)); err != nil {
		return 0, err
	}
	if !r.beside.fit(len(votes), x.params.Bands) {
		return 0, fmt.Errorf("the answers of other indexes are not about these %d records", len(votes))
	}
	if !x.params.hasClock() || r.times == nil {
		return x.judge.observe(r, votes, changed)
	}
	if len(r.times) != len(votes) {
		return 0, fmt.Errorf("%d times are given for %d records", len(r.times), len(votes))
	}
	return x.observeTimed(r, votes, changed)
}

// Query sets votes[i] to the votes of record i, and does not change the index. keys holds the band
// keys of len(votes) records.
func (x *Index) Query(keys []Key, votes []uint16) error {
	if err := x.checkKeys(len(keys), len(votes)); err != nil {
		return err
	}
	if len(x.clock.Early) == 0 {
		return x.judge.query(keys, votes)
	}
	found := &Answers{bands: x.params.Bands}
	if err := x.Lookup(keys, found); err != nil {
		return err
	}
	for i := range votes {
		votes[i] = found.Votes(i)
	}
	return nil
}

// IsTagged reports whether only votes of one group count together. Such an index answers with
// votes, others with bands.
func (x *Index) IsTagged() bool { return x.groups != nil }

// Lookup adds what the index says about records to the answers. It does not change the index.
func (x *Index) Lookup(keys []Key, to *Answers) error {
	bands := x.params.Bands
	if len(keys)%bands != 0 || !to.fit(len(keys)/bands, bands) {
		return x.checkKeys(len(keys), len(keys)/bands+1)
	}
	x.lookupEarly(keys, windowclock.None, to)
	return x.lookup(keys, to)
}

// LookupAt is like Lookup for records with times, as for ObserveAt. A record that is ahead of the
// current window is compared only with what is young enough for it. times may be nil.
func (x *Index) LookupAt(times []int64, keys []Key, to *Answers) error {
	if !x.params.hasClock() || times == nil {
		return x.Lookup(keys, to)
	}
	bands, n := x.params.Bands, len(times)
	if len(keys) != n*bands || !to.fit(n, bands) {
		return x.checkKeys(len(keys), n)
	}
	if x.IsTagged() { // so that the parts share it
		to.GroupVotes(n)
	} else {
		to.Present(n)
	}
	for start, end := 0, 0; start < n; start = end {
		oldest := x.reach(times[start])
		for end = start + 1; end < n && x.reach(times[end]) == oldest; {
			end++
		}
		if err := x.lookupFrom(oldest, keys[start*bands:end*bands], to.part(start, end)); err != nil {
			return err
		}
	}
	return nil
}

// lookup is Lookup without early records.
func (x *Index) lookup(keys []Key, to *Answers) error {
	bands := x.params.Bands
	if x.groups == nil {
		return x.keys.queryBands(keys, to.Present(len(keys)/bands))
	}
	found := make([]uint16, len(keys)/bands)
	if err := x.judge.query(keys, found); err != nil {
		return err
	}
	for i, all := 0, to.GroupVotes(len(found)); i < len(all); i++ {
		all[i] = max(all[i], found[i])
	}
	return nil
}

// CanPrefetch reports whether Prefetch has an effect, which is the case if generations are on disk.
func (x *Index) CanPrefetch() bool { return x.hasStored() }

// Prefetch announces the records that will be observed next, so that generations on disk are read
// once for all of them. It retains keys until they have been observed, or until it is called with
// others. It does not affect verdicts.
func (x *Index) Prefetch(keys []Key) error {
	if len(keys)%x.params.Bands != 0 {
		return fmt.Errorf("%d band keys are foreseen by an index of %d bands", len(keys), x.params.Bands)
	}
	return x.onDisk.foresee(keys)
}

// Remembers reports whether a record for which the last call of Observe returned these votes is
// remembered permanently: any later copy of it, with the same keys, gets a vote from every band and
// changes nothing, whatever happens in between. Then ObserveCopies can replace Observe.
//
// An index that forgets remembers nothing permanently. While the first records of a generation are
// in small filters, Remembers also returns false for a record that had a vote from every band and
// therefore was not inserted: where the small filters erred, the large ones need not.
func (x *Index) Remembers(votes uint16) bool { return !x.params.forgets() && x.judge.remembers(votes) }

// ObserveCopies is like Observe for n copies of records that are remembered permanently. Each copy
// has a vote from every band.
func (x *Index) ObserveCopies(n int) error {
	x.counts.add(x.params.Bands, uint64(n), true)
	return nil
}

// Parallelize lets Observe use that many goroutines besides the calling one, where possible. It may
// be called only once.
func (x *Index) Parallelize(workers int) {
	if x.params.Remember == RememberAll && x.keys != nil {
		x.workers = min(workers, x.params.Bands)
	}
}

// UseCores lets the index use count processors for work that everything waits for, which is moving
// the first records of a generation to its filters. wide must run the work it is given, which may
// use all of them meanwhile. Without UseCores, the index uses as many processors as the process had
// when it started.
func (x *Index) UseCores(count int, wide func(work func())) {
	x.cores = cores{count, wide}
	for _, g := range x.generations {
		g.cores = x.cores
	}
}

// Close releases the memory. The index cannot be used afterwards.
func (x *Index) Close() (err error) { return x.close() }
