package bloomlsh

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/windowclock"
)

// Index is the set of band keys seen so far. It is not safe for concurrent use: one goroutine owns
// it.
type Index struct {
	params      Params
	generations []*generation     // the last one takes insertions, the others are only asked
	forgotten   int               // generations that there were before these
	clock       windowclock.Clock // by which they are closed, if there is one
	foreseen    foreseen          // of records that come next
	groups      *groupIndex       // what a tagged index has besides; else nil
	// spill writes a generation that is full to its base file. It is nil for an index that is
	// nowhere on disk.
	spill      func(number int, g *generation) (*baseFile, error)
	observed   uint64
	duplicates uint64
	byVotes    []uint64 // records observed since the index was opened, by their votes
	settled    bool     // all that were observed the last time met the same large filters
	memory     memoryGauge
	cores      cores

	seen     bandSet   // of the record at hand
	workers  int       // goroutines that observe a batch together, if there are several
	crew     *crew     // what they are, or nil
	outcomes []outcome // of the batch at hand

	votes     []uint16    // scratch of QueryBands
	olderSets []uint64    // bands that older generations have, of the records of the batch at hand
	spreads   []keySpread // of these records
}

// New returns an empty index. It fails with ErrMemory if its first generation needs more than 80 %
// of the available memory.
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

// emptyIndex has no generation yet.
func emptyIndex(p Params, memory memoryGauge) *Index {
	x := &Index{params: p, memory: memory, cores: defaultCores, seen: make(bandSet, setWords(p.Bands)),
		byVotes: make([]uint64, p.Bands+1),
		clock:   windowclock.Clock{Window: windowclock.None}}
	if p.isTagged() {
		x.groups = newGroupIndex(p)
	}
	return x
}

func (x *Index) addGeneration(g geometry) error {
	if err := errors.Join(x.forget(), x.makeRoom(x.generations, g.bytes())); err != nil {
		return err
	}
	if err := x.memory.check(g.memory(x.params.Votes), x.number(len(x.generations))); err != nil {
		return err
	}
	return x.addChecked(g)
}

// makeRoom has generations, the first ones of the index, stored until there is room for more.
func (x *Index) makeRoom(generations []*generation, more uint64) error {
	if x.params.Memory == 0 || x.spill == nil {
		return nil
	}
	for i, older := range generations {
		if x.bytes()-x.storedBytes()+more <= x.params.Memory {
			break
		}
		if older.stored != nil || older.isSmall() {
			continue
		}
		base, err := x.spill(x.number(i), older)
		if err != nil {
			return err
		}
		x.dismiss() // the crew asks it
		if err := older.store(base); err != nil {
			return err
		}
	}
	return nil
}

// geometryOf is the geometry of the i-th generation, dropped ones included. Dropped ones are never
// read again, so any geometry that the parameters allow will do.
func (x *Index) geometryOf(i int) geometry {
	if i < x.forgotten {
		return planGeneration(x.params, i)
	}
	return x.generations[i-x.forgotten].geometry
}

// number is what the i-th generation is called, from 1 on. No other one ever gets that number.
func (x *Index) number(i int) int { return x.forgotten + i + 1 }

// forget makes room for a generation, if there are as many as may be kept.
func (x *Index) forget() error {
	switch {
	case x.params.hasClock() && len(x.generations) == maxWindows:
		return fmt.Errorf("%w: there are %d generations, none of which may be forgotten: plan a larger capacity",
			ErrFull, maxWindows)
	case x.params.hasClock() || !x.params.forgets() || len(x.generations) < x.params.KeepGenerations:
		return nil
	}
	return x.drop()
}

// drop drops the oldest generation.
func (x *Index) drop() error {
	x.dismiss() // the crew asks it
	oldest := x.generations[0]
	x.generations = slices.Delete(x.generations, 0, 1)
	x.forgotten++
	return oldest.close()
}

// addChecked adds a generation for which there is memory.
func (x *Index) addChecked(g geometry) error {
	g.seed = x.params.PageSeed
	added, err := newGeneration(g, x.params.Votes, x.cores)
	if err == nil {
		x.generations = append(x.generations, added)
	}
	return err
}

// checkKeys refuses a number of keys that does not fit the number of records.
func (x *Index) checkKeys(keys, records int) error {
	if keys != records*x.params.Bands {
		return fmt.Errorf("%d band keys are given for %d records of %d bands each", keys, records, x.params.Bands)
	}
	return nil
}

// observeOne observes a record, and reports whether its keys changed the index: the keys of those
// records are what the log on disk is made of. beside is what other indexes say of the record.
// After an error the record does not count as observed, and nothing was
// inserted.
func (x *Index) observeOne(keys []Key, beside *Answers) (votes uint16, changed bool, err error) {
	seen := x.seen
	clear(seen)
	stored := false
	if err := x.lookAll(keys, seen, func(int) { stored = true }); err != nil {
		return 0, false, err
	}
	x.pass(1)
	copied := (inOlder(x.older(), keys, seen) || stored) && !x.params.forgets() // else what recurs would be forgotten
	current := x.current()
	inCurrent := current.filter.contains(keys, 0, seen)
	for band, present := range beside.bandsOf(0) {
		if present {
			seen.put(band)
		}
	}
	votes = max(uint16(seen.count()), beside.groupVotes(0))
	needless := copied || inCurrent == len(keys) || // copies take no room
		x.params.Remember == RememberUnseen && int(votes) >= x.params.Votes
	if !needless {
		if current.full() {
			if err := x.grow(); err != nil {
				return 0, false, err
			}
			current = x.current()
		}
		current.makeRoom(1)
		current.filter.add(keys)
		current.inserted++
	}
	x.count(int(votes))
	return votes, !needless, nil
}

// Close gives the memory back. The index cannot be used after it.
func (x *Index) Close() (err error) {
	x.dismiss()
	for _, g := range x.generations {
		err = errors.Join(err, g.close())
	}
	x.generations = nil
	return err
}

func (x *Index) current() *generation { return x.generations[len(x.generations)-1] }

func (x *Index) older() []*generation { return x.generations[:len(x.generations)-1] }

// count counts a record that has so many votes.
func (x *Index) count(votes int) {
	x.observed++
	x.byVotes[votes]++
	if votes >= x.params.Votes {
		x.duplicates++
	}
}

// grow opens the next generation. It depends on the count of inserted records alone, so that a run
// can be repeated exactly.
func (x *Index) grow() error {
	if x.params.OnFull == OnFullRefuse {
		return fmt.Errorf("%w: it holds the %d records that it was planned for: plan a larger capacity, or let it grow",
			ErrFull, x.params.Capacity)
	}
	return x.openGeneration()
}

// openGeneration opens the generation that is due.
func (x *Index) openGeneration() error {
	due := planGeneration(x.params, x.forgotten+len(x.generations))
	if x.params.hasClock() {
		due = x.dueInWindow()
	}
	err := x.addGeneration(due)
	if err == nil {
		x.current().window = x.clock.Window
	}
	return err
}
