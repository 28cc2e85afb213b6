package audit

// A Measure says how similar a record is to an earlier one, by what their sets have in common.
type Measure int

// The measures.
const (
	Jaccard   Measure = iota // what both have, of what any of them has
	InEarlier                // of the record, how much is in the earlier one
	InOther                  // of the smaller one, how much is in the other one
)

// of is the similarity of a set with an earlier one, of which none is empty.
func (m Measure) of(both, size, earlier int) float64 {
	switch m {
	case InEarlier:
		return float64(both) / float64(size)
	case InOther:
		return float64(both) / float64(min(size, earlier))
	}
	return float64(both) / float64(size+earlier-both)
}

// String is its name.
func (m Measure) String() string {
	return [...]string{"jaccard", "in-earlier", "in-other"}[m]
}

// Of says, of some records, what is measured.
func (m Measure) Of() string {
	switch m {
	case InEarlier:
		return "how much of them is in the earlier record that has the most of them, exactly"
	case InOther:
		return "how much of the shorter text is in the other one, of all earlier records, exactly"
	}
	return "their exact Jaccard similarity with the nearest of all earlier records"
}
