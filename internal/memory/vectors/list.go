package vectors

import "math"

// mostRows is the number of rows that make a list full: shorter lists would cost more time for
// centroids and less for rows. moreRows is the number of further rows that a list may take if it
// cannot be split.
const mostRows, moreRows = 512, 128

// A list holds rows that are near each other.
type list struct {
	rows    []int8   // concatenated
	records []uint64 // their record numbers
	squares []int32  // scalar product of each row with itself
	within  []uint64 // word of each row, under Params.Within
	limit   int      // number of rows that makes it full
}

func (l *list) len() int { return len(l.records) }

func (l *list) add(row []int8, record uint64, squares int32) {
	l.rows = append(l.rows, row...)
	l.records = append(l.records, record)
	l.squares = append(l.squares, squares)
}

// addFrom adds row i of another list, with the given number of bytes.
func (l *list) addFrom(other *list, i, bytes int) {
	l.add(other.row(i, bytes), other.records[i], other.squares[i])
	if other.within != nil {
		l.within = append(l.within, other.within[i])
	}
}

// keep moves row i to index at, which is at most i.
func (l *list) keep(i, at, bytes int) {
	copy(l.row(at, bytes), l.row(i, bytes))
	l.records[at], l.squares[at] = l.records[i], l.squares[i]
	if l.within != nil {
		l.within[at] = l.within[i]
	}
}

// cut drops all but the first n rows.
func (l *list) cut(n, bytes int) {
	l.rows, l.records, l.squares = l.rows[:n*bytes], l.records[:n], l.squares[:n]
	if l.within != nil {
		l.within = l.within[:n]
	}
}

// row returns row i, of the given number of bytes.
func (l *list) row(i, bytes int) []int8 { return l.rows[i*bytes : (i+1)*bytes] }

func (l *list) memory() uint64 {
	return uint64(cap(l.rows) + 8*cap(l.records) + 4*cap(l.squares) + 8*cap(l.within))
}

// centroids holds the means of lists, each stored as a row and a scale.
type centroids struct {
	rows    []int8
	scales  []float64
	squares []float64 // squared lengths
}

// add appends a centroid.
func (c *centroids) add(row []int8, scale float64) {
	c.rows = append(c.rows, make([]int8, len(row))...)
	c.scales, c.squares = append(c.scales, 0), append(c.squares, 0)
	c.set(len(c.scales)-1, row, scale)
}

// set replaces centroid i.
func (c *centroids) set(i int, row []int8, scale float64) {
	copy(c.rows[i*len(row):], row)
	squares := 0
	for _, v := range row {
		squares += int(v) * int(v)
	}
	c.scales[i], c.squares[i] = scale, float64(scale*scale)*float64(squares)
}

// score returns a number that is larger the nearer centroid i is to a row of that length, taken as
// a unit vector: their scalar product, computed from that of the rows, minus half the squared
// length of the centroid. The conversions prevent fused multiply-add, which would round differently
// on other processors than amd64.
func (c *centroids) score(i int, dot int32, length float64) float64 {
	return float64(float64(dot)*c.scales[i]/length) - float64(c.squares[i]/2)
}

func (c *centroids) memory() uint64 {
	return uint64(cap(c.rows) + 8*cap(c.scales) + 8*cap(c.squares))
}

// meanOf returns the mean of the unit vectors of some rows of a list, as a row and its scale.
func meanOf(l *list, members []int, bytes int) (row []int8, scale float64) {
	sums := make([]float64, bytes)
	for _, m := range members {
		length := math.Sqrt(float64(l.squares[m]))
		for d, v := range l.row(m, bytes) {
			sums[d] += float64(v) / length
		}
	}
	largest := 0.
	for d := range sums {
		sums[d] /= float64(len(members))
		largest = max(largest, math.Abs(sums[d]))
	}
	row = make([]int8, bytes)
	if largest == 0 {
		return row, 0
	}
	scale = largest / 127
	for d, sum := range sums {
		row[d] = int8(math.RoundToEven(sum / scale))
	}
	return row, scale
}
