package bloomlsh_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
)

// Three records with two band keys each. One vote makes a duplicate.
func ExampleIndex() {
	index, err := bloomlsh.New(bloomlsh.Params{Bands: 2})
	if err != nil {
		panic(err)
	}
	defer index.Close()
	keys := []bloomlsh.Key{
		{Lo: 1}, {Lo: 2},
		{Lo: 3}, {Lo: 2}, // the second band's key was seen
		{Lo: 2}, {Lo: 1}, // both keys were seen, but in the other band
	}
	votes := make([]uint16, 3)
	if _, err := index.Observe(keys, votes); err != nil {
		panic(err)
	}
	fmt.Println(votes)
	// Output: [0 1 0]
}

// An index in a directory contains what was committed.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	params := bloomlsh.Params{Bands: 2}
	for range 2 {
		store, err := bloomlsh.Open(filepath.Join(dir, "idx"), params, nil)
		if err != nil {
			panic(err)
		}
		votes := make([]uint16, 1)
		if _, err := store.Observe([]bloomlsh.Key{{Lo: 1}, {Lo: 2}}, votes); err != nil {
			panic(err)
		}
		fmt.Println(votes)
		if err := store.Commit(bloomlsh.Position{}); err != nil {
			panic(err)
		}
		if err := store.Close(); err != nil {
			panic(err)
		}
	}
	// Output:
	// [0]
	// [2]
}

// The best rule for a threshold, and how it treats pairs of records.
func ExampleTune() {
	options := lsh.DefaultTuneOptions()
	options.Threshold = .9
	rule, err := lsh.Tune(options)
	if err != nil {
		panic(err)
	}
	fmt.Println(rule)
	for _, jaccard := range []float64{.7, .8, .9, .95} {
		fmt.Printf("%.2f: %.4f\n", jaccard, rule.Catch(jaccard))
	}
	// Output:
	// 12 of 32 bands of 8 rows
	// 0.70: 0.0000
	// 0.80: 0.0041
	// 0.90: 0.7906
	// 0.95: 0.9998
}
