package samples

import (
	"cmp"
	"errors"
	"runtime"
	"slices"
	"unsafe"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/postings"
	"github.com/mithril-stream/mithril-stream/internal/spill"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// An Index finds records by their samples. It is not safe for concurrent use.
type Index struct {
	memory.Core
	params  Params
	top     int // the level of long texts
	entries entries
	sets    memory.Sets
	hashLists
	current
	restored
	alike []found // scratch buffer
}

// hashLists map hashes to the entries that have them, in memory and in what was sealed.
type hashLists struct {
	tables   [tables]postings.Table // the last one is from hashes of sketches
	empty    uint64                 // bytes of empty tables
	parts    []*spill.Part          // what was sealed, in the order of entries
	sealed   uint32                 // number of sealed entries
	commons  int                    // words in tables that mark common hashes
	gathered []uint64               // words of a key from sealed parts and from memory
}

// current is the current record.
type current struct {
	words   []uint64
	own     fracminhash.Sketch
	sample  []uint64
	check   uint64   // hash of words
	uppers  []uint32 // uppers of its finerPart, if it may be a duplicate
	finer   packed   // its finer sample; scratch
	tally   tally
	weight  []uint32 // weight of all its hashes, at each level
	counts  []uint32 // number of its uncommon hashes, at each level
	common  int      // number of common hashes in its sample
	crowded int      // number of hashes in its sample with crowdedSources or more
	byKeys  nearness
}

// A nearness holds what near keys tell about the current record.
type nearness struct {
	keys    []uint32 // scratch
	sharing tally    // the entries with one of them
}

// restored is an entry that is read from a log.
type restored struct {
	decoded []uint64 // its words
	logged  loggedCopy
	orphans map[uint64]uint32 // for forgotten records with copies, the first copy
	place   memory.SetPlace   // place of its set
}

const (
	// hashTables is the number of tables that map hashes to entries. A table is copied when it
	// grows, so only a fraction of the memory is needed twice.
	hashTables = 16
	tables     = hashTables + 1
	ofSketches = hashTables // the table that maps hashes and near keys of sketches to entries
)

var _ memory.Index = (*Index)(nil)

// New returns an empty index. Load or Read fills it from a log.
func New(p Params) (*Index, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	top := p.sampling().MaxLevel()
	x := &Index{params: p, top: top, entries: newEntries(p)}
	x.weight, x.counts = make([]uint32, top+1), make([]uint32, top+1)
	x.Core = memory.NewCore(kind{x}, p.UnseenOnly)
	if err := x.newTables(); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	x.empty = x.tableBytes()
	return x, nil
}

// newTables replaces all tables with empty ones.
func (x *hashLists) newTables() (err error) {
	for i := range hashTables {
		if x.tables[i], err = postings.NewAmong(postings.Dense, i, hashTables); err != nil {
			return err
		}
	}
	x.tables[ofSketches], err = postings.New(postings.Dense)
	return err
}

// tableOf returns the table that a hash belongs to, and keyOf its key there. Neither uses the upper
// bits, which are zero in all hashes of a level.
func tableOf(hash uint64) int { return int(hash >> 32 % hashTables) }

func keyOf(hash uint64) uint32 { return uint32(hash) }

// setCurrent makes the record of a sketch the current one.
func (x *Index) setCurrent(words []uint64) {
	x.words, x.own = words, fracminhash.Read(words)
	x.sample = x.own.Sample()
	x.check = xxh3.Hash(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), wordBytes*len(words)))
	touched := x.touch(ofSketches, uint32(x.check))
	for _, h := range x.sample {
		touched |= x.touch(tableOf(h), keyOf(h))
	}
	runtime.KeepAlive(touched)
}

// touch reads what a lookup of key reads first, in its table and in the filters of sealed parts.
func (x *hashLists) touch(table int, key uint32) uint64 {
	touched := x.tables[table].Touch(key)
	for _, p := range x.parts {
		touched |= p.Tables[table].Filter.Touch(markOf(key))
	}
	return touched
}

// copyOf returns the entry with the same sketch, if there is one. It compares 64 bits of samples,
// and all of sets.
func (x *Index) copyOf() (entry uint32, known bool, err error) {
	key := uint32(x.check)
	for _, word := range x.wordsOf(ofSketches, key, x.tables[ofSketches].Of(key)) {
		entry := entryOf(word)
		if x.entries.check(entry) != uint32(x.check>>32) {
			continue
		}
		if x.own.IsSet {
			at := x.entries.setAt(entry)
			if at.Len() != len(x.own.Hashes) {
				continue
			}
			set, err := x.sets.Of(at, at.Len())
			if err != nil {
				return 0, false, err
			}
			if !slices.Equal(set, x.own.Hashes) {
				continue
			}
		}
		return entry, true, nil
	}
	return 0, false, nil
}

// count computes the weight of the current record's hashes, and of those it shares with each entry.
func (x *Index) count() {
	x.tally.reset()
	clear(x.weight)
	clear(x.counts)
	x.common, x.crowded = 0, 0
	for _, h := range x.sample {
		has := x.having(h)
		x.crowded += has.crowds()
		if has.isCommon() {
			x.common++
			continue
		}
		weight, level := weightOf(has.sources), min(fracminhash.LevelOf(h), x.top)
		x.weight[level] += weight
		x.counts[level]++
		for _, word := range has.words {
			x.tally.add(entryOf(word), weight)
		}
	}
	for level := x.top; level > 0; level-- {
		x.weight[level-1] += x.weight[level]
		x.counts[level-1] += x.counts[level]
	}
}

// shares are two fractions: how much of the current record is in an entry, and how much of the
// entry is in the record.
type shares struct {
	in, of float64
	near   float64 // like in, but all uncommon hashes count the same; 0 unless the entry may be near
}

// found is an entry with the share that counts.
type found struct {
	entry    uint32
	share    float64
	contains bool // the current record contains the entry
	near     bool // it is a near copy of the entry
}

// before orders by descending share, then by entry.
func (f found) before(other found) int {
	return cmp.Or(cmp.Compare(other.share, f.share), cmp.Compare(f.entry, other.entry))
}

func (e *entries) match(f found) memory.Match {
	return memory.Match{
		Record: e.record(f.entry), Similarity: float32(f.share), Contains: f.contains,
	}
}

// estimate returns the shares that the samples indicate for an entry. They are zero if fewer than
// least hashes are shared.
func (x *Index) estimate(s shared, least int) (of shares) {
	if int(s.count) < least {
		return of
	}
	level := max(x.own.Level, x.entries.level(s.entry))
	of.in = float64(s.weight) / float64(x.weight[level])
	if all := x.entries.weight(s.entry, level); all > 0 {
		// hashes with the same key cannot be told apart, so this may exceed 1
		of.of = min(1, float64(s.weight)/float64(all))
	}
	if float64(s.count) >= x.params.leastOfNear(x.counts[level]) {
		of.near = float64(s.count) / float64(x.counts[level])
	}
	return of
}

// judge reports whether an entry makes the current record a duplicate. If the entry contains the
// record, it does not matter whether the record contains the entry, unless it is a near copy.
func (p *Params) judge(entry uint32, of shares) (f found, isOne bool) {
	switch {
	case of.in >= p.Threshold:
		return found{entry: entry, share: of.in}, true
	case of.near > 0 && of.of >= p.Threshold:
		return found{entry: entry, share: of.near, near: true}, true
	case p.Either && of.of >= p.Threshold:
		return found{entry: entry, share: of.of, contains: true}, true
	}
	return f, false
}

// larger returns an entry with the larger one of its shares.
func larger(entry uint32, of shares) found {
	if of.of > of.in {
		return found{entry: entry, share: of.of, contains: true}
	}
	return found{entry: entry, share: of.in}
}

// best returns the entry with the largest share of those that make the current record a duplicate,
// the earliest if several are equal. x.alike then contains at least that entry and the one that the
// record is a copy of.
func (x *Index) best() (best found, isOne bool, err error) {
	x.findAlike()
	if x.params.hasFiner() {
		slices.SortFunc(x.alike, found.before)
		x.confirmFirst()
	} else {
		err = x.confirm()
	}
	if len(x.alike) == 0 && err == nil {
		err = x.findByKeys(false)
	}
	best, isOne = bestOf(x.alike)
	return best, isOne, err
}

// bestOf returns the entry with the largest share, the earliest if several are equal.
func bestOf(all []found) (best found, isOne bool) {
	for _, f := range all {
		if !isOne || f.before(best) < 0 {
			best, isOne = f, true
		}
	}
	return best, isOne
}

// originalOf returns the entry that the current record is a copy of: among those that make it a
// duplicate, the one that contains most of it. A record that contains an earlier one is not a copy,
// since it has more.
func originalOf(alike []found) (entry uint32, isCopy bool) {
	most := 0.
	for _, f := range alike {
		if !f.contains && (!isCopy || f.before(found{entry: entry, share: most}) < 0) {
			entry, most, isCopy = f.entry, f.share, true
		}
	}
	return entry, isCopy
}

// duplicates returns all entries that make the current record a duplicate, in any order. The slice
// is x.alike, valid until the next call.
func (x *Index) duplicates() ([]found, error) {
	x.findAlike()
	if err := x.confirm(); err != nil {
		return nil, err
	}
	err := x.findByKeys(true)
	return x.alike, err
}

// findAlike sets x.alike to the entries that make the current record a duplicate by the samples.
func (x *Index) findAlike() {
	x.count()
	x.alike = x.alike[:0]
	leastOfNear := x.params.leastOfNear(x.counts[x.top])
	for _, s := range x.tally.list {
		if !x.params.canBeDuplicate(s, x.weight[x.top], leastOfNear) {
			continue
		}
		if f, isOne := x.params.judge(s.entry, x.estimate(s, Least)); isOne {
			x.alike = append(x.alike, f)
		}
	}
}

// confirm drops from x.alike what the finer samples or the sets do not confirm.
func (x *Index) confirm() (err error) {
	switch x.params.Beside {
	case fracminhash.Set:
		x.alike, err = x.confirmed(x.alike)
	case fracminhash.Finer:
		if len(x.alike) == 0 {
			return nil
		}
		finer := finerSamplesOf(x)
		x.alike = slices.DeleteFunc(x.alike, func(f found) bool { return !finer.confirm(f) })
	}
	return err
}

// confirmFirst drops from x.alike, which is in order, all that the finer samples do not confirm,
// and all after the first entry that they confirm as containing the current record. In a crowd of
// copies there are very many of the latter.
func (x *Index) confirmFirst() {
	if len(x.alike) == 0 {
		return
	}
	finer, confirmed := finerSamplesOf(x), x.alike[:0]
	for _, f := range x.alike {
		if !finer.confirm(f) {
			continue
		}
		confirmed = append(confirmed, f)
		if !f.contains {
			break
		}
	}
	x.alike = confirmed
}

// finerSamples compares the current record with the finer samples of entries.
type finerSamples struct {
	own     finerPart
	params  *Params
	entries *entries
}

func finerSamplesOf(x *Index) finerSamples {
	own := finerPartOf(x.uppers[:0], x.own, x.common)
	x.uppers = own.uppers
	return finerSamples{own, &x.params, &x.entries}
}

// confirm reports whether the finer samples confirm what the samples found.
func (s finerSamples) confirm(f found) bool {
	return s.params.confirms(s.own, s.entries.finer(f.entry), f)
}

// canBeDuplicate reports whether an entry that shares that many hashes can make the current record
// a duplicate. It does not read the entry. weight and leastOfNear belong to the level of long
// texts.
func (p *Params) canBeDuplicate(s shared, weight uint32, leastOfNear float64) bool {
	return p.Either || float64(s.weight) >= p.Threshold*float64(weight) ||
		float64(s.count) >= leastOfNear
}

// Stats describes the index.
func (x *Index) Stats() memory.Stats {
	s := x.Counted()
	s.Bytes = x.entries.bytes() + x.tableBytes() + x.sealedBytes()
	s.LogBytes, s.Sealed = x.sets.LogBytes(), uint64(x.sealed)
	for _, p := range x.parts {
		s.FileBytes += p.File.Bytes()
	}
	return s
}

func (x *hashLists) tableBytes() (bytes uint64) {
	for i := range x.tables {
		bytes += x.tables[i].Bytes()
	}
	return bytes
}

// Close frees the memory of the index.
func (x *Index) Close() error {
	errs := []error{x.entries.close(), x.sets.Close()}
	for i := range x.tables {
		errs = append(errs, x.tables[i].Release())
	}
	for _, p := range x.parts {
		errs = append(errs, p.Close())
	}
	*x = Index{}
	return errors.Join(errs...)
}
