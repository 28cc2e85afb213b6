package signatures_test

import (
	"context"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/sketch"
)

var texts = []string{
	"the quick brown fox jumps over the lazy dog and then it sleeps the whole afternoon",
	"nothing in this one is like anything else",
	"The quick brown fox jumps over the lazy dog, and then it sleeps the whole evening.",
	"the quick brown fox jumps over the lazy dog and then it sleeps the whole afternoon",
}

// signed makes sketches of words, and what an index for them is to do.
func signed() (sketch.Signed, signatures.Params) {
	p := sketch.Default()
	p.ShingleSize = 1
	s, err := sketch.New(p)
	if err != nil {
		panic(err)
	}
	return sketch.Signed{Sketcher: s}, signatures.Params{
		NumPerm: p.NumPerm, Bands: p.Bands, Rows: p.Rows, Votes: 1, Threshold: .8,
	}
}

// A record is compared with all before it.
func ExampleIndex() {
	sketcher, params := signed()
	index, err := signatures.New(params)
	if err != nil {
		panic(err)
	}
	defer index.Close()
	var words []uint64
	match := make([]memory.Match, 1)
	for i, text := range texts {
		words, _ = sketcher.Append(words[:0], []byte(text))
		if _, err := index.Observe(words, match); err != nil {
			panic(err)
		}
		if m := match[0]; m.Record != 0 {
			fmt.Printf("record %d resembles record %d: %.2f\n", i+1, m.Record, m.Similarity)
		}
	}
	query := "a quick brown fox jumps over the lazy dog and then it sleeps the whole evening"
	words, _ = sketcher.Append(words[:0], []byte(query))
	near, err := index.Near(nil, words, 5)
	if err != nil {
		panic(err)
	}
	for _, m := range near {
		fmt.Printf("near: record %d\n", m.Record)
	}
	// Output:
	// record 3 resembles record 1: 0.85
	// record 4 resembles record 1: 1.00
	// near: record 3
	// near: record 1
}

// Groups are of all records.
func ExampleGroups() {
	sketcher, params := signed()
	groups, err := signatures.NewGroups(params)
	if err != nil {
		panic(err)
	}
	defer groups.Close()
	for _, text := range texts {
		words, ok := sketcher.Append(nil, []byte(text))
		if !ok {
			groups.Pass() // there is no word in it
			continue
		}
		if err := groups.Add(words); err != nil {
			panic(err)
		}
	}
	if err := groups.Find(context.Background()); err != nil {
		panic(err)
	}
	for records := range groups.All() {
		fmt.Println(records)
	}
	// Output:
	// [1 3 4]
}
