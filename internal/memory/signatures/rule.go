package signatures

// A rule is everything by which two packed signatures are compared.
type rule struct {
	params   Params
	words    int // of a sketch without its set
	agreeing int // slots that must agree
	padding  int // unused slots at the end of a packed signature
	slotBits int
	masks    [][]bandMask // of the bands
}

// newRule returns the rule of valid parameters.
func newRule(p Params) rule {
	return rule{
		params: p, words: p.SketchWords(), agreeing: p.agreeing(), padding: p.padding(), slotBits: p.slotBits(),
		masks: p.masks(),
	}
}

// isSimilar reports whether a candidate makes the current record a duplicate.
func (r *rule) isSimilar(c candidate) bool { return c.votes >= r.params.Votes && c.agree >= r.agreeing }

// haveVotes reports whether two signatures share enough bands.
func (r *rule) haveVotes(a, b []uint64) bool {
	votes := 0
	for i := 0; i < r.params.Bands && votes < r.params.Votes; i++ {
		votes += boolToInt(sameBand(r.masks[i], a, b))
	}
	return votes >= r.params.Votes
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
