package audit

// Nearest finds for some records the greatest similarity with any earlier one, exactly. It
// looks up each element of a set in lists of the records that have it, so that a set costs the time
// of its elements, however many records are asked about. It is not safe for concurrent use.
type Nearest struct {
	Measure Measure // of similarity
	records []asked
	lists   map[uint64][]int32 // of the records that have an element
	common  []int32            // elements that the set at hand has in common with each record
	touched []int32            // records for which that is not 0
}

type asked struct {
	number uint64
	size   int
	best   float64
	of     uint64 // the number of the record with that similarity
}

// Ask adds a record of which the nearest earlier one is looked for. The set has no element twice.
// Its answer comes in the order in which records are asked about.
func (n *Nearest) Ask(number uint64, set []uint64) {
	if n.lists == nil {
		n.lists = map[uint64][]int32{}
	}
	i := int32(len(n.records))
	n.records = append(n.records, asked{number: number, size: len(set)})
	n.common = append(n.common, 0)
	for _, element := range set {
		n.lists[element] = append(n.lists[element], i)
	}
}

// Compare takes in a record: it is compared with those asked about that come after it.
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

// Similarity is how similar the i-th record asked about is to the nearest earlier one so far.
func (n *Nearest) Similarity(i int) float64 { return n.records[i].best }

// Nearest is the number of that record, and its similarity; 0 and 0 if no earlier one has an
// element of the record.
func (n *Nearest) Nearest(i int) (number uint64, similarity float64) {
	return n.records[i].of, n.records[i].best
}

// Len is how many records were asked about.
func (n *Nearest) Len() int { return len(n.records) }
