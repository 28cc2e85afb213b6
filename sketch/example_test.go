package sketch_test

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/zeebo/xxh3"
)

// Two texts are candidates for being near-duplicates if they share a band key.
func Example() {
	p := sketch.Params{
		Normalize: "nfkc-fold", Tokenize: "word", ShingleSize: 3,
		Sketch: "fss", NumPerm: 128, Seed: 1, Bands: 25, Rows: 5, BandKey: "xxh3",
	}
	s, err := sketch.New(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	seen := make(map[xxh3.Uint128]bool)
	var keys []xxh3.Uint128 // reused: the loop allocates nothing
	for _, text := range []string{
		"The quick brown fox jumps over the lazy dog, and then it sleeps in the warm sun until noon.",
		"THE QUICK BROWN FOX jumps over the lazy dog; and then it sleeps in the warm sun until noon!",
		"The quick brown fox jumped over the lazy dog, and then it sleeps in the warm sun until noon.",
		"Call me Ishmael. Some years ago, never mind how long precisely, I went to sea.",
	} {
		var ok bool
		if keys, ok = s.BandKeys(keys[:0], []byte(text)); !ok {
			continue // an empty text resembles nothing
		}
		duplicate := false
		for _, key := range keys {
			duplicate = duplicate || seen[key]
			seen[key] = true
		}
		fmt.Println(duplicate)
	}
	// Output:
	// false
	// true
	// true
	// false
}

// The signature estimates what the shingles tell exactly.
func ExampleSketcher_Signature() {
	s, err := sketch.New(sketch.Params{
		Normalize: "nfkc-fold", Tokenize: "char", ShingleSize: 5,
		Sketch: "fss", NumPerm: 512, Seed: 1, Bands: 64, Rows: 8, BandKey: "xxh3",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, b := []byte("Ceci n'est pas une pipe, mais une très belle image."), []byte("Ceci n'est pas une pipe, mais "+
		"une assez belle image.")
	x, _ := s.Signature(nil, a)
	y, _ := s.Signature(nil, b)
	fmt.Printf("exact %.2f, estimated %.2f\n", sketch.Jaccard(s.Shingles(nil, a), s.Shingles(nil, b)),
		sketch.EstimateJaccard(x, y))
	// Output: exact 0.69, estimated 0.68
}

// A normaliser is made of steps.
func ExampleNewNormalizer() {
	for _, name := range []string{"none", "nfkc-fold", "nfkc-fold,confusables", "fineweb"} {
		n, err := sketch.NewNormalizer(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %s\n", name, n.Append(nil, []byte("№ 12:  ＰАУРАL  Café")))
	}
	_, err := sketch.NewNormalizer("fold,nfkc")
	fmt.Println(err)
	// Output:
	// none: № 12:  ＰАУРАL  Café
	// nfkc-fold: no 12:  pаураl  café
	// nfkc-fold,confusables: no l2:  paypal  café
	// fineweb:  0 ｐаураl cafe
	// normalize: "nfkc" must come before "fold"
}

// Scripts written without spaces need no option.
func ExampleNewTokenizer() {
	for _, name := range []string{"word", "uax29", "grapheme"} {
		z, err := sketch.NewTokenizer(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		var tokens sketch.Tokens
		z.Append(&tokens, []byte("can't 東京で食べる"))
		fmt.Printf("%s:", name)
		for i := range tokens.Len() {
			fmt.Printf(" [%s]", tokens.At(i))
		}
		fmt.Println()
	}
	// Output:
	// word: [can] [t] [東] [京] [で] [食] [べ] [る]
	// uax29: [can't] [東] [京] [で] [食] [べ] [る]
	// grapheme: [c] [a] [n] ['] [t] [ ] [東] [京] [で] [食] [べ] [る]
}
