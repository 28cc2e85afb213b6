package report

// common is a common range of two lists: a[a:a+n] equals b[b:b+n].
type common struct{ a, b, n int }

// A matcher finds a longest common subsequence of two lists in linear space (E. W. Myers, An O(ND)
// Difference Algorithm and Its Variations, Algorithmica 1, 1986, section 4b). It searches for the
// middle of a shortest edit path from both ends, and divides the lists there.
type matcher struct {
	a, b  []int32
	ahead []int // by diagonal a-b: how far in a the paths from the start have come
	back  []int // likewise those from the end
	found []common
}

// commonOf returns the common ranges of two lists, in order. The time is at most their length times
// the number of differences.
func commonOf(a, b []int32) []common {
	m := matcher{a: a, b: b, ahead: make([]int, len(a)+len(b)+3), back: make([]int, len(a)+len(b)+3)}
	m.divide(box{0, len(a), 0, len(b)})
	return m.found
}

// add adds a range after all others.
func (m *matcher) add(of common) {
	if of.n == 0 {
		return
	}
	if end := len(m.found) - 1; end >= 0 {
		if last := &m.found[end]; last.a+last.n == of.a && last.b+last.n == of.b {
			last.n += of.n
			return
		}
	}
	m.found = append(m.found, of)
}

// A box is a part of either list: a[a0:a1] and b[b0:b1].
type box struct{ a0, a1, b0, b1 int }

// divide adds the common ranges of a box.
func (m *matcher) divide(of box) {
	same := common{of.a0, of.b0, 0}
	for of.a0 < of.a1 && of.b0 < of.b1 && m.a[of.a0] == m.b[of.b0] {
		of.a0, of.b0, same.n = of.a0+1, of.b0+1, same.n+1
	}
	m.add(same)
	end := 0
	for of.a0 < of.a1 && of.b0 < of.b1 && m.a[of.a1-1] == m.b[of.b1-1] {
		of.a1, of.b1, end = of.a1-1, of.b1-1, end+1
	}
	if of.a0 < of.a1 && of.b0 < of.b1 {
		a, b := m.middle(of)
		m.divide(box{of.a0, a, of.b0, b})
		m.divide(box{a, of.a1, b, of.b1})
	}
	m.add(common{of.a1, of.b1, end})
}

// nowhere is farther away than any path within a box.
const nowhere = 1 << 40

// middle returns a point of a shortest path through a box with half of its steps before and half
// after it. There are at least two steps, since the parts begin and end with different elements, so
// the point is not a corner.
func (m *matcher) middle(of box) (a, b int) {
	n, k := of.a1-of.a0, of.b1-of.b0
	for i := range n + k + 3 {
		m.ahead[i], m.back[i] = -nowhere, nowhere
	}
	origin := k + 1 // index of diagonal 0
	m.ahead[origin+1], m.back[origin+n-k-1] = 0, n
	for steps := 0; ; steps++ {
		// The diagonals that this many steps reach without leaving the box, every second one.
		low, high := steps-2*min(steps, k), 2*min(steps, n)-steps
		for at := origin + low; at <= origin+high; at += 2 {
			if x := m.forward(of, at, at-origin); (n-k)%2 != 0 && m.back[at] <= x {
				return of.a0 + x, of.b0 + x - (at - origin)
			}
		}
		for at := origin + n - k - high; at <= origin+n-k-low; at += 2 {
			if x := m.backward(of, at, at-origin); (n-k)%2 == 0 && x <= m.ahead[at] {
				return of.a0 + x, of.b0 + x - (at - origin)
			}
		}
	}
}

// forward moves one step to a diagonal, and along it while elements are equal.
func (m *matcher) forward(of box, at, diagonal int) (x int) {
	x = max(m.ahead[at-1]+1, m.ahead[at+1])
	for a, b := of.a0+x, of.b0+x-diagonal; a < of.a1 && b < of.b1 && m.a[a] == m.b[b]; a, b = a+1, b+1 {
		x++
	}
	m.ahead[at] = x
	return x
}

// backward moves one step back to a diagonal, and along it while elements are equal.
func (m *matcher) backward(of box, at, diagonal int) (x int) {
	x = min(m.back[at-1], m.back[at+1]-1)
	for a, b := of.a0+x, of.b0+x-diagonal; a > of.a0 && b > of.b0 && m.a[a-1] == m.b[b-1]; a, b = a-1, b-1 {
		x--
	}
	m.back[at] = x
	return x
}
