package bloomlsh

// generation is one array of filters and the count of the records in it.
type generation struct {
	geometry
	filter   filter
	words    []uint64
	small    []uint64 // the end of words that is not on huge pages yet
	inserted uint64
}

func newGeneration(plan geometry) (*generation, error) {
	words, err := allocate(plan.words())
	if err != nil {
		return nil, err
	}
	g := &generation{geometry: plan, filter: newFilter(plan, words), words: words, small: words}
	if !canEnlargeUsed() {
		g.enlarge(plan.bytes())
	}
	return g, nil
}

// enlarge puts so many more bytes of the filters on huge pages. A huge page is cleared when it is first used, and a record uses one in
// each band: the first one of a stream would wait for 28 MB. So a generation begins on small pages and gets a huge one with each
// record. What is filled without records is enlarged before.
func (g *generation) enlarge(bytes uint64) {
	if len(g.small) > 0 {
		g.small = enlarge(g.small, bytes)
	}
}

func (g *generation) full() bool { return g.inserted >= g.capacity }
