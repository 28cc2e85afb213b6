package audit

// A Measure is a similarity of a record to an earlier one, computed from their sets.
type Measure int

// The measures.
const (
	Jaccard   Measure = iota // intersection over union
	InEarlier                // share of the record that the earlier one contains
	InOther                  // share of the smaller one that the other contains
)

// of returns the similarity of two sets that are not empty.
func (m Measure) of(both, size, earlier int) float64 {
	switch m {
	case InEarlier:
		return float64(both) / float64(size)
	case InOther:
		return float64(both) / float64(min(size, earlier))
	}
	return float64(both) / float64(size+earlier-both)
}

// String returns the name.
func (m Measure) String() string {
	return [...]string{"jaccard", "in-earlier", "in-other"}[m]
}

// Of describes what is measured.
func (m Measure) Of() string {
	switch m {
	case InEarlier:
		return "how much of them is in the earlier record that has the most of them, exactly"
	case InOther:
		return "how much of the shorter text is in the other one, of all earlier records, exactly"
	}
	return "their exact Jaccard similarity with the nearest of all earlier records"
}
