package report

// A common is a stretch that two lists have in common: a[a:a+n] is b[b:b+n].
type common struct{ a, b, n int }

// A matcher finds a longest common subsequence of two lists in linear space (E. W. Myers, An O(ND)
// Difference Algorithm and Its Variations, Algorithmica 1, 1986, section 4b): it looks from both
// ends for the middle of a shortest way from one list to the other, and divides the lists there.
type matcher struct {
	a, b  []int32
	ahead []int // by diagonal a-b: how far in a the ways from the beginning have come
	back  []int // likewise those from the end
	found []common
}

// commonOf returns what two lists have in common, in its order. It takes the time of their length
// times the number of their differences, at most.
func commonOf(a, b []int32) []common {
	m := matcher{a: a, b: b, ahead: make([]int, len(a)+len(b)+3), back: make([]int, len(a)+len(b)+3)}
	m.divide(box{0, len(a), 0, len(b)})
	return m.found
}

// add takes in a stretch that follows all others.
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

// divide adds what two parts have in common.
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

// nowhere is farther from a box than a way that leaves it comes.
const nowhere = 1 << 40

// middle returns a point of a shortest way through a box that has half of its steps before it and
// half behind. There are two at least, since the parts begin and end with different elements: so
// the point is no corner.
func (m *matcher) middle(of box) (a, b int) {
	n, k := of.a1-of.a0, of.b1-of.b0
	for i := range n + k + 3 {
		m.ahead[i], m.back[i] = -nowhere, nowhere
	}
	origin := k + 1 // the place of diagonal 0
	m.ahead[origin+1], m.back[origin+n-k-1] = 0, n
	for steps := 0; ; steps++ {
		// The diagonals that so many steps lead to without leaving the box, each second one.
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

// forward goes one step to a diagonal, and on along it while the elements are the same.
func (m *matcher) forward(of box, at, diagonal int) (x int) {
	x = max(m.ahead[at-1]+1, m.ahead[at+1])
	for a, b := of.a0+x, of.b0+x-diagonal; a < of.a1 && b < of.b1 && m.a[a] == m.b[b]; a, b = a+1, b+1 {
		x++
	}
	m.ahead[at] = x
	return x
}

// backward goes one step back to a diagonal, and on along it while the elements are the same.
func (m *matcher) backward(of box, at, diagonal int) (x int) {
	x = min(m.back[at-1], m.back[at+1]-1)
	for a, b := of.a0+x, of.b0+x-diagonal; a > of.a0 && b > of.b0 && m.a[a-1] == m.b[b-1]; a, b = a-1, b-1 {
		x--
	}
	m.back[at] = x
	return x
}
