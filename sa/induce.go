package sa

// The two sweeps of induced sorting. When a sweep meets suffix j in the array, suffix j−1 can be
// put in its place. The sign of an entry says which sweep it is for, so that no sweep has to look
// at types again:
//
//	first sweep (left to right, places L suffixes)    j > 0: j−1 is of type L, to be placed
//	second sweep (right to left, places S suffixes)   j > 0: j−1 is of type S, to be placed
//
// Zero is an empty place, and also suffix 0, which induces nothing.
//
// What the sweeps cost is fetching text[j−1] and text[j−2], a cache miss for each suffix. A branch
// on such a symbol that is predicted wrongly throws away the fetches begun after it. So the
// symbols of a block of entries are fetched together first, without a branch, and misses overlap.
// An entry that changes while its block is worked is fetched again.

const block = 128

// ahead holds the entries of a block as they were when their symbols were fetched.
type ahead[C symbol, I Index] struct {
	entry        [block]I
	near, nearer [block]C // text[j−2] and text[j−1]
}

// fetch reads the symbols before the suffixes of a block.
func (a *ahead[C, I]) fetch(text []C, entries []I) {
	for i, j := range entries {
		a.entry[i] = j
		p := max(j-1, 0)
		q := max(j-2, 0)
		a.nearer[i] = text[p]
		a.near[i] = text[q]
	}
}

// symbols returns text[j−2] and text[j−1] (text[0] where j−2 is negative), j being entry i of the
// block now.
func (a *ahead[C, I]) symbols(text []C, i int, j I) (near, nearer C) {
	if j != a.entry[i] {
		return text[max(j-2, 0)], text[j-1]
	}
	return a.near[i], a.nearer[i]
}

// sortLMS leaves the LMS substrings, in order, in the last b.lms places of the array, and zeros
// elsewhere.
func (b *buckets[C, I]) sortLMS() {
	b.toTails()
	text, array, next := b.text, b.array, b.next
	b.eachLMS(func(p int) {
		next[text[p]]--
		array[next[text[p]]] = I(p)
		b.lms++
	})
	if b.lms > 1 {
		b.sweepL(false)
		b.sweepS(false)
	} else if b.lms == 1 {
		b.eachLMS(func(p int) {
			array[next[text[p]]] = 0
			array[len(array)-1] = I(p)
		})
	}
}

// placeLMS moves the b.lms ordered LMS suffixes from the head of the array to the tails of their
// buckets.
func (b *buckets[C, I]) placeLMS() {
	b.toTails()
	text, array, next := b.text, b.array, b.next
	if b.lms == 1 {
		array[0], array[len(array)-1] = array[len(array)-1], 0
	}
	for i := b.lms - 1; i >= 0; i-- {
		j := array[i]
		array[i] = 0
		c := text[j]
		next[c]--
		array[next[c]] = j
	}
}

// induce puts all suffixes in order, given the LMS suffixes in order at the tails of their buckets.
func (b *buckets[C, I]) induce() {
	b.sweepL(true)
	b.sweepS(true)
}

// sweepL places the L suffixes. Unless keep is true, only those whose left neighbour is of type S
// stay in the array: they are what orders the S suffixes.
func (b *buckets[C, I]) sweepL(keep bool) {
	text, array, next := b.text, b.array, b.next
	b.toHeads()
	kept := I(0)
	if keep {
		kept = -1 // all bits
	}
	last := len(text) - 1
	next[text[last]]++ // the empty suffix induces the last one
	array[next[text[last]]-1] = signed(I(last), text[last-1] < text[last])
	var a ahead[C, I]
	for from := 0; from < len(array); from += block {
		to := min(from+block, len(array))
		a.fetch(text, array[from:to])
		for i := from; i < to; i++ {
			j := array[i]
			if j <= 0 {
				array[i] = -j
				continue
			}
			array[i] = -j & kept
			c0, c1 := a.symbols(text, i-from, j)
			at := next[c1]
			next[c1] = at + 1
			array[at] = signed(j-1, c0 < c1)
		}
	}
}

// sweepS places the S suffixes. Unless keep is true, the array is emptied on the way, but for those
// whose left neighbour is of type L, the LMS ones: they are left, in order, at its end.
func (b *buckets[C, I]) sweepS(keep bool) {
	text, array, next := b.text, b.array, b.next
	b.toTails()
	kept, top := I(0), len(array)
	if keep {
		kept = -1 // all bits
	}
	var a ahead[C, I]
	for to := len(array); to > 0; to -= block {
		from := max(to-block, 0)
		a.fetch(text, array[from:to])
		for i := to - 1; i >= from; i-- {
			j := array[i]
			if j <= 0 {
				array[i] = -j & kept
				if j < 0 && !keep {
					top--
					array[top] = -j
				}
				continue
			}
			array[i] = j & kept
			c0, c1 := a.symbols(text, i-from, j)
			at := next[c1] - 1
			next[c1] = at
			array[at] = signed(j-1, c0 > c1)
		}
	}
}

// signed is −j if negative is true, else j. It compiles to a conditional move: the outcome cannot
// be predicted.
func signed[I Index](j I, negative bool) I {
	k := -j
	if negative {
		j = k
	}
	return j
}
