package bloomlsh

// In a table that doubles, a line stores its own entries from its start. An entry that its line has
// no place for goes to the end of the next line with two free places. It is followed by the number
// of its line plus one, which cannot be mistaken for an entry since it has no print. So when a page
// is divided, each such entry is recognised and goes back to its line if that has a place again.
//
// A lookup continues after a line without a free place, and from there on after each line without
// two. Places are never freed, so it meets every entry.

// freeIn returns the index of the first free place of a line, or the number of places if none is
// free.
func (t *tagTable) freeIn(word uint64) int {
	line, inWord := (*[lineWords]uint64)(t.words[word:]), t.inWord&3
	size := uint(64) >> inWord
	for i, w := range line {
		if w>>(64-size) != 0 && (w>>(64-2*size))&(1<<size-1) != 0 && w&(1<<size-1) != 0 &&
			w>>size&(1<<size-1) != 0 {
			continue
		}
		for n := range 1 << inWord {
			if w>>(uint(n)*size)&(1<<size-1) == 0 {
				return i<<inWord + n
			}
		}
	}
	return t.perLine()
}

// isHome reports whether a place holds the line number of the entry before it.
func (l *tagLayout) isHome(place uint64) bool { return place != 0 && place>>l.tagBits == 0 }

// pair returns the entry in an even place of a line, and the contents of the next place.
func (t *tagTable) pair(word uint64, i int) (entry, home uint64) {
	size := uint(64) >> (t.inWord & 3)
	both := t.words[word+uint64(i)>>(t.inWord&3)] >> (uint(i) * size & 63)
	return both & (1<<size - 1), both >> size & (1<<size - 1)
}

// foreignFrom returns the index of the first place in a line used by entries of other lines.
func (t *tagTable) foreignFrom(word uint64) int {
	i := t.perLine()
	for ; i > 0; i -= 2 {
		if _, home := t.pair(word, i-2); !t.isHome(home) {
			break
		}
	}
	return i
}

// ownIn returns how many of its own entries a line contains.
func (t *tagTable) ownIn(word uint64) int { return min(t.freeIn(word), t.foreignFrom(word)) }

// takenIn returns how many entries a line contains.
func (t *tagTable) takenIn(word uint64) int {
	if t.ending == 0 {
		return t.entriesIn(word)
	}
	return t.ownIn(word) + (t.perLine()-t.foreignFrom(word))/2
}

// hasRoomForForeign reports whether the two places of a line before from are free.
func (t *tagTable) hasRoomForForeign(word uint64, from int) bool {
	if from == 0 {
		return false
	}
	entry, home := t.pair(word, from-2)
	return entry|home == 0
}

// addOwn stores an entry in its line or a later one, and reports whether the page had space for it.
func (t *tagTable) addOwn(word, entry uint64) bool {
	if free := t.freeIn(word); free < t.perLine() {
		t.put(t.placeOf(word, free), entry)
		return true
	}
	return t.addBeyond(word, entry)
}

// addBeyond stores an entry whose line is full.
func (t *tagTable) addBeyond(word, entry uint64) bool {
	for line := nextLine(word); line != word; line = nextLine(line) {
		if from := t.foreignFrom(line); t.hasRoomForForeign(line, from) {
			t.putBeyond(t.placeOf(line, from-2), word, entry)
			return true
		}
	}
	return false
}

// isBeyond marks a place in another line, for an entry whose line is full. The place after it takes
// the number of the entry's own line.
const isBeyond = 1 << 63

// putBeyond stores an entry whose line is full.
func (t *tagTable) putBeyond(place, word, entry uint64) {
	t.put(place, entry)
	t.put(place+1, word%pageWords/lineWords+1)
}

// lookupOwn is lookupLines for a table that doubles.
func (t *tagTable) lookupOwn(hits []tagHit, places []uint64, lines []pagedLine) []tagHit {
	start := len(hits)
	t.full = t.full[:0]
	for band, l := range lines {
		same, _ := t.matchLine(l.word, t.printOf(l.bits))
		if same != 0 {
			hits = append(hits, tagHit{l.word, same, uint32(band)})
		}
		free := t.freeIn(l.word)
		if places[band] = t.placeOf(l.word, free); free == t.perLine() {
			t.full = append(t.full, uint16(band))
		}
	}
	hits = t.lookupBeyond(hits, places, lines, t.full)
	sortHits(hits[start:])
	return hits
}

// lookupBeyond continues the lookup for the bands whose line is full.
func (t *tagTable) lookupBeyond(hits []tagHit, places []uint64, lines []pagedLine, full []uint16) []tagHit {
	for _, band := range full {
		l, place := lines[band], uint64(noPlace)
		print, own := t.printOf(l.bits), l.word%pageWords/lineWords+1
		for word := nextLine(l.word); word != l.word && place == noPlace; word = nextLine(word) {
			same := uint32(0)
			for i := t.perLine() - 2; i >= 0; i -= 2 {
				entry, home := t.pair(word, i)
				if !t.isHome(home) {
					if entry|home == 0 {
						place = t.placeOf(word, i) | isBeyond
					}
					break
				}
				if home == own && t.matches(entry, print) {
					same |= 1 << i
				}
			}
			if same != 0 {
				hits = append(hits, tagHit{word, same, uint32(band)})
			}
		}
		if places[band] = place; place == noPlace {
			hits = append(hits, tagHit{band: uint32(band)})
		}
	}
	t.isFar = t.isFar || len(full) > 0
	return hits
}
