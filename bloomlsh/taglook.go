package bloomlsh

import (
	"math"
	"math/bits"
	"slices"
)

// A tagHit is a line that contains entries with the print of a key.
type tagHit struct {
	word    uint64 // index of the line's first word
	entries uint32 // bit i is set if entry i has the print; 0 if no line of the key's page has a free place
	band    uint32 // band of the key, counted from the first line looked up
}

// noPlace is the place returned for a key whose page is full.
const noPlace = math.MaxUint64

// lookup looks up keys in their lines and, as long as these are full, in the lines that follow. It
// appends hits in the order of lines, and sets places to where the next entry of each key belongs.
// Meanwhile it prefetches the lines in next: as many as there are keys, half as many, or none.
func (t *tagTable) lookup(hits []tagHit, places []uint64, lines, next []pagedLine) []tagHit {
	t.isFar = false
	if len(lines) == 0 {
		return hits
	}
	if t.bytes != narrowTags.bytes || !hasAVX2 {
		t.fetch(next)
		return t.lookupLines(hits, places, lines)
	}
	step := pagedLineSize
	switch len(next) {
	case 0:
		next = lines
	case len(lines):
	default:
		step /= 2
	}
	look, beyond := lookTagsAVX2, lookBeyondAVX2
	if hasAVX512 {
		look, beyond = lookTagsAVX512, lookBeyondAVX512
	}
	before := len(hits)
	_ = places[len(lines)-1]
	hits = slices.Grow(hits, len(lines)+1)
	t.full = slices.Grow(t.full[:0], len(lines)+1)
	full := &t.full[:1][0]
	found, n := look(&t.words[0], &lines[0], &next[0], len(lines), step, &places[0], &hits[:before+1][before], full,
		1-t.ending)
	hits = hits[:before+found]
	if t.ending > 0 {
		hits = t.lookupBeyond(hits, places, lines, t.full[:n])
		sortHits(hits[before:])
		return hits
	}
	for range pageLines - 1 {
		if n == 0 {
			break
		}
		at := len(hits)
		hits = slices.Grow(hits, n+1)
		found, n = beyond(&t.words[0], &lines[0], n, &places[0], &hits[:at+1][at], full)
		hits = hits[:at+found]
	}
	for _, band := range t.full[:n] {
		hits = append(hits, tagHit{band: uint32(band)})
		places[band] = noPlace
	}
	sortHits(hits[before:])
	return hits
}

// prefetchBeyond prefetches the lines that follow full lines. In a nearly full table, a lookup
// needs about as many of them as first lines.
func (t *tagTable) prefetchBeyond(lines []pagedLine) {
	if t.bytes == narrowTags.bytes && hasAVX2 && len(lines) > 0 {
		prefetchBeyond(&t.words[0], &lines[0], len(lines))
	}
}

// sortHits sorts hits by band. Hits of the same band stay in order.
func sortHits(hits []tagHit) {
	for i := 1; i < len(hits); i++ {
		hit, at := hits[i], i
		for ; at > 0 && hits[at-1].band > hit.band; at-- {
			hits[at] = hits[at-1]
		}
		hits[at] = hit
	}
}

// lookupLines is lookup without prefetching.
func (t *tagTable) lookupLines(hits []tagHit, places []uint64, lines []pagedLine) []tagHit {
	if t.ending > 0 {
		return t.lookupOwn(hits, places, lines)
	}
	for band, l := range lines {
		print := t.printOf(l.bits)
		for word := l.word; ; {
			same, entries := t.matchLine(word, print)
			if same != 0 {
				hits = append(hits, tagHit{word, same, uint32(band)})
			}
			if places[band] = t.placeOf(word, entries); entries < t.perLine() {
				break
			}
			if word = nextLine(word); word == l.word {
				hits = append(hits, tagHit{band: uint32(band)})
				places[band] = noPlace
				break
			}
		}
	}
	return hits
}

// putAll adds a group to the bands of a set, at the free places that lookup has found. Meanwhile it
// prefetches the lines in next, at most half as many as there are keys.
func (t *tagTable) putAll(places []uint64, lines, next []pagedLine, bands bandSet, group uint16) {
	if t.bytes != narrowTags.bytes || !hasAVX2 {
		t.fetch(next)
		t.putEach(places, lines, bands, group)
		return
	}
	low := uint64(t.ending)<<t.tagBits | uint64(group) // the part of an entry below the print
	for i, set := range bands {
		own := lines[64*i : min(64*i+64, len(lines))]
		ahead := own
		if len(next) > 0 {
			ahead = next[32*i:]
		}
		_ = places[64*i+len(own)-1]
		putTags(&t.words[0], &own[0], &ahead[0], len(own), &places[64*i], set, low)
	}
}

// putEach is putAll without prefetching.
func (t *tagTable) putEach(places []uint64, lines []pagedLine, bands bandSet, group uint16) {
	for i, set := range bands {
		for ; set != 0; set &= set - 1 {
			band := 64*i + bits.TrailingZeros64(set)
			t.put(places[band], t.entryOf(lines[band].bits, group))
		}
	}
}

// matchLine returns a bit set of the entries of a line that have a print, and the number of entries
// in the line.
func (t *tagTable) matchLine(word, print uint64) (same uint32, entries int) {
	line := (*[lineWords]uint64)(t.words[word:])
	if t.bytes == narrowTags.bytes {
		return matchNarrow(line, print, uint64(t.ending))
	}
	return t.matchWide(line, print)
}

// matchNarrow compares the four entries of a word at once, by their high bytes, which contain a
// print and the bit that ends it or, without an ending, the highest bit of the tag. Prints match if
// the bytes do not differ at or above twice the lowest 1 bit; without an ending, the lowest bit
// counts as 1. Where they match, each lane of 16 bits keeps its highest bit.
func matchNarrow(line *[lineWords]uint64, print, ending uint64) (same uint32, entries int) {
	const ones = 0x0001_0001_0001_0001
	for i, word := range line {
		taken := ((word&(0x7fff*ones) + 0x7fff*ones) | word) & (0x8000 * ones)
		high := word >> 8 & (0xff * ones)
		differ, ended := high^print*2*ones, high|(1-ending)*ones
		lowest := (0x100*ones - ended) & ended
		equal := (lowest*2 + 0x8000*ones - differ - ones) & taken
		same |= uint32(equal>>15&1|equal>>30&2|equal>>45&4|equal>>60&8) << (4 * i)
		entries += bits.OnesCount64(taken)
	}
	return same, entries
}

func (l *tagLayout) matchWide(line *[lineWords]uint64, print uint64) (same uint32, entries int) {
	for i := range 2 * lineWords {
		entry := line[i/2] >> (32 * (i % 2)) & math.MaxUint32
		if entry == 0 {
			continue
		}
		entries++
		if l.matches(entry, print) {
			same |= 1 << i
		}
	}
	return same, entries
}

// matches reports whether an entry has a print, as far as the entry's own print goes.
func (l *tagLayout) matches(entry, print uint64) bool {
	print = print<<l.ending | uint64(l.ending)
	high := entry >> l.tagBits
	if l.ending == 0 {
		return high == print
	}
	return high != 0 && high^print < 2*(high&-high)
}
