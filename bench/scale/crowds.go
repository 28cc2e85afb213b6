package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/records"
)

// A page has sharedWords of its site's frame and ownWords of its own. Two pages have 336 of 464
// shingles of five words in common, a Jaccard similarity of .72: no rule for .85 should remove any.
const sharedWords, ownWords = 340, 60

// rules are those that are compared: the program's own, and what others publish.
var rules = []struct {
	name    string
	options []string
}{
	{"default: votes of one group", nil},
	{"`--filter paged`: votes of any records", []string{"--filter", "paged"}},
	{"`--memory exact`", []string{"--memory", "exact"}},
	{"`--memory exact --verify text`", []string{"--memory", "exact", "--verify", "text"}},
	{"FineWeb, at .75", []string{"--preset", "fineweb"}},
	{"datasketch's MinHashLSH, 128 permutations at .85", []string{
		"--sketch", "datasketch", "--num-perm", "128", "--tune", "balanced", "--votes", "1"}},
}

// crowds prints how many pages each rule removes from one site as it grows, and from small sites.
func crowds(binary, dir string, most uint64) error {
	head := []string{"pages"}
	for _, r := range rules {
		head = append(head, r.name)
	}
	t := markdown.New(head...)
	for n, i := uint64(1000), 0; n <= most; i++ {
		path := filepath.Join(dir, "site.jsonl")
		if err := writeSite(path, n); err != nil {
			return err
		}
		row := []any{n}
		for _, r := range rules {
			removed, err := removedOf(binary, r.options, path)
			if err != nil {
				return err
			}
			row = append(row, fmt.Sprintf("%d (%.1f %%)", removed, 100*float64(removed)/float64(n)))
		}
		t.Add(row...)
		if n *= 3; i%2 == 1 { // 1, 3, 10, 30 thousand and so on
			n = n / 9 * 10
		}
	}
	t.Write(os.Stdout)
	fmt.Println()
	return smallSites(binary, dir)
}

func removedOf(binary string, options []string, path string) (uint64, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	stats, err := program.Run(binary, options, io.Reader(file))
	return stats.Duplicates, err
}

// wordOf is a word of letters, since some normalisers make all digits alike, and a space.
func wordOf(n uint64) string {
	word := []byte{'w'}
	for ; n > 0; n /= 26 {
		word = append(word, byte('a'+n%26))
	}
	return string(append(word, ' '))
}

// writeSite writes pages of one site, always the same.
func writeSite(path string, pages uint64) error {
	return records.Write(path, func(out *bufio.Writer) error {
		words := rand.New(rand.NewPCG(7, 7))
		for range pages {
			writePage(out, words, 0, sharedWords)
		}
		return nil
	})
}

// writePage writes a page that shares words with the other pages of its site.
func writePage(out *bufio.Writer, words *rand.Rand, site uint64, shared int) {
	out.WriteString(`{"text":"`)
	for i := range shared {
		out.WriteString(wordOf(site<<10 + uint64(i)))
	}
	for range sharedWords + ownWords - shared {
		out.WriteString(wordOf(1<<32 + words.Uint64N(1<<32)))
	}
	out.WriteString("\"}\n")
}
