package hashset

// Repeats finds which hashes of a text stand in it before. The zero value is ready. It is for one
// goroutine at a time.
type Repeats struct {
	once, twice [markWords]uint64 // a bit for some of the bits of a hash that was seen so often
	set         Set
}

const (
	markBits  = 15
	markWords = 1 << (markBits - 6)

	// mostMarked is how many hashes are marked. Of so many that differ one in 16 has a bit that
	// another one has, too.
	mostMarked = 1 << (markBits - 4)
)

// Find sets isRepeat where the same hash stands before, and returns how many these are. It must be
// false throughout, and as long as hashes.
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

// mark marks hashes, and reports whether any two have the same bit. Most texts repeat little, and
// then this is all that is done for nearly all of their hashes. A set would take a branch for each
// that cannot be foretold, since its place may be taken.
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

// markOf is where the bit of a hash is.
func markOf(h uint64) (word int, bit uint64) {
	return int(h >> (64 - markBits + 6)), 1 << (h >> (64 - markBits) & 63)
}
