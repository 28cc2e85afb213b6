package substr_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mithril-stream/mithril-stream/sa/substr"
)

// The literal of each record's field is read, searched, and edited in place.
func Example() {
	literals := []string{
		`"Licensed under the Apache License.\nA page about pears."`,
		`"A page about \u00e4pfel.\nLicensed under the Apache License.\n"`,
	}
	f, err := substr.NewFinder(substr.Options{MinLength: 4, Unit: substr.Words, Locate: true})
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	for _, literal := range literals {
		text, err := substr.Unquote(nil, []byte(literal))
		if err != nil {
			log.Fatal(err)
		}
		if err := f.Add(text); err != nil {
			log.Fatal(err)
		}
	}
	if err := f.Find(context.Background()); err != nil {
		log.Fatal(err)
	}
	for i, literal := range literals {
		spans, err := f.AppendSpans(nil, i)
		if err != nil {
			log.Fatal(err)
		}
		for _, s := range spans {
			fmt.Printf("%d bytes at %d, first in text %d at %d\n", s.End-s.Start, s.Start, s.First.Text, s.First.Offset)
		}
		edited, err := substr.EditLiteral(nil, []byte(literal), spans, []byte("[…]"))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(edited))
	}
	// Output:
	// "Licensed under the Apache License.\nA page about pears."
	// 34 bytes at 21, first in text 0 at 0
	// "A page about \u00e4pfel.\n[…]\n"
}
