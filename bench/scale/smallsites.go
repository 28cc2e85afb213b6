package main

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/records"
)

// smallPages is how many pages there are in all, at least.
const smallPages = 6000

// smallSites prints what share of the pages that have an earlier page of their site the default
// rule removes, by the number of pages of a site and the similarity of any two of them.
func smallSites(binary, dir string) error {
	sizes, head := []int{2, 5, 10, 30, 100, 300, 1000}, []string{"similarity"}
	for _, pages := range sizes {
		head = append(head, fmt.Sprint(pages, " pages"))
	}
	t := markdown.New(head...)
	for _, similarity := range []float64{.7, .75, .78, .8, .85} {
		row := []any{similarity}
		for _, pages := range sizes {
			path := filepath.Join(dir, "sites.jsonl")
			sites := max(2, smallPages/pages)
			if err := writeSites(path, sites, pages, similarity); err != nil {
				return err
			}
			removed, err := removedOf(binary, nil, path)
			if err != nil {
				return err
			}
			row = append(row, fmt.Sprintf("%.3f", float64(removed)/float64(sites*(pages-1))))
		}
		t.Add(row...)
	}
	t.Write(os.Stdout)
	return nil
}

// writeSites writes the pages of several sites in random order, always the same.
func writeSites(path string, sites, pages int, similarity float64) error {
	const all = sharedWords + ownWords
	const shingles = all - 4 // of five words
	shared := 4 + int(math.Round(2*shingles*similarity/(1+similarity)))
	return records.Write(path, func(out *bufio.Writer) error {
		words := rand.New(rand.NewPCG(7, 7))
		for _, page := range words.Perm(sites * pages) {
			writePage(out, words, uint64(page/pages), shared)
		}
		return nil
	})
}
