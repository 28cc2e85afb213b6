package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/bench/markdown"
	"github.com/mithril-stream/mithril-stream/bench/recipe"
	"github.com/mithril-stream/mithril-stream/sketch"
)

type pairsCommand struct {
	input
	Truth string `placeholder:"FILE" help:"Tab-separated, with a head line: id1, id2, Jaccard similarity. Without it, all pairs from 0.5 on are found exactly."`
}

// A pair is two records of a corpus and their similarity.
type pair struct {
	a, b    int
	jaccard float64
}

func (c pairsCommand) Run(out io.Writer) error {
	records, r, err := c.open()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n\n", r)
	if c.Truth == "" {
		fmt.Fprintf(out, "Pairs by exact search over the program's own shingles:\n\n")
		writeCaught(out, records, r, similarPairs(records, lowestBand))
		return nil
	}
	pairs, err := readPairs(c.Truth, records)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Pairs by the Jaccard similarity of the truth file:\n\n")
	writeCaught(out, records, r, pairs)
	own := make([]pair, len(pairs))
	for i, p := range pairs {
		own[i] = pair{p.a, p.b, sketch.Jaccard(records.shingles[p.a], records.shingles[p.b])}
	}
	differ, most := disagreement(pairs, own)
	fmt.Fprintf(out, "The same pairs by the program's own shingles (%d of %d differ from the truth file by more than 0.005, the most by %.3f):\n\n",
		differ, len(pairs), most)
	writeCaught(out, records, r, own)
	return nil
}

// lowestBand is where the pairs begin that the tables show; below it there is one row for all.
const lowestBand = 0.5

// similarPairs finds all pairs of a similarity from least on, exactly.
func similarPairs(c *corpus, least float64) []pair {
	var pairs []pair
	c.eachOverlap(func(record int, overlaps []overlap) bool {
		for _, o := range overlaps {
			if o.jaccard >= least {
				pairs = append(pairs, pair{o.earlier, record, o.jaccard})
			}
		}
		return true
	})
	return pairs
}

// A tally is what happened to the pairs of a range of similarities.
type tally struct {
	pairs, caught int
	expected      float64 // sum of 1-(1-J^r)^b
	variance      float64 // of the number caught, were pairs independent
}

func (t *tally) add(caught bool, probability float64) {
	t.pairs++
	if caught {
		t.caught++
	}
	t.expected += probability
	t.variance += probability * (1 - probability)
}

// tallyPairs has a tally for each tenth of similarity; those below lowestBand are not told apart.
func tallyPairs(c *corpus, r *recipe.Recipe, pairs []pair) (byTenth [11]tally) {
	for _, p := range pairs {
		byTenth[tenth(p.jaccard)].add(c.sharesBand(p.a, p.b), r.Catch(p.jaccard))
	}
	return byTenth
}

func tenth(jaccard float64) int {
	if jaccard < lowestBand {
		return 0
	}
	return int(jaccard*10 + 1e-9)
}

func writeCaught(out io.Writer, c *corpus, r *recipe.Recipe, pairs []pair) {
	t := markdown.New("Jaccard similarity", "pairs", "caught", "share caught", "mean of 1−(1−J^r)^b", "deviation, standard errors")
	for i, row := range tallyPairs(c, r, pairs) {
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
		n := float64(row.pairs)
		deviation := "–"
		if row.variance > 1e-9 {
			deviation = fmt.Sprintf("%+.1f", (float64(row.caught)-row.expected)/math.Sqrt(row.variance))
		}
		t.Add(name, row.pairs, row.caught, float64(row.caught)/n, row.expected/n, deviation)
	}
	t.Write(out)
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

// eachRow reads a tab-separated file behind its head line. Rows may have more cells than are asked
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
