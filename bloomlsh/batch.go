package bloomlsh

import "math/bits"

// A bandSet is a set of bands, one bit for each.
type bandSet []uint64

// setWords returns the length of a bandSet.
func setWords(bands int) int { return (bands + 63) / 64 }

func (s bandSet) has(band int) bool { return s[band/64]>>(band%64)&1 != 0 }

func (s bandSet) put(band int) { s[band/64] |= 1 << (band % 64) }

func (s bandSet) remove(band int) { s[band/64] &^= 1 << (band % 64) }

// fill adds all bands to the set.
func (s bandSet) fill(bands int) {
	for i := range s {
		s[i] = ^uint64(0)
	}
	if beyond := bands % 64; beyond != 0 {
		s[len(s)-1] = 1<<beyond - 1
	}
}

func (s bandSet) count() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// anyIn reports whether the set contains any of the bands from … to-1.
func (s bandSet) anyIn(from, to int) bool {
	for band := from; band < to; {
		word, start := band/64, band%64
		end := min(64, start+to-band)
		if s[word]>>start<<(64-(end-start)) != 0 {
			return true
		}
		band += end - start
	}
	return false
}

// A batch is the band keys of several records. Each goroutine handles the bands from … to-1 of
// every record.
type batch struct {
	keys     []Key
	bands    int // bands of each record
	from, to int
	// bandSets of the bands of each record that older generations contain; may be nil
	older   []uint64
	spreads []keySpread // scratch for keys that are looked up in several paged filters; may be nil
	mask    uint64      // mask of the spreads
	renew   bool        // also insert what older generations contain, since they will be forgotten
	scratch bandSet     // scratch of the goroutine
}

func (b batch) record(i int) []Key { return b.keys[i*b.bands+b.from : i*b.bands+b.to] }

// records returns the part of the batch with records from … to-1.
func (b batch) records(from, to int) batch {
	b.keys = b.keys[from*b.bands : to*b.bands]
	if words := setWords(b.bands); b.older != nil {
		b.older = b.older[from*words : to*words]
	}
	if b.spreads != nil {
		b.spreads = b.spreads[from*b.bands : to*b.bands]
	}
	return b
}

// lookupOlder looks up the records in all generations except those on disk. It adds the bands whose
// key was found to the sets of the records, and marks outcomes as copied. It spreads the keys, for
// these generations and the last one.
func (b batch) lookupOlder(generations []*generation, outcomes []outcome) {
	if b.spreads != nil {
		spreadAll(b.spreads, b.keys, b.mask)
	}
	for _, g := range generations {
		if g.stored == nil {
			g.filter.lookup(outcomes, b)
		}
	}
}

// seen returns the set of bands of record i that older generations contain. It may be nil.
func (b batch) seen(i int) bandSet {
	if b.older == nil {
		return nil
	}
	words := setWords(b.bands)
	return b.older[i*words : (i+1)*words]
}

// seenHere returns seen if it contains any of the goroutine's bands, otherwise nil.
func (b batch) seenHere(i int) bandSet {
	if s := b.seen(i); s != nil && s.anyIn(b.from, b.to) {
		return s
	}
	return nil
}

// An outcome is the result of inserting a record into a generation.
type outcome struct {
	votes   uint16 // bands whose key was in this generation and in none before it
	changed bool   // a key was new
	copied  bool   // all keys are in an older generation, so nothing needs inserting
}

// records are arguments of ObserveAt, for some of its records.
type records struct {
	times  []int64
	beside *Answers
	keys   []Key
}

// part returns records from … to-1, without their times.
func (r records) part(from, to, bands int) records {
	return records{beside: r.beside.part(from, to), keys: r.keys[from*bands : to*bands]}
}
