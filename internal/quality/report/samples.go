package report

import (
	"cmp"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// How many removed records are shown, and how many for each reason. The rest is chosen at random.
const (
	shownExamples = 20
	nearest       = 8
	largest       = 6
)

// A sample is a removed record that may be shown.
type sample struct {
	number, original, root, size uint64
	similarity                   float64
	way                          Way
	name, originalName           string
	text, earlier                excerpt
	missing                      string
}

// samples selects removed records by rules that depend only on the records.
type samples struct {
	threshold float64
	near      []sample // nearest to the threshold, in ascending order of distance
	large     []sample // of the largest groups, each by the last record selected
	random    []sample // a uniform random sample of shownExamples removed records
	removed   uint64
	generator *rand.Rand
}

// place is where a record was selected; a sample is made only for these.
type place struct {
	near, large, random int // indices into the lists; -1 for none
}

// choose returns where a removed record belongs, if anywhere.
func (s *samples) choose(similarity float64, root, size uint64) (p place, any bool) {
	p = place{-1, -1, -1}
	if s.generator == nil {
		s.generator = rand.New(rand.NewPCG(1, 0))
	}
	s.removed++
	if len(s.random) < shownExamples {
		p.random = len(s.random)
	} else if at := s.generator.Uint64N(s.removed); at < shownExamples {
		p.random = int(at)
	}
	if s.threshold > 0 && similarity > 0 {
		p.near = s.nearPlace(similarity)
	}
	if root > 0 {
		p.large = s.largePlace(root, size)
	}
	return p, p != place{-1, -1, -1}
}

// nearPlace returns the index after those as near.
func (s *samples) nearPlace(similarity float64) int {
	at := len(s.near)
	for at > 0 && s.distance(similarity) < s.distance(s.near[at-1].similarity) {
		at--
	}
	if at == nearest {
		return -1
	}
	return at
}

func (s *samples) distance(similarity float64) float64 { return math.Abs(similarity - s.threshold) }

func (s *samples) largePlace(root, size uint64) int {
	least := 0
	for i := range s.large {
		if s.large[i].root == root {
			s.large[i].size = size
			return -1
		}
		if s.large[i].size < s.large[least].size {
			least = i
		}
	}
	switch {
	case len(s.large) < largest:
		return len(s.large)
	case size > s.large[least].size:
		return least
	}
	return -1
}

// put stores a sample where choose has said.
func (s *samples) put(p place, of sample) {
	if p.near >= 0 {
		s.near = slices.Insert(s.near, p.near, of)
		s.near = s.near[:min(len(s.near), nearest)]
	}
	if p.large == len(s.large) {
		s.large = append(s.large, of)
	} else if p.large >= 0 {
		s.large[p.large] = of
	}
	if p.random == len(s.random) {
		s.random = append(s.random, of)
	} else if p.random >= 0 {
		s.random[p.random] = of
	}
}

// all iterates over the samples that may be shown.
func (s *samples) all() iter.Seq[*sample] {
	return func(yield func(*sample) bool) {
		for _, list := range [][]sample{s.near, s.large, s.random} {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
	}
}

// examples returns the samples to show, each once.
func (s *samples) examples(nameOf func(original uint64) string) (list []Example) {
	shown := map[uint64]bool{}
	add := func(reason string, of sample) {
		if shown[of.number] || len(list) == shownExamples {
			return
		}
		shown[of.number] = true
		list = append(list, of.example(reason, nameOf))
	}
	for _, of := range s.near {
		add("nearest to the threshold", of)
	}
	slices.SortStableFunc(s.large, func(a, b sample) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.number, b.number))
	})
	for _, of := range s.large {
		if of.size > 2 {
			add("of one of the largest groups", of)
		}
	}
	for _, of := range s.random {
		add("at random", of)
	}
	return list
}

// rule describes how they are chosen.
func (s *samples) rule() string {
	var parts []string
	if len(s.near) > 0 {
		parts = append(parts, "up to 8 whose similarity is nearest to the threshold")
	}
	if len(s.large) > 0 {
		parts = append(parts, "one of each of the largest groups, up to 6")
	}
	return strings.Join(append(parts, "the rest at random, with a fixed seed"), ", ")
}

func (of sample) example(reason string, nameOf func(uint64) string) Example {
	e := Example{
		Reason: reason, Name: of.name, Similarity: of.similarity, Way: of.way, Group: of.size, Missing: of.missing,
		Cut: of.text.cut,
	}
	if e.Original = of.originalName; e.Original == "" && of.original > 0 && nameOf != nil {
		e.Original = nameOf(of.original)
	}
	if of.missing != "" {
		e.Text = []Span{{Text: of.text.from(0).text}}
		return e
	}
	if of.way == Alike {
		e.compare(of.text, of.earlier)
		return e
	}
	e.compare(around(of.text, of.earlier))
	e.markShared()
	return e
}
