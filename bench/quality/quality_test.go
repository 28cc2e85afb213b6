package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/bench/harness/recipe"
	"github.com/mithril-stream/mithril-stream/bench/harness/sets"
)

// testRecipe has shingles of one word, so that similarities can be counted by hand.
func testRecipe(t *testing.T, options ...string) *recipe.Recipe {
	t.Helper()
	r, err := recipe.New(append([]string{"--shingle-size", "1"}, options...))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func testCorpus(t *testing.T, r *recipe.Recipe, texts ...string) *corpus {
	t.Helper()
	var lines strings.Builder
	for i, text := range texts {
		fmt.Fprintf(&lines, "{\"id\":\"r%d\",\"text\":%q}\n", i, text)
	}
	c, err := readCorpus(strings.NewReader(lines.String()), r.Sketcher)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestReadCorpusRefuses(t *testing.T) {
	r := testRecipe(t)
	for _, c := range []struct{ in, want string }{
		{"{\"id\":\"a\",\"text\":\"x\"}\n{\"id\":\"a\",\"text\":\"y\"}\n", "2: id \"a\" for the second time"},
		{"{\"id\":\"a\",\"text\":\"x\"}\nnonsense\n", "2: "},
	} {
		if _, err := readCorpus(strings.NewReader(c.in), r.Sketcher); err == nil ||
			!strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: error %v, want one that begins with %q", c.in, err, c.want)
		}
	}
}

// Against two nested loops over maps.
func TestEachOverlapIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	r := testRecipe(t)
	var texts []string
	for range 60 {
		var words []string
		for range rng.IntN(12) { // some have no text
			words = append(words, fmt.Sprintf("w%d", rng.IntN(25)))
		}
		texts = append(texts, strings.Join(words, " "))
	}
	c := testCorpus(t, r, texts...)
	remembered := func(i int) bool { return i%5 != 3 }
	visits := 0
	c.eachOverlap(func(record int, overlaps []sets.Overlap) bool {
		visits++
		want := map[int]float64{}
		for e := range record {
			if j := jaccard(texts[e], texts[record]); j > 0 && remembered(e) {
				want[e] = j
			}
		}
		for _, o := range overlaps {
			if math.Abs(want[o.Earlier]-o.Jaccard) > 1e-12 {
				t.Errorf("records %d, %d: %g, want %g", o.Earlier, record, o.Jaccard, want[o.Earlier])
			}
			delete(want, o.Earlier)
		}
		if len(want) > 0 {
			t.Errorf("record %d: missing %v", record, want)
		}
		return remembered(record)
	})
	if visits != len(texts) {
		t.Errorf("%d visits to %d records", visits, len(texts))
	}
}

func jaccard(a, b string) float64 {
	union, common := map[string]bool{}, 0
	for _, w := range strings.Fields(a) {
		union[w] = true
	}
	seen := map[string]bool{}
	for _, w := range strings.Fields(b) {
		if union[w] && !seen[w] {
			common++
		}
		seen[w] = true
	}
	for w := range seen {
		union[w] = true
	}
	if len(union) == 0 {
		return 0
	}
	return float64(common) / float64(len(union))
}

func TestScore(t *testing.T) {
	c := testCorpus(t, testRecipe(t), "a", "b", "c", "d", "e")
	clusters := map[string]string{"r0": "x", "r1": "y", "r2": "x", "r3": "x"} // r4 has no label
	s, err := score(c, []bool{true, false, false, true, true}, clusters)
	if err != nil {
		t.Fatal(err)
	}
	if s.planted != 2 || s.removed != 2 || s.right != 1 || s.precision() != 0.5 || s.recall() != 0.5 {
		t.Errorf("score %+v", s)
	}
	want := []string{"removed without a label: r1", "missed: r3, a duplicate of r0"}
	if !slices.Equal(s.wrong, want) {
		t.Errorf("wrong %q, want %q", s.wrong, want)
	}
	if _, err := score(c, make([]bool, 5), map[string]string{"nobody": "x"}); err == nil {
		t.Error("no error for the label of a record that does not exist")
	}
}

func TestPairs(t *testing.T) {
	r := testRecipe(t)
	c := testCorpus(t, r, "a b c d", "a b c d", "a b c e", "x y", "")
	pairs := similarPairs(c, lowestBand)
	if want := []pair{{0, 1, 1}, {0, 2, 0.6}, {1, 2, 0.6}}; !slices.Equal(pairs, want) {
		t.Fatalf("pairs %v, want %v", pairs, want)
	}
	bySeed, err := keysOfSeeds(c, r.Sketcher.Params(), 3)
	if err != nil {
		t.Fatal(err)
	}
	rule := r.Rule
	byTenth := tallyPairs(bySeed, rule, append(pairs, pair{0, 3, 0}))
	if got := byTenth[10]; got.pairs != 1 || !slices.Equal(got.caught, []int{1, 1, 1}) || got.expected != 1 {
		t.Errorf("identical pair: %+v", got)
	}
	if got := byTenth[6]; got.pairs != 2 || math.Abs(got.expected-2*r.Catch(0.6)) > 1e-12 {
		t.Errorf("pairs at 0.6: %+v", got)
	}
	rule.Votes = rule.Bands + 1
	if got := tallyPairs(bySeed, rule, pairs)[10]; slices.Max(got.caught) != 0 {
		t.Errorf("more votes than bands: %+v", got)
	}
	if got := byTenth[0]; got.pairs != 1 || slices.Max(got.caught) != 0 {
		t.Errorf("unrelated pair: %+v", got)
	}
}

func TestReadPairs(t *testing.T) {
	c := testCorpus(t, testRecipe(t), "a", "b")
	path := filepath.Join(t.TempDir(), "truth.tsv")
	for _, tc := range []struct {
		rows string
		ok   bool
	}{
		{"r1\tr0\t0.75\n", true}, {"r1\tr0\n", false}, {"r1\tr9\t0.75\n", false}, {"r1\tr0\tmuch\n", false},
	} {
		if err := os.WriteFile(path, []byte("id1\tid2\tjaccard\n"+tc.rows), 0o666); err != nil {
			t.Fatal(err)
		}
		pairs, err := readPairs(path, c)
		if (err == nil) != tc.ok || tc.ok && !slices.Equal(pairs, []pair{{1, 0, 0.75}}) {
			t.Errorf("%q: %v, %v", tc.rows, pairs, err)
		}
	}
}

// Each reason, and what was kept is not accused.
func TestInvestigate(t *testing.T) {
	r := testRecipe(t, "--threshold", "0.85", "--bands", "1", "--rows", "1", "--num-perm", "1")
	similar := "a b c d e f g h i j"
	c := testCorpus(t, r, similar, similar, "a b c d e f g h i z", "p q r s", "a k l m n")
	found := investigate(c, r, []bool{true, false, false, false, true})
	if f := found[1]; f.reason(0.85) != duplicate || f.nearest != 0 || f.jaccard != 1 || f.atLeast != 1 ||
		f.atMost != 1 {
		t.Errorf("copy: %+v", f)
	}
	f := found[2]
	if math.Abs(f.jaccard-9./11) > 1e-12 || f.nearest != 0 || math.Abs(f.atLeast-9./11) > 1e-12 ||
		math.Abs(f.atMost-(1-4./121)) > 1e-12 {
		t.Errorf("relative: %+v", f)
	}
	f.enough = true
	if f.reason(0.85) != belowAndNear {
		t.Errorf("relative with enough votes: reason %d", f.reason(0.85))
	}
	if f = found[3]; f.nearest != -1 || f.enough || f.reason(0.85) != falsePositive || f.atMost != 0 {
		t.Errorf("unrelated record: %+v", f)
	}
	if found[4].removed || found[0].removed {
		t.Error("kept records are found as removed")
	}
	var list strings.Builder
	if err := writeList(&list, c, found, 0.85); err != nil || strings.Count(list.String(), "\n") != 4 {
		t.Errorf("list %q, %v", list.String(), err)
	}
}

// A record that was removed is not remembered, where the program does not remember it either.
func TestInvestigateRemembers(t *testing.T) {
	for remember, nearest := range map[string]int{"all": 1, "unseen": 0} {
		r := testRecipe(t, "--remember", remember)
		c := testCorpus(t, r, "a b c d", "a b c e", "a b c e")
		found := investigate(c, r, []bool{true, false, false})
		if found[2].nearest != nearest {
			t.Errorf("--remember %s: nearest of the third is record %d, want %d", remember, found[2].nearest, nearest)
		}
		if remember == "all" && !found[2].enough {
			t.Error("a copy of a remembered record has too few votes of it")
		}
	}
}

// Of five records three and two are in groups of ours, and two and three in those of the truth.
func TestPairsOfGroups(t *testing.T) {
	truth := components(5, []pair{{0, 1, 1}, {3, 4, 1}, {2, 3, 1}})
	ours := []int{0, 0, 0, 3, 3}
	if got := [3]int{pairsIn(ours), pairsIn(truth), pairsIn(inBoth(ours, truth))}; got != [3]int{4, 4, 2} {
		t.Errorf("%v", got)
	}
}
