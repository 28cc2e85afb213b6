package eval

import (
	"fmt"
	"slices"
	"strings"
)

// A Setting is a method with its parameters.
type Setting struct {
	Method string
	// similarity from which on a record is removed: Jaccard similarity, or the share of n-grams
	// seen; for simhash the cosine estimated by the distance, for tlsh one minus a 300th of the
	// distance, for embedding the cosine
	Threshold float64
	NumPerm   int // permutations of a signature; 0 if the method has none
	NGram     int // tokens of a shingle or n-gram; 0 if the method has none
}

// String returns the setting in one line.
func (s Setting) String() string {
	if of := s.Parameters(); of != "" {
		return s.Method + ", " + of
	}
	return s.Method
}

// Parameters returns the method's parameters in one line.
func (s Setting) Parameters() string {
	var parts []string
	if s.Threshold > 0 {
		parts = append(parts, fmt.Sprintf("T %g", s.Threshold))
	}
	if s.NumPerm > 0 {
		parts = append(parts, fmt.Sprintf("%d permutations", s.NumPerm))
	}
	if s.NGram > 0 {
		parts = append(parts, fmt.Sprintf("n %d", s.NGram))
	}
	return strings.Join(parts, ", ")
}

// A Grid is the parameter values to try, in all combinations.
type Grid struct {
	Methods    []string // from MethodNames
	Thresholds []float64
	NumPerms   []int
	NGrams     []int
}

// DefaultGrid returns the grid of the paper (section 5.1), with all methods but Embedding.
func DefaultGrid() Grid {
	return Grid{
		Methods:    slices.DeleteFunc(MethodNames(), func(name string) bool { return name == Embedding }),
		Thresholds: []float64{.2, .3, .4, .5, .6, .7, .8, .9, 1},
		NumPerms:   []int{32, 64, 128, 256},
		NGrams:     []int{1, 2, 5, 7, 13, 26},
	}
}

// Validate returns an error if the grid is invalid.
func (g Grid) Validate() error {
	for _, name := range g.Methods {
		if find(name) == nil {
			return fmt.Errorf("method %q is not known: use some of %s", name, strings.Join(MethodNames(), ", "))
		}
	}
	switch {
	case len(g.Methods) == 0 || len(g.Thresholds) == 0 || len(g.NumPerms) == 0 || len(g.NGrams) == 0:
		return fmt.Errorf("a grid needs methods, thresholds, permutations and n-grams: one of each at least")
	case slices.ContainsFunc(g.Thresholds, func(t float64) bool { return !(t > 0 && t <= 1) }):
		return fmt.Errorf("thresholds %v must be above 0 and at most 1", g.Thresholds)
	case slices.ContainsFunc(g.NumPerms, func(k int) bool { return k < 1 || k > 4096 }):
		return fmt.Errorf("permutations %v must be between 1 and 4096", g.NumPerms)
	case slices.ContainsFunc(g.NGrams, func(n int) bool { return n < 1 || n > 1000 }):
		return fmt.Errorf("n-grams %v must be between 1 and 1000", g.NGrams)
	}
	return nil
}

// Settings returns all settings of the grid, method by method. Parameters that a method lacks are
// not varied.
func (g Grid) Settings() (list []Setting) {
	for _, name := range g.Methods {
		m := find(name)
		thresholds, numPerms, nGrams := g.Thresholds, []int{0}, []int{0}
		if !m.threshold {
			thresholds = []float64{0}
		}
		if m.own != nil {
			thresholds = m.own()
		}
		if m.permutations {
			numPerms = g.NumPerms
		}
		if m.nGrams {
			nGrams = g.NGrams
		}
		for _, n := range nGrams {
			for _, k := range numPerms {
				for _, t := range thresholds {
					list = append(list, Setting{name, t, k, n})
				}
			}
		}
	}
	return list
}
