package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/recipe"
	"github.com/mithril-stream/mithril-stream/bench/harness/records"
	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// forgeCommand plays somebody who knows the hash functions and the texts that are to come, and
// sends texts before them that have them removed.
type forgeCommand struct {
	Program string `default:"../bin/mithril-stream" help:"The program to run."`
	Victims int    `default:"20" help:"How many texts are to be removed."`
	Words   int    `default:"300" help:"Words of each of them, all different."`
	Tries   int    `default:"50" help:"How often the pieces of a forged text are put together anew, at each length."`
	Seed    uint64 `default:"1" help:"Seed of the texts."`
}

// Run forges texts under the functions of the default seed, and shows them to programs with that
// and with other seeds.
func (c forgeCommand) Run(out io.Writer, w workplace) error {
	path := filepath.Join(string(w), "forged.jsonl")
	fmt.Fprintf(out, "%d texts of %d words, after texts that were forged to have them removed, with the functions of "+
		"`--seed 1`\n\n", c.Victims, c.Words)
	t := markdown.New("rule", "forged", "words", "J with the text", "removed", "with `--seed 2`", "with `--seed random`")
	for _, options := range [][]string{{"--tune", "recall", "--votes", "1"}, nil} {
		r, err := recipe.New(options)
		if err != nil {
			return err
		}
		var f forgery
		err = records.Write(path, func(w *bufio.Writer) error {
			f = c.forge(w, r)
			return nil
		})
		if err != nil {
			return err
		}
		row := []any{r.Rule.String(), f.forged, medianOf("%.0f", f.words), medianOf("%.3f", f.jaccard)}
		for _, seed := range []string{"1", "2", "random"} {
			kept, err := program.Kept(c.Program, append([]string{"--seed", seed}, options...), path)
			if err != nil {
				return err
			}
			removed := 0
			for _, k := range kept[len(kept)-c.Victims:] {
				if !k {
					removed++
				}
			}
			row = append(row, removed)
		}
		t.Add(row...)
	}
	t.Write(out)
	return nil
}

// A forgery counts what could be forged.
type forgery struct {
	forged         int
	words, jaccard []float64
}

// forge writes the texts that could be forged, and after them those that they are for.
func (c forgeCommand) forge(w *bufio.Writer, r *recipe.Recipe) (f forgery) {
	rng := rand.New(rand.NewPCG(c.Seed, 3))
	var victims []string
	for v := range c.Victims {
		words := make([]string, c.Words)
		for i := range words {
			words[i] = fmt.Sprintf("v%dw%d", v, i)
		}
		text := strings.Join(words, " ")
		victims = append(victims, text)
		if made, ok := c.against(r, words, rng); ok {
			fmt.Fprintf(w, "{\"text\":%q}\n", made)
			f.forged++
			f.words = append(f.words, float64(1+strings.Count(made, " ")))
			f.jaccard = append(f.jaccard, sketch.Jaccard(r.Sketcher.Shingles(nil, []byte(text)),
				r.Sketcher.Shingles(nil, []byte(made))))
		}
	}
	for _, text := range victims {
		fmt.Fprintf(w, "{\"text\":%q}\n", text)
	}
	return f
}

// against makes the shortest text that it finds which has enough bands in common with another one.
// It takes the shingles that fill these bands, and what stands between two of them if that is not
// more than some words: the more it takes, the fewer shingles arise that the other text has not,
// and that could fill a slot in place of those.
func (c forgeCommand) against(r *recipe.Recipe, words []string, rng *rand.Rand) (text string, ok bool) {
	p := r.Sketcher.Params()
	keys, _ := r.Sketcher.BandKeys(nil, []byte(strings.Join(words, " ")))
	wanted := shinglesOf(r.Sketcher, words, r.Rule)
	for between := 0; between < len(words); between = between*3/2 + 1 {
		pieces := cut(words, wanted, p.ShingleSize, between)
		for range c.Tries {
			rng.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
			text := strings.Join(pieces, " ")
			made, _ := r.Sketcher.BandKeys(nil, []byte(text))
			votes := 0
			for i := range made {
				if made[i] == keys[i] {
					votes++
				}
			}
			if votes >= r.Rule.Votes {
				return text, true
			}
		}
	}
	return "", false
}

// shinglesOf returns the shingles, by their first words, that fill as many bands as make a
// duplicate. It takes the bands one by one, always the one that needs the fewest further shingles.
func shinglesOf(s *sketch.Sketcher, words []string, rule bloomlsh.Banding) []int {
	p := s.Params()
	owner, least := make([]int, p.NumPerm), slices.Repeat([]uint64{1<<64 - 1}, p.NumPerm)
	for i := range len(words) - p.ShingleSize + 1 {
		slots, _ := s.Signature(nil, []byte(strings.Join(words[i:i+p.ShingleSize], " ")))
		for j, v := range slots {
			if v < least[j] {
				least[j], owner[j] = v, i
			}
		}
	}
	chosen := map[int]bool{}
	left := make([]int, p.Bands)
	for i := range left {
		left[i] = i
	}
	for range rule.Votes {
		further := func(band int) (n int) {
			for _, shingle := range owner[band*p.Rows : (band+1)*p.Rows] {
				if !chosen[shingle] {
					n++
				}
			}
			return n
		}
		best := slices.MinFunc(left, func(a, b int) int { return cmp.Compare(further(a), further(b)) })
		for _, shingle := range owner[best*p.Rows : (best+1)*p.Rows] {
			chosen[shingle] = true
		}
		left = slices.DeleteFunc(left, func(band int) bool { return band == best })
	}
	return slices.Sorted(maps.Keys(chosen))
}

// cut returns the pieces of a text that hold the shingles and what is between two of them, if that
// is at most that many words.
func cut(words []string, shingles []int, size, between int) (pieces []string) {
	for i := 0; i < len(shingles); {
		from, to := shingles[i], shingles[i]+size
		for i++; i < len(shingles) && shingles[i] <= to+between; i++ {
			to = shingles[i] + size
		}
		pieces = append(pieces, strings.Join(words[from:to], " "))
	}
	return pieces
}

// medianOf shows the median of some numbers, and in brackets the least and the greatest.
func medianOf(format string, list []float64) string {
	if len(list) == 0 {
		return "–"
	}
	slices.Sort(list)
	return fmt.Sprintf(format+" ("+format+" – "+format+")", list[len(list)/2], list[0], list[len(list)-1])
}
