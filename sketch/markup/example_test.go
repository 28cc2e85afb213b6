package markup_test

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/sketch/markup"
)

func ExampleNew() {
	extractor, err := markup.New("markdown")
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", extractor(nil, []byte("# Bread\n\nwith [butter](https://example.org)")))
	// Output:
	// Bread
	// with butter
}
