package vectors

import (
	"cmp"
	"math"
	"slices"
)

// rounds is the number of k-means iterations. After a few the two centroids hardly move.
const rounds = 6

// divide splits a list in two by k-means with two centroids, whose start depends only on the rows.
// If a list cannot be split well it waits for more rows, so that a list with a few outliers is not
// tried again for each new row.
func (x *Index) divide(number int) {
	l := &x.lists[number]
	order, cut := x.sides(l)
	if cut == 0 || cut == len(order) {
		l.limit = l.len() + moreRows
		return
	}
	var halves [2]list
	for half, members := range [2][]int{order[:cut], order[cut:]} {
		slices.Sort(members) // by age
		h := &halves[half]
		h.limit = max(mostRows, len(members)+moreRows)
		h.rows = make([]int8, 0, (h.limit+len(members))*x.bytes/2)
		for _, m := range members {
			h.addFrom(l, m, x.bytes)
		}
		row, scale := meanOf(l, members, x.bytes)
		if half == 0 {
			x.centroids.set(number, row, scale)
		} else {
			x.centroids.add(row, scale)
		}
	}
	x.lists[number] = halves[0]
	x.lists = append(x.lists, halves[1])
	x.settle(number, len(x.lists)-1)
}

// sides orders the rows of a list from one centroid to the other, and returns where the second half
// begins.
func (x *Index) sides(l *list) (order []int, cut int) {
	order = make([]int, l.len())
	for i := range order {
		order[i] = i
	}
	var two centroids
	first := 0
	for _, at := range []int{first, x.farthest(l, first)} {
		two.add(l.row(at, x.bytes), 1/math.Sqrt(float64(l.squares[at])))
	}
	leans := make([]float64, l.len())
	for round := range rounds {
		x.lean(l, &two, leans)
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(leans[a], leans[b]), cmp.Compare(a, b))
		})
		cut = 0
		for cut < len(order) && leans[order[cut]] < 0 {
			cut++
		}
		if round == rounds-1 || cut == 0 || cut == len(order) {
			break
		}
		for half, members := range [2][]int{order[:cut], order[cut:]} {
			row, scale := meanOf(l, members, x.bytes)
			two.set(half, row, scale)
		}
	}
	return order, cut
}

// farthest returns the row of a list with the smallest cosine to row from.
func (x *Index) farthest(l *list, from int) int {
	var q query
	q.set(l.row(from, x.bytes))
	products := x.product(l.len())
	dots(products, q.wide, l.rows)
	least, at := math.Inf(1), 0
	for i, dot := range products {
		if c := q.cosine(dot, l.squares[i]); c < least {
			least, at = c, i
		}
	}
	return at
}

// lean sets leans to how much nearer each row is to the second of two centroids.
func (x *Index) lean(l *list, two *centroids, leans []float64) {
	first := make([]float64, len(leans))
	two.scores(l, 0, &x.query, x.product(l.len()), first)
	two.scores(l, 1, &x.query, x.product(l.len()), leans)
	for i := range leans {
		leans[i] -= first[i]
	}
}
