package report

import (
	"cmp"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Reasons for showing removed records, in the order of the page.
const (
	closest  = iota // to the threshold
	grouped         // in one of the largest groups
	farthest        // from the threshold
	sourced         // one record of each of the first sources
	random
	reasons // their number
)

// shownExamples is the maximum number of removed records on a page.
const shownExamples = 48

// limits is how many records are shown for each reason; random ones fill the page.
var limits = [reasons]int{closest: 12, grouped: 8, farthest: 4, sourced: 10, random: shownExamples}

var whys = [reasons]string{
	closest: "closest to the threshold", grouped: "in one of the largest groups",
	farthest: "farthest from the threshold", sourced: "one of its source", random: "picked at random",
}

// A sample is a removed record that may be shown.
type sample struct {
	number, original, root, size uint64
	similarity                   float64
	measure                      Measure
	name, originalName           string
	source                       string
	text, earlier                shownText
	missing                      string
}

// samples selects removed records by rules that depend only on the records.
type samples struct {
	threshold float64
	seen      string            // name of what a reader sees of records, if something else was compared
	unordered bool              // the order of words does not count
	lists     [reasons][]sample // closest and farthest are sorted, the first in each is the extreme
	sources   []source
	removed   uint64
	generator *rand.Rand
}

// A source is where some removed records are from.
type source struct {
	name    string
	removed uint64
}

// place is where a record was selected, by reason: an index into the list, or -1. A sample is made
// only for a record that has an index.
type place [reasons]int

var nowhereChosen = place{-1, -1, -1, -1, -1}

// choose returns where a removed record belongs, if anywhere.
func (s *samples) choose(similarity float64, root, size uint64, source string) (p place, any bool) {
	p = nowhereChosen
	if s.generator == nil {
		s.generator = rand.New(rand.NewPCG(1, 0))
	}
	s.removed++
	if len(s.lists[random]) < limits[random] {
		p[random] = len(s.lists[random])
	} else if at := s.generator.Uint64N(s.removed); at < uint64(limits[random]) {
		p[random] = int(at)
	}
	if s.threshold > 0 && similarity > 0 {
		p[closest] = s.extreme(closest, func(of float64) bool { return s.distance(similarity) < s.distance(of) })
		p[farthest] = s.extreme(farthest, func(of float64) bool { return s.distance(similarity) > s.distance(of) })
	}
	if root > 0 {
		p[grouped] = s.largePlace(root, size)
	}
	p[sourced] = s.sourcePlace(source)
	return p, p != nowhereChosen
}

// extreme returns the index at which to insert a sample, which is after all that do not come later.
// It returns -1 if that is beyond the limit of the list.
func (s *samples) extreme(reason int, before func(similarity float64) bool) int {
	list := s.lists[reason]
	at := len(list)
	for at > 0 && before(list[at-1].similarity) {
		at--
	}
	if at == limits[reason] {
		return -1
	}
	return at
}

func (s *samples) distance(similarity float64) float64 { return math.Abs(similarity - s.threshold) }

func (s *samples) largePlace(root, size uint64) int {
	large, least := s.lists[grouped], 0
	for i := range large {
		if large[i].root == root {
			large[i].size = size
			return -1
		}
		if large[i].size < large[least].size {
			least = i
		}
	}
	switch {
	case len(large) < limits[grouped]:
		return len(large)
	case size > large[least].size:
		return least
	}
	return -1
}

// sourcePlace keeps one record of each of the first sources, every one with the same probability.
func (s *samples) sourcePlace(name string) int {
	at := slices.IndexFunc(s.sources, func(of source) bool { return of.name == name })
	if at < 0 {
		if len(s.sources) == limits[sourced] {
			return -1
		}
		s.sources = append(s.sources, source{name: strings.Clone(name)})
		at = len(s.sources) - 1
	}
	s.sources[at].removed++
	if s.generator.Uint64N(s.sources[at].removed) > 0 {
		return -1
	}
	return at
}

// put inserts a sample at the place that choose has returned.
func (s *samples) put(p place, of sample) {
	for reason, at := range p {
		list := &s.lists[reason]
		switch {
		case at < 0:
		case reason == closest, reason == farthest:
			*list = slices.Insert(*list, at, of)
			*list = (*list)[:min(len(*list), limits[reason])]
		case at == len(*list):
			*list = append(*list, of)
		default:
			(*list)[at] = of
		}
	}
}

// all iterates over the samples that may be shown.
func (s *samples) all() iter.Seq[*sample] {
	return func(yield func(*sample) bool) {
		for _, list := range s.lists {
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
	slices.SortStableFunc(s.lists[grouped], func(a, b sample) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.number, b.number))
	})
	shown := map[uint64]bool{}
	for reason, samples := range s.lists {
		for _, of := range samples {
			tooFew := reason == grouped && of.size <= 2 || reason == sourced && len(s.sources) < 2
			if tooFew || shown[of.number] || len(list) == shownExamples {
				continue
			}
			shown[of.number] = true
			list = append(list, s.example(of, whys[reason], nameOf))
		}
	}
	return list
}

// rule describes the selection.
func (s *samples) rule() string {
	if s.removed <= shownExamples {
		return "all of them"
	}
	var parts []string
	if len(s.lists[closest]) > 0 {
		parts = append(parts, "the 12 closest to the threshold and the 4 farthest from it")
	}
	if len(s.lists[grouped]) > 0 {
		parts = append(parts, "one of each of the 8 largest groups")
	}
	if len(s.sources) > 1 {
		parts = append(parts, "one of each of the first 10 sources")
	}
	return strings.Join(append(parts, "the rest at random, with a fixed seed"), ", ")
}

func (s *samples) example(of sample, reason string, nameOf func(uint64) string) Example {
	e := Example{
		Reason: reason, Name: of.name, Source: of.source,
		Similarity: of.similarity, Measure: of.measure, Group: of.size,
		Texts: Texts{Missing: of.missing, Cut: of.text.cut},
	}
	if e.Original = of.originalName; e.Original == "" && of.original > 0 && nameOf != nil {
		e.Original = nameOf(of.original)
	}
	if of.missing != "" {
		e.Text = []Span{{Text: of.text.from(0).text}}
		return e
	}
	e.Beside = besideOf(of.text, of.earlier, s.seen)
	switch {
	case of.measure == Alike && s.unordered:
		e.compareSets(of.text.excerpt, of.earlier.excerpt)
		return e
	case of.measure == Alike:
		e.compare(of.text.excerpt, of.earlier.excerpt)
		return e
	}
	e.compare(around(of.text.excerpt, of.earlier.excerpt))
	e.markShared()
	return e
}
