package signature_test

import (
	"fmt"
	"io"
	"strings"

	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/signature"
	"github.com/mithril-stream/mithril-stream/sketch/simhash"
)

// A text may come in pieces, and its signature be kept for another day.
func Example() {
	shingles := sketch.Params{Normalize: "nfkc-fold", Tokenize: "word", ShingleSize: 2}
	w, err := signature.NewSimHash(shingles, simhash.Params{Bits: 64, Weight: simhash.TermFrequency})
	if err != nil {
		panic(err)
	}
	if _, err := io.Copy(w, strings.NewReader("The river rises in a field of wet grass.")); err != nil {
		panic(err)
	}
	first, err := w.Sum()
	if err != nil {
		panic(err)
	}
	kept, err := first.MarshalBinary()
	if err != nil {
		panic(err)
	}

	second, err := w.Of([]byte("The river RISES in a field of wet grass"))
	if err != nil {
		panic(err)
	}
	var read signature.Signature
	if err := read.UnmarshalBinary(kept); err != nil {
		panic(err)
	}
	similarity, err := signature.Similarity(&read, second)
	fmt.Println(len(kept), "bytes,", similarity, err)
	// Output: 44 bytes, 1 <nil>
}
