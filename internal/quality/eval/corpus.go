package eval

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/quality/audit"
)

// A Corpus is a list of records in stream order, with known duplicates.
type Corpus struct {
	Texts [][]byte
	// Parents has, for each record, an earlier record that it duplicates, or -1.
	Parents []int32
	// Kinds has the kind of each duplicate, such as a copy that was cut; it may be nil.
	Kinds []string
}

// ByCluster returns a corpus of labeled texts: a record is a duplicate if an earlier one has the
// same label. Records with an empty label are not duplicates.
func ByCluster(texts [][]byte, labels []string) Corpus {
	c := Corpus{Texts: texts, Parents: make([]int32, len(texts))}
	first := map[string]int32{}
	for i, label := range labels {
		c.Parents[i] = -1
		if label == "" {
			continue
		}
		if parent, seen := first[label]; seen {
			c.Parents[i] = parent
		} else {
			first[label] = int32(i)
		}
	}
	return c
}

// ByJaccard returns a corpus in which a record is a duplicate if the Jaccard similarity of its set
// with an earlier one reaches the threshold. It compares all sets, so the time grows with the
// number of pairs that share an element. setOf returns the set of a text, without duplicates, valid
// until the next call.
func ByJaccard(texts [][]byte, threshold float64, setOf func(text []byte) []uint64) Corpus {
	c := Corpus{Texts: texts, Parents: make([]int32, len(texts))}
	var nearest audit.Nearest
	for i := len(texts) - 1; i >= 0; i-- { // each is compared with all after it
		set := setOf(texts[i])
		nearest.Compare(uint64(i), set)
		nearest.Query(uint64(i), set)
	}
	for i := range texts {
		c.Parents[i] = -1
		if number, similarity := nearest.Nearest(len(texts) - 1 - i); similarity >= threshold {
			c.Parents[i] = int32(number)
		}
	}
	return c
}

// Duplicates returns the number of duplicates.
func (c Corpus) Duplicates() (count int) {
	for _, parent := range c.Parents {
		if parent >= 0 {
			count++
		}
	}
	return count
}

// Head returns the first n records.
func (c Corpus) Head(n int) Corpus { return Corpus{Texts: c.Texts[:n], Parents: c.Parents[:n]} }

// WithShare returns a corpus of n of the records, with the given share of duplicates, in stream
// order. ok is false if there are too few of either. A duplicate stays one, since its original is
// kept. Originals with the most duplicates are taken first, and duplicates are drawn at random by
// the seed.
func (c Corpus) WithShare(n int, share float64, seed uint64) (part Corpus, ok bool) {
	duplicates := int(share*float64(n) + .5)
	chosen := c.largest(n - duplicates)
	if chosen == nil {
		return part, false
	}
	rest := make([]int32, 0, len(c.Texts))
	for i, parent := range c.Parents {
		if parent >= 0 {
			rest = append(rest, int32(i))
		}
	}
	rand.New(rand.NewPCG(seed, uint64(n))).Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	for added := 1; added > 0 && duplicates > 0; { // a parent may come late in the shuffled order
		added = 0
		for _, i := range rest {
			if duplicates > 0 && !chosen[i] && chosen[c.Parents[i]] {
				chosen[i] = true
				added++
				duplicates--
			}
		}
	}
	return c.only(chosen), duplicates == 0
}

// largest chooses n records that are not duplicates, those with the most duplicates first. It
// returns nil if there are fewer.
func (c Corpus) largest(n int) (chosen []bool) {
	sizes := make([]int, len(c.Texts))
	var firsts []int32
	for i := range c.Texts {
		if root := c.root(int32(i)); root == int32(i) {
			firsts = append(firsts, root)
		} else {
			sizes[root]++
		}
	}
	if n < 0 || n > len(firsts) {
		return nil
	}
	slices.SortStableFunc(firsts, func(a, b int32) int { return cmp.Compare(sizes[b], sizes[a]) })
	chosen = make([]bool, len(c.Texts))
	for _, first := range firsts[:n] {
		chosen[first] = true
	}
	return chosen
}

// root returns the original to which the parents of a record lead.
func (c Corpus) root(i int32) int32 {
	for c.Parents[i] >= 0 {
		i = c.Parents[i]
	}
	return i
}

func (c Corpus) only(chosen []bool) (part Corpus) {
	at := make([]int32, len(chosen))
	for i, is := range chosen {
		if !is {
			continue
		}
		at[i] = int32(len(part.Texts))
		parent := c.Parents[i]
		if parent >= 0 {
			parent = at[parent]
		}
		part.Texts, part.Parents = append(part.Texts, c.Texts[i]), append(part.Parents, parent)
	}
	return part
}
