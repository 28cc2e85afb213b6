package bloomlsh

import (
	"math"
	"math/bits"
	"sync"
)

// paged is an array of page-local partitioned Bloom filters. A key selects one 4 KiB page of its
// band, one line of 64 bytes in each partition of the page, and one bit in each of the 8 words of
// those lines. So a key costs a few cache misses and one address translation, where a plain Bloom
// filter costs a miss and a translation for each of its 20 to 40 bits. In return, paged needs 6 to
// 19 % more bits for the same rate (rate.go).
//
// The cache misses overlap: all lines of a record are located first, then prefetched, so that the
// memory system works on all of them at once, and only then tested and set. In a batch, the lines
// of the next records are prefetched before those of a record are set, so that only the first ones
// are waited for.
type paged struct {
	words      []uint64
	pages      uint64 // pages of one band
	mask       uint64 // argument of spread
	partitions int
	parts      [maxPartitions]partition
	perRecord  int         // lines per record
	ahead      int         // number of records whose lines are prefetched before they are set
	spreads    []keySpread // for the current record, or for several records of one band
	lines      []pagedLine // for the current record and those ahead: partitions lines for each band
	sink       uint64      // keeps the compiler from removing the loads of fetch
}

// A partition is a range of lines in every page.
type partition struct{ start, size uint64 }

// linesAhead is roughly the number of lines being prefetched while others are set. It is more than
// memory serves at a time (10 to 16 lines per core), and takes few bytes of the L1 cache.
const linesAhead = 64

func newPaged(g geometry, words []uint64) *paged {
	f := &paged{
		words:      words,
		pages:      g.bandWords / pageWords,
		mask:       maskOf(g.seed),
		partitions: g.probes,
		perRecord:  g.bands * g.probes,
	}
	f.ahead = max(1, linesAhead/f.perRecord)
	f.lines = make([]pagedLine, (1+f.ahead)*f.perRecord)
	f.spreads = make([]keySpread, max(g.bands, 1+f.ahead))
	for part := range g.probes {
		start := partitionStart(part, g.probes)
		f.parts[part] = partition{start, partitionStart(part+1, g.probes) - start}
	}
	return f
}

// Multipliers of the hash. They are part of the file format. They are odd numbers without
// structure: the golden ratio, and the constants of the finalisers of SplitMix64 and MurmurHash3,
// whose avalanche is well studied.
const (
	mulGolden = 0x9e3779b97f4a7c15
	mulA      = 0xbf58476d1ce4e5b9
	mulB      = 0x94d049bb133111eb
	mulC      = 0xff51afd7ed558ccd
)

// A keySpread is what a key's page is chosen by, and the state from which its first line is
// derived. Both are the same in all generations of an index, which differ only in the number of
// pages.
type keySpread struct{ page, state uint64 }

func maskOf(seed uint64) (mask uint64) { return mulGolden ^ seed }

// spread maps the 128 bits of a key one to one, so that no two keys collide, and mixes keys that
// differ in few bits or whose high half is always 0. mask is constant for an index, and may include
// a seed: then only those who know it can choose keys that fall into the same page.
func spread(key Key, mask uint64) keySpread {
	u := (key.Lo ^ mask) * mulA
	u = (u ^ u>>32) * mulB
	u ^= u >> 29
	v := (key.Hi + u) * mulC
	v = (v ^ v>>32) * mulA
	v ^= v >> 29
	return keySpread{v, (u + v*mulGolden) * mulC}
}

// spreadAll spreads as many keys as fit into spreads.
func spreadAll(spreads []keySpread, keys []Key, mask uint64) {
	done := 0
	switch {
	case hasAVX512 && len(keys) >= 8:
		done = len(keys) &^ 7
		spreadAVX512(&spreads[:done][0], &keys[0], done, mask)
	case hasAVX2 && len(keys) >= 4:
		done = len(keys) &^ 3
		spreadAVX2(&spreads[:done][0], &keys[0], done, mask)
	}
	for i := done; i < len(keys); i++ {
		spreads[i] = spread(keys[i], mask)
	}
}

// lineOf derives the line of a state: its position in its partition from the low 16 bits, and the
// bits in it from the other 48.
func lineOf(state uint64) (bits uint64) {
	h := (state ^ state>>29) * mulB
	return h ^ h>>32
}

// linesOf returns the lines of record i of a batch. The record must be one of the current ones.
func (f *paged) linesOf(i int) []pagedLine {
	at := i % (1 + f.ahead) * f.perRecord
	return f.lines[at : at+f.perRecord : at+f.perRecord]
}

// address computes the lines of current record i.
func (f *paged) address(i int, keys []Key) []pagedLine {
	spreads := f.spreads[:len(keys)]
	spreadAll(spreads, keys, f.mask)
	return f.locate(i, spreads)
}

// addressIn is like address for record i of a batch.
func (f *paged) addressIn(b batch, i int) []pagedLine {
	if b.spreads == nil {
		return f.address(i, b.record(i))
	}
	return f.locate(i, b.spreads[i*b.bands+b.from:i*b.bands+b.to])
}

// locate is like address for spread keys. All lines are within words.
func (f *paged) locate(i int, spreads []keySpread) []pagedLine {
	lines := f.linesOf(i)[:len(spreads)*f.partitions]
	if len(lines) > 0 {
		f.locateKeys(lines, spreads, f.pages)
		page := lines[len(lines)-1].word / pageWords * pageWords
		_ = f.words[page:][:pageWords] // the page of the last band comes after all others
	}
	return lines
}

// addressEach computes the lines of several records of one band, starting at current record i.
func (f *paged) addressEach(i int, keys []Key) []pagedLine {
	spreads := f.spreads[:len(keys)]
	spreadAll(spreads, keys, f.mask)
	return f.locateEach(i, spreads)
}

// locateEach is like addressEach for spread keys.
func (f *paged) locateEach(i int, spreads []keySpread) []pagedLine {
	_ = f.words[:f.pages*pageWords]
	lines := f.lines[i*f.partitions:][:len(spreads)*f.partitions]
	if len(lines) > 0 {
		f.locateKeys(lines, spreads, 0)
	}
	return lines
}

// locateKeys computes the lines of keys. The band of each key starts stride pages after that of the
// previous key.
func (f *paged) locateKeys(lines []pagedLine, spreads []keySpread, stride uint64) {
	four := 0
	if hasAVX2 && len(spreads) >= 4 && f.pages <= math.MaxUint32 {
		four = len(spreads) &^ 3
		locateAVX2(&lines[0], &spreads[0], four, f.pages, stride, &f.parts[0], f.partitions)
	}
	f.locateFew(lines[four*f.partitions:], spreads[four:], uint64(four)*stride, stride)
}

// locateFew is like locateKeys for keys whose first band starts at firstPage.
func (f *paged) locateFew(lines []pagedLine, spreads []keySpread, firstPage, stride uint64) {
	for _, s := range spreads {
		page, _ := bits.Mul64(s.page, f.pages)
		start := (firstPage + page) * pageWords
		state := s.state
		for part, p := range f.parts[:f.partitions] {
			h := lineOf(state)
			lines[part] = pagedLine{start + (p.start+(h&0xffff*p.size)>>16)*lineWords, h}
			state *= mulC
		}
		lines = lines[f.partitions:]
		firstPage += stride
	}
}

// contains prefetches only the first line of each band, which nearly always decides.
func (f *paged) contains(keys []Key, from int, to bandSet) (present int) {
	lines := f.address(0, keys)
	f.fetch(lines, f.partitions)
	return f.test(lines, nil, from, to)
}

// lookup prefetches only the first line of each band of the records ahead, like contains.
func (f *paged) lookup(outcomes []outcome, b batch) {
	for i := range min(f.ahead, len(outcomes)) {
		f.fetch(f.addressIn(b, i), f.partitions)
	}
	for i := range outcomes {
		var next []pagedLine
		if ahead := i + f.ahead; ahead < len(outcomes) {
			next = f.addressIn(b, ahead)
		}
		o := &outcomes[i]
		if o.copied {
			f.fetch(next, f.partitions)
			continue
		}
		o.copied = f.test(f.linesOf(i), next, b.from, b.seen(i)) == b.to-b.from && !b.renew
	}
}

func (f *paged) add(keys []Key) (present int) {
	lines := f.address(0, keys)
	f.fetch(lines, 1)
	return f.set(lines, nil)
}

func (f *paged) insert(outcomes []outcome, b batch) {
	if b.bands == 1 {
		f.insertEach(outcomes, &b)
		return
	}
	for i := range min(f.ahead, len(outcomes)) {
		f.fetch(f.addressIn(b, i), 1)
	}
	for i := range outcomes {
		var next []pagedLine
		if i+f.ahead < len(outcomes) {
			next = f.addressIn(b, i+f.ahead)
		}
		f.insertOne(&outcomes[i], f.linesOf(i), next, &b, i)
	}
}

// insertEach is insert for records of one band. It locates as many as fit into half of the current
// lines while those in the other half are set.
func (f *paged) insertEach(outcomes []outcome, b *batch) {
	half, start := (1+f.ahead)/2, 0
	lines := f.addressSome(start, b, 0, min(half, len(outcomes)))
	f.fetch(lines, 1)
	for at := 0; at < len(outcomes); at += half {
		until := min(at+half, len(outcomes))
		start = half - start
		later := f.addressSome(start, b, until, min(until+half, len(outcomes)))
		for i, next := at, later; i < until; i++ {
			own := next[:min(f.partitions, len(next))]
			f.insertOne(&outcomes[i], lines[:f.partitions], own, b, i)
			lines, next = lines[f.partitions:], next[len(own):]
		}
		lines = later
	}
}

// addressSome is like addressEach for records from … to-1 of a batch.
func (f *paged) addressSome(i int, b *batch, from, to int) []pagedLine {
	if b.spreads == nil {
		return f.addressEach(i, b.keys[from:to])
	}
	return f.locateEach(i, b.spreads[from:to])
}

// insertOne sets the lines of record i of a batch, and prefetches those that are set later.
func (f *paged) insertOne(o *outcome, lines, next []pagedLine, b *batch, i int) {
	if o.copied {
		f.fetch(next, 1)
		return
	}
	again := 0
	if b.older != nil {
		if s := b.seenHere(i); s != nil {
			again = f.testAgain(lines, b.from, s)
		}
	}
	present := f.set(lines, next)
	o.votes, o.changed = uint16(present-again), present < b.to-b.from
}

func (f *paged) sample(limit int) (fill, records float64) {
	lines := len(f.words) / lineWords
	step := max(1, lines/limit) | 1 // odd, to visit all partitions equally
	ones, keys, sampled, keysOf := 0, 0.0, 0, keysOfLine()
	for line := 0; line < lines; line += step {
		set := 0
		for _, word := range f.words[line*lineWords:][:lineWords] {
			set += bits.OnesCount64(word)
		}
		ones += set
		keys += keysOf[min(set, lineBits-1)]
		sampled++
	}
	perLine := keys / float64(sampled)
	bandLines := float64(f.pages * pageLines)
	return float64(ones) / float64(sampled*lineBits), perLine * bandLines / float64(f.partitions)
}

// keysOfLine maps the number of set bits in a line to an estimate of its keys. Each key sets 1 of
// the 64 bits of every word, so ones/512 = 1-(63/64)^keys.
var keysOfLine = sync.OnceValue(func() *[lineBits]float64 {
	table := new([lineBits]float64)
	for ones := range table {
		table[ones] = math.Log1p(-float64(ones)/lineBits) / math.Log(63./64)
	}
	return table
})
