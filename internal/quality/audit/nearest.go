package audit

// Nearest finds the exact maximum similarity of some records with any earlier one. It looks up each
// element of a set in lists of the records that have it, so a set costs time for its elements,
// however many records are queried. It is not safe for concurrent use.
type Nearest struct {
	Measure Measure // of similarity
	records []query
	lists   map[uint64][]int32 // for each element the records that have it
	common  []int32            // number of elements that the current set shares with each record
	touched []int32            // records with a common element
}

type query struct {
	number uint64
	size   int
	best   float64
	of     uint64 // number of the nearest record
}

// Query adds a record whose nearest earlier one is wanted. set has no duplicates. Results are
// numbered in the order of calls.
func (n *Nearest) Query(number uint64, set []uint64) {
	if n.lists == nil {
		n.lists = map[uint64][]int32{}
	}
	i := int32(len(n.records))
	n.records = append(n.records, query{number: number, size: len(set)})
	n.common = append(n.common, 0)
	for _, element := range set {
		n.lists[element] = append(n.lists[element], i)
	}
}

// Compare compares a record with the queried ones that come after it.
func (n *Nearest) Compare(number uint64, set []uint64) {
	for _, element := range set {
		for _, i := range n.lists[element] {
			if n.common[i] == 0 {
				n.touched = append(n.touched, i)
			}
			n.common[i]++
		}
	}
	for _, i := range n.touched {
		r := &n.records[i]
		if number < r.number {
			if similarity := n.Measure.of(int(n.common[i]), r.size, len(set)); similarity > r.best {
				r.best, r.of = similarity, number
			}
		}
		n.common[i] = 0
	}
	n.touched = n.touched[:0]
}

// Similarity returns the similarity of the i-th record with its nearest earlier one so far.
func (n *Nearest) Similarity(i int) float64 { return n.records[i].best }

// Nearest returns the number and the similarity of the nearest record, or 0 and 0 if no earlier one
// shares an element.
func (n *Nearest) Nearest(i int) (number uint64, similarity float64) {
	return n.records[i].of, n.records[i].best
}

// Len returns the number of queried records.
func (n *Nearest) Len() int { return len(n.records) }
