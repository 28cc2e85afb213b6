package parquet_test

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/mithril-stream/mithril-stream/internal/parquet"
)

// Every second row of a file is copied to another one, values and types as they are.
func Example() {
	data, err := os.ReadFile("testdata/words-snappy.parquet")
	if err != nil {
		panic(err)
	}
	in, err := parquet.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		panic(err)
	}
	defer in.Close()
	var copied bytes.Buffer
	out := parquet.NewWriter(&copied, in, parquet.Form{Program: "example"})
	var rows parquet.Rows
	for n := 0; ; {
		err := in.Read(&rows)
		if err == io.EOF {
			break
		}
		if err != nil {
			panic(err)
		}
		for i := range rows.Len() {
			if n++; n%2 == 1 {
				if err := out.Write(&rows, i, i+1); err != nil {
					panic(err)
				}
			}
		}
	}
	if err := out.Close(); err != nil {
		panic(err)
	}
	again, err := parquet.Open(bytes.NewReader(copied.Bytes()), int64(copied.Len()))
	if err != nil {
		panic(err)
	}
	defer again.Close()
	fmt.Printf("%d of %d rows, difference %q\n", again.Rows(), in.Rows(), in.Difference(again))
	// Output: 75 of 150 rows, difference ""
}
