package sketchfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/sketchfile"
)

// Two records: one with its band keys, and one that has none.
func Example() {
	var file bytes.Buffer
	w, err := sketchfile.NewWriter(&file, sketchfile.Header{
		Parameters: []sketchfile.Parameter{{Name: "bands", Value: "2"}},
		Problems:   []string{"empty text"},
	})
	if err != nil {
		panic(err)
	}
	err = errors.Join(w.Add([]sketchfile.Key{{Lo: 1}, {Lo: 2}}), w.AddWithout(1), w.Close())
	if err != nil {
		panic(err)
	}
	r, err := sketchfile.NewReader(&file)
	if err != nil {
		panic(err)
	}
	for {
		keys, problem, err := r.Next()
		if err == io.EOF {
			break
		}
		fmt.Println(len(keys), problem, err)
	}
	// Output:
	// 2 0 <nil>
	// 0 1 <nil>
}
