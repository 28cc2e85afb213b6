package vectors

import (
	"math"
	"slices"
)

// settle moves the rows around two new lists to the lists with the nearest centroids. A row stays
// with its list through splits, so that the centroid of another list may have become nearer (Xu et
// al.: SPFresh, 2023). Only lists near the new ones are considered.
func (x *Index) settle(first, second int) {
	around := x.around(first, second)
	var moved list
	var to []int32
	for _, from := range around {
		l := &x.lists[from]
		nearest := x.nearestOf(l, from, around)
		kept := 0
		for i, near := range nearest {
			if near != from {
				moved.addFrom(l, i, x.bytes)
				to = append(to, near)
				continue
			}
			l.keep(i, kept, x.bytes)
			kept++
		}
		l.cut(kept, x.bytes)
	}
	for i, near := range to {
		x.lists[near].addFrom(&moved, i, x.bytes)
	}
}

// around returns two lists and the lists whose centroids are nearest to theirs.
func (x *Index) around(lists ...int) (around []int32) {
	for _, number := range lists {
		around = append(around, int32(number))
		x.query.set(x.centroids.rows[number*x.bytes : (number+1)*x.bytes])
		if x.query.squares == 0 {
			continue
		}
		x.findNearest()
		for _, p := range x.nearest {
			around = append(around, p.list)
		}
	}
	slices.Sort(around)
	return slices.Compact(around)
}

// nearestOf returns, for each row of a list, which of the lists around has the nearest centroid. On
// ties its own list wins, then the first.
func (x *Index) nearestOf(l *list, own int32, around []int32) (nearest []int32) {
	nearest = slices.Repeat([]int32{own}, l.len())
	best := make([]float64, l.len())
	x.scores(l, int(own), best)
	scores := make([]float64, l.len())
	for _, other := range around {
		if other == own {
			continue
		}
		x.scores(l, int(other), scores)
		for i, score := range scores {
			if score > best[i] {
				best[i], nearest[i] = score, other
			}
		}
	}
	return nearest
}

// scores sets out to the scores of the rows of a list for a centroid.
func (x *Index) scores(l *list, centroid int, out []float64) {
	x.centroids.scores(l, centroid, &x.query, x.product(l.len()), out)
}

// scores sets out to the scores of the rows of a list for centroid i.
func (c *centroids) scores(l *list, i int, q *query, products []int32, out []float64) {
	bytes := len(c.rows) / len(c.scales)
	q.set(c.rows[i*bytes : (i+1)*bytes])
	dots(products, q.wide, l.rows)
	for n, dot := range products {
		out[n] = c.score(i, dot, math.Sqrt(float64(l.squares[n])))
	}
}
