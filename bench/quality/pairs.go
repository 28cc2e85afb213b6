package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/sets"
	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/sketch"
)

type pairsCommand struct {
	input
	Seeds int    `default:"10" help:"How many seeds of the sketch the spread is taken over, from the program's own on."`
	Truth string `placeholder:"FILE" help:"Tab-separated, with a head line: id1, id2, Jaccard similarity. Without it, all pairs from 0.5 on are found exactly."`
}

// A pair is two records of a corpus and their similarity.
type pair struct {
	a, b    int
	jaccard float64
}

func (c pairsCommand) Run(out io.Writer) error {
	if c.Seeds < 1 {
		return fmt.Errorf("%d seeds: at least 1 is needed", c.Seeds)
	}
	records, r, err := c.open()
	if err != nil {
		return err
	}
	rule := r.Rule
	bySeed, err := keysOfSeeds(records, r.Sketcher.Params(), c.Seeds)
	if err != nil {
		return err
	}
	p := r.Sketcher.Params()
	fmt.Fprintf(out, "%s %d-shingles, %s, %d slots (%s)\n\n", p.Tokenize, p.ShingleSize, rule, rule.NumPerm, p.Sketch)
	if c.Truth == "" {
		fmt.Fprintf(out, "Pairs by exact search over the program's own shingles:\n\n")
		writeCaught(out, bySeed, rule, similarPairs(records, lowestBand))
		return nil
	}
	pairs, err := readPairs(c.Truth, records)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Pairs by the Jaccard similarity of the truth file:\n\n")
	writeCaught(out, bySeed, rule, pairs)
	own := make([]pair, len(pairs))
	for i, p := range pairs {
		own[i] = pair{p.a, p.b, sketch.Jaccard(records.shingles[p.a], records.shingles[p.b])}
	}
	differ, most := disagreement(pairs, own)
	fmt.Fprintf(out, "The same pairs by the program's own shingles (%d of %d differ from the truth file by more than "+
		"0.005, the most by %.3f):\n\n",
		differ, len(pairs), most)
	writeCaught(out, bySeed, rule, own)
	return nil
}

// lowestBand is where the pairs begin that the tables show; below it there is one row for all.
const lowestBand = 0.5

// similarPairs finds all pairs of a similarity from least on, exactly.
func similarPairs(c *corpus, least float64) []pair {
	var pairs []pair
	c.eachOverlap(func(record int, overlaps []sets.Overlap) bool {
		for _, o := range overlaps {
			if o.Jaccard >= least {
				pairs = append(pairs, pair{o.Earlier, record, o.Jaccard})
			}
		}
		return true
	})
	return pairs
}

// keysOfSeeds returns the band keys of all records under each of the given number of seeds.
func keysOfSeeds(c *corpus, p sketch.Params, seeds int) ([][][]xxh3.Uint128, error) {
	var keys [][][]xxh3.Uint128
	for range seeds {
		s, err := sketch.New(p)
		if err != nil {
			return nil, err
		}
		keys = append(keys, c.bandKeys(s))
		p.Seed++
	}
	return keys, nil
}

// A tally is what happened to the pairs of a range of similarities.
type tally struct {
	pairs    int
	caught   []int   // under each seed
	expected float64 // sum of P(Binomial(b, J^r) ≥ c)
}

// tallyPairs has a tally for each tenth of similarity; those below lowestBand are not told apart.
func tallyPairs(bySeed [][][]xxh3.Uint128, rule lsh.Banding, pairs []pair) (byTenth [11]tally) {
	for i := range byTenth {
		byTenth[i].caught = make([]int, len(bySeed))
	}
	for _, p := range pairs {
		t := &byTenth[tenth(p.jaccard)]
		t.pairs++
		t.expected += rule.Catch(p.jaccard)
		for seed, keys := range bySeed {
			if votes(keys[p.a], keys[p.b]) >= rule.Votes {
				t.caught[seed]++
			}
		}
	}
	return byTenth
}

func tenth(jaccard float64) int {
	if jaccard < lowestBand {
		return 0
	}
	return int(jaccard*10 + 1e-9)
}

// writeCaught prints how the share that is caught scatters with the seed. An error computed from
// the number of pairs would be far too small where a few clusters of records make most of the
// pairs: those are caught or missed together.
func writeCaught(out io.Writer, bySeed [][][]xxh3.Uint128, rule lsh.Banding, pairs []pair) {
	t := markdown.New("Jaccard similarity", "pairs", "caught", "share caught", "expected by the curve",
		fmt.Sprintf("mean share over %d seeds", len(bySeed)), "lowest – highest")
	for i, row := range tallyPairs(bySeed, rule, pairs) {
		if row.pairs == 0 {
			continue
		}
		name := fmt.Sprintf("%.1f – %.1f", float64(i)/10, float64(i+1)/10)
		switch i {
		case 0:
			name = fmt.Sprintf("below %.1f", lowestBand)
		case 10:
			name = "1"
		}
		shares := make([]float64, len(row.caught))
		for seed, caught := range row.caught {
			shares[seed] = float64(caught) / float64(row.pairs)
		}
		t.Add(name, row.pairs, row.caught[0], shares[0], row.expected/float64(row.pairs), mean(shares), spread(shares))
	}
	t.Write(out)
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// spread is the lowest and the highest of shares.
func spread(shares []float64) string {
	return fmt.Sprintf("%.3f – %.3f", slices.Min(shares), slices.Max(shares))
}

// disagreement counts the pairs whose two similarities differ by more than rounding, and returns
// the largest difference.
func disagreement(a, b []pair) (differ int, most float64) {
	for i := range a {
		d := math.Abs(a[i].jaccard - b[i].jaccard)
		if d > 0.005 {
			differ++
		}
		most = max(most, d)
	}
	return differ, most
}

func readPairs(path string, c *corpus) ([]pair, error) {
	var pairs []pair
	err := eachRow(path, 3, func(cells []string) error {
		a, knownA := c.place[cells[0]]
		b, knownB := c.place[cells[1]]
		if !knownA || !knownB {
			return fmt.Errorf("%q or %q is no record's id", cells[0], cells[1])
		}
		j, err := strconv.ParseFloat(cells[2], 64)
		pairs = append(pairs, pair{a, b, j})
		return err
	})
	return pairs, err
}

// eachRow reads a tab-separated file after its head line. Rows may have more cells than are asked
// for.
func eachRow(path string, cells int, visit func(cells []string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if n == 1 {
			continue
		}
		row := strings.Split(lines.Text(), "\t")
		err := errors.New("too few cells")
		if len(row) >= cells {
			err = visit(row)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	return lines.Err()
}
