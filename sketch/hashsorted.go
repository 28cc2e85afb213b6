package sketch

import "slices"

// mostSorted is the number of spans sorted by length at a time.
const mostSorted = 256

// spanList holds the bounds of spans, with capacity for what is stored beyond them.
type spanList struct{ starts, ends [mostSorted + 16]uint32 }

// appendSortedHashes is appendSpanHashes in another order. It requires AVX2, and is fast for mixed
// short lengths, since it groups spans by length class.
func appendSortedHashes(dst []uint64, text []byte, starts, nexts []uint32, gap int) []uint64 {
	var others spanList
	for {
		var n int
		if dst, n = appendSomeSorted(dst, text, starts, nexts, gap, &others); n == 0 {
			return appendSpanHashes(dst, text, starts, nexts, gap)
		}
		starts, nexts = starts[n:], nexts[n:]
	}
}

// appendSomeSorted is appendSortedHashes for the first n spans, at most mostSorted: first those of
// 1 to 3 bytes, then those of 4 to 8, of 9 to 16, and all others, in order. others is scratch
// memory.
func appendSomeSorted(dst []uint64, text []byte, starts, nexts []uint32, gap int, others *spanList) ([]uint64, int) {
	n := min(len(starts), mostSorted)
	// bytes before a span may be read up to 8 bytes from its start
	for n > 0 && int(starts[n-1])+8 > cap(text) {
		n--
	}
	if !hasAVX512 {
		n &^= 7
	}
	if n == 0 {
		return dst, 0
	}
	at, hashed, left := len(dst), 0, 0
	dst = slices.Grow(dst, n+7)
	if hasAVX512 {
		hashed, left = hashWordsAVX512(&dst[:at+1][at], &text[0], &starts[0], &nexts[0], gap, n, others)
	} else {
		hashed, left = hashWordsAVX2(&dst[:at+1][at], &text[0], &starts[0], &nexts[0], gap, n, others)
	}
	return appendSpanHashes(dst[:at+hashed], text, others.starts[:left], others.ends[:left], 0), n
}

// Length classes of spans, in the order of appendSortedHashes.
const (
	ofUpTo3 = iota
	ofUpTo8
	ofUpTo16
	ofOther // empty, or longer than 16
)

// classShift is 16 times the class of a length; lengths above 17 use the entry of 17.
var classShift = func() (table [18]uint8) {
	for length := range table {
		class := ofOther
		switch {
		case 1 <= length && length <= 3:
			class = ofUpTo3
		case 4 <= length && length <= 8:
			class = ofUpTo8
		case 9 <= length && length <= 16:
			class = ofUpTo16
		}
		table[length] = uint8(16 * class)
	}
	return table
}()

// An orderedHasher hashes spans in order. It is scratch memory.
type orderedHasher struct {
	sorted [mostSorted + 8]uint64
	shifts [mostSorted]uint8 // of each span, by its class
	others spanList
}

// append appends the XXH3-64 of text[starts[i]:ends[i]] for each start. Both starts and ends must
// be non-decreasing. It is fast for mostly short spans. A branch on the length of words would be
// mispredicted, so spans are hashed by length class, and the hashes put in order afterwards.
func (o *orderedHasher) append(dst []uint64, text []byte, starts, ends []uint32) []uint64 {
	for hasAVX2 && len(starts) > 0 {
		_, n := appendSomeSorted(o.sorted[:0], text, starts, ends, 0, &o.others)
		if n == 0 {
			break
		}
		dst = slices.Grow(dst, n)[:len(dst)+n]
		o.putInOrder(dst[len(dst)-n:], starts, ends)
		starts, ends = starts[n:], ends[n:]
	}
	return appendSpanHashes(dst, text, starts, ends, 0)
}

// putInOrder copies the hashes that appendSomeSorted has sorted by class.
func (o *orderedHasher) putInOrder(dst []uint64, starts, ends []uint32) {
	starts, ends = starts[:len(dst)], ends[:len(dst)]
	if hasAVX512 {
		orderAVX512(&dst[0], &o.sorted[0], &starts[0], &ends[0], len(dst))
		return
	}
	shifts := o.shifts[:len(dst)]
	count := uint64(0) // number of spans of each class, in 16 bits
	for i := range shifts {
		shifts[i] = classShift[min(ends[i]-starts[i], 17)]
		count += 1 << (shifts[i] & 63)
	}
	next := count<<16 + count<<32 + count<<48 // position of the next hash of each class
	for i, shift := range shifts {
		dst[i] = o.sorted[next>>(shift&63)&(1<<16-1)]
		next += 1 << (shift & 63)
	}
}
