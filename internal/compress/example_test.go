package compress_test

import (
	"bytes"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/compress"
)

// A stream is recognised by its content.
func ExampleNewReader() {
	var file bytes.Buffer
	w, err := compress.NewWriter(&file, compress.Method{Format: "zstd"}, 2, false)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(w, "Bread and butter.")
	if err := w.End(); err != nil {
		panic(err)
	}
	r, err := compress.NewReader(io.NopCloser(&file), "no suffix", 0)
	if err != nil {
		panic(err)
	}
	text, err := io.ReadAll(r)
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// Bread and butter.
	// <nil>
}
