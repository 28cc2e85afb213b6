package vectors

import "math"

// mostRows is how many rows make a list full: more lists of fewer rows each take more time for the
// centroids and less for the rows. moreRows is how many more make it full again if they stay
// together.
const mostRows, moreRows = 512, 128

// A list is some rows that are near each other.
type list struct {
	rows    []int8   // one after the other
	records []uint64 // their numbers
	squares []int32  // the scalar product of each row with itself
	limit   int      // the rows that make it full
}

func (l *list) len() int { return len(l.records) }

func (l *list) add(row []int8, record uint64, squares int32) {
	l.rows = append(l.rows, row...)
	l.records = append(l.records, record)
	l.squares = append(l.squares, squares)
}

// row returns row i of those of so many bytes.
func (l *list) row(i, bytes int) []int8 { return l.rows[i*bytes : (i+1)*bytes] }

func (l *list) memory() uint64 {
	return uint64(cap(l.rows) + 8*cap(l.records) + 4*cap(l.squares))
}

// centroids are the means of lists: each is a row times a scale.
type centroids struct {
	rows    []int8
	scales  []float64
	squares []float64 // of their lengths
}

// add adds a centroid.
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

// score is larger, the nearer centroid i is to a row of that length as a unit vector: half of the
// square of its length is taken from the scalar product, which is given for the rows. Conversions
// keep processors other than amd64 from leaving out a rounding.
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
