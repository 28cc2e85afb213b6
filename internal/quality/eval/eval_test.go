package eval

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/rows"
	"github.com/mithril-stream/mithril-stream/stream"
)

// forged are texts of 80 words with their clusters: one in three is a copy of an earlier one with
// some words changed, one in ten of these with none.
func forged(records int, seed uint64) (texts [][]byte, labels []string) {
	rng := rand.New(rand.NewPCG(seed, 0))
	word := func() string { return fmt.Sprintf("w%d", rng.IntN(4000)) }
	var documents [][]string
	for i := range records {
		if i > 0 && rng.IntN(3) == 0 {
			of := rng.IntN(len(documents))
			copied := slices.Clone(documents[of])
			for range rng.IntN(10) {
				copied[rng.IntN(len(copied))] = word()
			}
			texts, labels = append(texts, []byte(strings.Join(copied, " "))), append(labels, fmt.Sprint(of))
			continue
		}
		var document []string
		for range 80 {
			document = append(document, word())
		}
		labels = append(labels, fmt.Sprint(len(documents)))
		documents, texts = append(documents, document), append(texts, []byte(strings.Join(document, " ")))
	}
	return texts, labels
}

func evaluator(rate float64) *Evaluator {
	return &Evaluator{Text: sketch.Default(), NewSketcher: sketch.New, FPRate: rate, Vectors: &Vectors{
		Dims: wordDims, NewSketcher: func() stream.Sketcher { return wordCounts{} },
		Before: func(judge stream.Judge) stream.Judge { return judge },
	}}
}

// wordCounts makes vectors of how often words of each length are in a text, and begin with a
// letter.
type wordCounts struct{}

const wordDims = 64

func (wordCounts) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	var counts [wordDims]float32
	for _, word := range bytes.Fields(text) {
		counts[(int(word[0])*7+int(word[len(word)-1])*31+len(word))%wordDims]++
	}
	words, err := rows.Append(dst, counts[:])
	return words, err == nil
}

// TestLSHBloomIsMinHashLSH, record by record, if its filters do not err.
func TestLSHBloomIsMinHashLSH(t *testing.T) {
	c := ByCluster(forged(400, 1))
	e := evaluator(1e-12)
	grid := DefaultGrid()
	grid.Methods, grid.NumPerms, grid.NGrams = []string{"lshbloom"}, []int{32, 100}, []int{1, 5}
	removed := 0
	for _, s := range grid.Settings() {
		bloom, err := e.Run(c, s)
		if err != nil {
			t.Fatal(err)
		}
		s.Method = "minhashlsh"
		tables, err := e.Run(c, s)
		if err != nil {
			t.Fatal(err)
		}
		if bloom.Right != tables.Right || bloom.Wrong != tables.Wrong || bloom.Rule != tables.Rule {
			t.Errorf("%s: %d and %d with filters, %d and %d with tables", s, bloom.Right, bloom.Wrong, tables.Right,
				tables.Wrong)
		}
		removed += bloom.Right + bloom.Wrong
	}
	if removed == 0 {
		t.Error("nothing was removed by any setting")
	}
}

// TestFiltersErrAtTheirRate: what LSHBloom removes beside MinHashLSH is what its filters were
// planned for.
func TestFiltersErrAtTheirRate(t *testing.T) {
	c := ByCluster(forged(4000, 2))
	s := Setting{"lshbloom", .8, 128, 5}
	bloom, err := evaluator(.02).Run(c, s)
	if err != nil {
		t.Fatal(err)
	}
	s.Method = "minhashlsh"
	tables, err := evaluator(.02).Run(c, s)
	if err != nil {
		t.Fatal(err)
	}
	more := bloom.Wrong - tables.Wrong // the rate holds for a full index; on the way it is less
	if unseen := c.Duplicates(); more < 1 || more > int(.02*float64(len(c.Texts)-unseen)) {
		t.Errorf("filters of a rate of .02 removed %d more of %d", more, len(c.Texts))
	}
}

// TestEveryMethodFindsCopies, and removes nothing else of texts that have nothing in common.
func TestEveryMethodFindsCopies(t *testing.T) {
	texts, labels := forged(60, 3)
	for i := range labels {
		labels[i] = fmt.Sprint(i)
	}
	for i := range 30 {
		texts, labels = append(texts, texts[i]), append(labels, labels[i])
	}
	c := ByCluster(texts, labels)
	// Copies with changed words are among the others: they are no business of this test.
	for _, m := range methods {
		s := Setting{m.name, 1, 128, 13}
		if !m.nGrams {
			s.NGram = 0
		}
		r, err := evaluator(1e-9).Run(c, s)
		if err != nil {
			t.Fatal(err)
		}
		if r.Recall() != 1 || r.Records != 90 || r.Duplicates != 30 {
			t.Errorf("%s: %+v", m.name, r)
		}
		if r.Bytes == 0 || r.Seconds() <= 0 || About(m.name) == "" {
			t.Errorf("%s: %d bytes, %v seconds", m.name, r.Bytes, r.Seconds())
		}
	}
}

// Embedding is not among the methods that need nothing, and says what it needs.
func TestEmbeddingNeedsAModel(t *testing.T) {
	if slices.Contains(DefaultGrid().Methods, Embedding) || !slices.Contains(MethodNames(), Embedding) {
		t.Error(DefaultGrid().Methods)
	}
	e := evaluator(1e-9)
	e.Vectors = nil
	if _, err := e.Run(ByCluster(forged(10, 1)), Setting{Method: Embedding, Threshold: 1}); err == nil {
		t.Error("vectors of nothing")
	}
}

// TLSH finds what differs in a word, and passes over what is too short for a digest.
func TestTLSH(t *testing.T) {
	texts, labels := forged(40, 9)
	texts, labels = append(texts, []byte("short"), []byte("short")), append(labels, "s", "s")
	c := ByCluster(texts, labels)
	last := 0
	for _, threshold := range []float64{closeness()[8], closeness()[3], closeness()[0]} {
		r, err := evaluator(1e-9).Run(c, Setting{Method: "tlsh", Threshold: threshold})
		if err != nil || r.Right < last {
			t.Errorf("%v: %+v, %v", threshold, r, err)
		}
		last = r.Right
	}
	if last == 0 {
		t.Error("nothing is near anything")
	}
}

func TestScores(t *testing.T) {
	r := Result{Records: 100, Duplicates: 10, Right: 8, Wrong: 4}
	if r.Missed() != 2 || r.Precision() != 8./12 || r.Recall() != .8 || r.F1() != 8/(8+.5*(4+2)) {
		t.Error(r.Missed(), r.Precision(), r.Recall(), r.F1())
	}
	nothing := Result{Records: 5}
	if nothing.Precision() != 1 || nothing.Recall() != 1 || nothing.F1() != 1 {
		t.Error("nothing to remove, and nothing removed")
	}
}

// TestByJaccardComparesAllPairs.
func TestByJaccardComparesAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		threshold := rapid.SampledFrom([]float64{.2, .5, 1}).Draw(t, "threshold")
		sets := rapid.SliceOfN(rapid.SliceOfNDistinct(rapid.Uint64Range(0, 9), 1, 6, rapid.ID), 1, 25).Draw(t, "sets")
		texts := make([][]byte, len(sets))
		for i := range sets {
			slices.Sort(sets[i])
			texts[i] = []byte{byte(i)}
		}
		c := ByJaccard(texts, threshold, func(text []byte) []uint64 { return sets[text[0]] })
		for i, set := range sets {
			nearest := 0.
			for _, earlier := range sets[:i] {
				nearest = max(nearest, sketch.JaccardOfSets(earlier, set))
			}
			parent := c.Parents[i]
			if (parent >= 0) != (nearest >= threshold) ||
				parent >= 0 && (int(parent) >= i || sketch.JaccardOfSets(sets[parent], set) != nearest) {
				t.Fatalf("record %d has the parent %d; its nearest one is at %v", i, parent, nearest)
			}
		}
	})
}

// TestWithShareKeepsTheTruth: a record is a duplicate in the part if and only if it was one before,
// and the labels of the part say the same.
func TestWithShareKeepsTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts, labels := forged(rapid.IntRange(1, 120).Draw(t, "records"), rapid.Uint64().Draw(t, "seed"))
		for i := range texts {
			texts[i] = []byte(fmt.Sprint(i))
		}
		c := ByCluster(texts, labels)
		n, share := rapid.IntRange(1, 130).Draw(t, "n"), rapid.Float64Range(0, 1).Draw(t, "share")
		part, ok := c.WithShare(n, share, 7)
		if !ok {
			return
		}
		duplicates := int(share*float64(n) + .5)
		if len(part.Texts) != n || part.Duplicates() != duplicates {
			t.Fatalf("%d records, %d duplicates; want %d and %d", len(part.Texts), part.Duplicates(), n, duplicates)
		}
		var ofPart []string
		last := -1
		for i, text := range part.Texts {
			var number int
			fmt.Sscan(string(text), &number)
			if number <= last || (c.Parents[number] >= 0) != (part.Parents[i] >= 0) {
				t.Fatalf("record %d of the part is %d", i, number)
			}
			last, ofPart = number, append(ofPart, labels[number])
		}
		again := ByCluster(part.Texts, ofPart)
		for i := range again.Parents {
			if (again.Parents[i] >= 0) != (part.Parents[i] >= 0) {
				t.Fatalf("record %d of the part: %d by its label, %d by the part", i, again.Parents[i], part.Parents[i])
			}
		}
	})
}

// TestSharesCanBeHad of a corpus with many duplicates of some documents.
func TestSharesCanBeHad(t *testing.T) {
	var texts [][]byte
	var labels []string
	for i := range 2000 {
		label := fmt.Sprint(i)
		if i%2 == 1 {
			label = fmt.Sprint(i % 50)
		}
		texts, labels = append(texts, []byte(label)), append(labels, label)
	}
	parts := sharesOf(ByCluster(texts, labels))
	if len(parts) != len(shares) {
		t.Fatalf("%d parts", len(parts))
	}
	for _, p := range parts {
		if got := float64(p.Duplicates()) / float64(len(p.Texts)); got < p.share-.01 || got > p.share+.01 {
			t.Errorf("a share of %v is %v", p.share, got)
		}
	}
	if sharesOf(Corpus{}) != nil {
		t.Error("parts of nothing")
	}
}

// TestCompare runs all methods, and writes what it finds.
func TestCompare(t *testing.T) {
	c, test := ByCluster(forged(500, 4)), ByCluster(forged(300, 5))
	grid := DefaultGrid()
	grid.Thresholds, grid.NumPerms, grid.NGrams = []float64{.3, .6, 1}, []int{64, 128}, []int{1, 3}
	grid.Methods = MethodNames()
	last := 0
	f, err := evaluator(1e-8).Compare(t.Context(), c, test, grid, 2, func(runs, of int) {
		if runs != last+1 || runs > of {
			t.Errorf("run %d of %d after run %d", runs, of, last)
		}
		last = runs
	})
	if err != nil {
		t.Fatal(err)
	}
	settings := 4*3*2*2 + len(distances)*2 + len(tlshDistances) + 9 + 2*3 + 2*3*3 + 1
	if len(f.Grid) != settings || len(f.Best) != len(methods) || len(f.Tested) != len(methods) {
		t.Fatal(len(f.Grid), len(f.Best), len(f.Tested))
	}
	for _, b := range f.Best {
		for _, r := range f.Grid {
			if r.Method == b.Method && r.F1() > b.F1() {
				t.Errorf("%s is better than %s", r.Setting, b.Setting)
			}
		}
	}
	if f1 := f.Tested[0].F1(); f.Tested[0].Method != "lshbloom" || f1 < .9 {
		t.Errorf("%s has an F1 of %v on texts that were made alike", f.Tested[0].Setting, f1)
	}
	var rows bytes.Buffer
	if err := f.WriteTSV(&rows); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(rows.String(), "\n"), "\n")
	if want := 1 + len(f.Grid) + len(f.Tested) + len(f.Shares) + len(f.Sizes); len(lines) != want {
		t.Errorf("%d rows, want %d", len(lines), want)
	}
	for _, line := range lines {
		if strings.Count(line, "\t") != strings.Count(lines[0], "\t") {
			t.Errorf("row %q", line)
		}
	}
	var page bytes.Buffer
	from := report.Origin{Command: "<script>alert(1)</script>"}
	if err := (Page{Findings: f, Truth: "<truth>", Origin: from}).Write(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"&lt;truth&gt;", `data-plot="cost-time"`, `data-plot="share-f1"`,
		`data-plot="size-bytes"`, `data-plot="permutations-votes"`, `data-plot="ngrams-dclm"`} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page.String(), "<script>alert") || page.Len() > 2<<20 {
		t.Errorf("the page has %d bytes, or a script of its own", page.Len())
	}
}

func TestCompareStops(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	_, err := evaluator(1e-8).Compare(ctx, ByCluster(forged(50, 6)), Corpus{}, DefaultGrid(), 1,
		func(int, int) { cancel(cause) })
	if !errors.Is(err, cause) {
		t.Error(err)
	}
}

func TestGridRefusesWhatHasNoMeaning(t *testing.T) {
	for _, change := range []func(*Grid){
		func(g *Grid) { g.Methods = []string{"magic"} }, func(g *Grid) { g.Methods = nil },
		func(g *Grid) { g.Thresholds = []float64{0} }, func(g *Grid) { g.Thresholds = []float64{1.5} },
		func(g *Grid) { g.NumPerms = []int{0} }, func(g *Grid) { g.NGrams = []int{-1} },
	} {
		g := DefaultGrid()
		change(&g)
		if g.Validate() == nil {
			t.Errorf("%+v is allowed", g)
		}
	}
	if err := DefaultGrid().Validate(); err != nil {
		t.Error(err)
	}
}
