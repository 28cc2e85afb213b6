package hashset

// Repeats finds the hashes of a text that occur earlier in it. The zero value is ready to use. Only
// one goroutine may use it at a time.
type Repeats struct {
	// a bit for each value of some bits of a hash, set on first and second use
	once, twice [markWords]uint64
	set         Set
}

const (
	markBits  = 15
	markWords = 1 << (markBits - 6)

	// mostMarked is the maximum number of hashes to mark. Among that many distinct ones, one in 16
	// shares a bit with another.
	mostMarked = 1 << (markBits - 4)
)

// Find sets isRepeat[i] if hashes[i] occurs earlier, and returns the number of these. isRepeat must
// be all false, and as long as hashes.
func (r *Repeats) Find(isRepeat []bool, hashes []uint64) (repeats int) {
	defer r.set.Reset()
	isRepeat = isRepeat[:len(hashes)]
	if len(hashes) > mostMarked {
		for i, h := range hashes {
			if !r.set.Add(h) {
				isRepeat[i] = true
				repeats++
			}
		}
		return repeats
	}
	if !r.mark(hashes) {
		return 0
	}
	for i, h := range hashes {
		if word, bit := markOf(h); r.twice[word]&bit != 0 && !r.set.Add(h) {
			isRepeat[i] = true
			repeats++
		}
	}
	return repeats
}

// mark marks hashes, and reports whether any two share a bit. Most texts repeat little, so for most
// hashes this is all that is done. A set would need an unpredictable branch for each.
func (r *Repeats) mark(hashes []uint64) (any bool) {
	clear(r.once[:])
	clear(r.twice[:])
	for _, h := range hashes {
		word, bit := markOf(h)
		if r.once[word]&bit != 0 {
			r.twice[word] |= bit
			any = true
		}
		r.once[word] |= bit
	}
	return any
}

// markOf returns the word and the bit of a hash.
func markOf(h uint64) (word int, bit uint64) {
	return int(h >> (64 - markBits + 6)), 1 << (h >> (64 - markBits) & 63)
}
