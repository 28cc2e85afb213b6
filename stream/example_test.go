package stream_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

const records = `{"id":1,"text":"The river rises in a meadow north of the hill."}
{"id":2,"text":"the river rises in a meadow, north of the hill"}
{"id":3,"text":"The clock in the tower has three hands."}
`

// newMethod is the program's default: by votes of bands, remembered in Bloom filters in memory.
func newMethod() (stream.Method, io.Closer, error) {
	params := sketch.Default()
	sketcher, err := sketch.New(params)
	if err != nil {
		return stream.Method{}, nil, err
	}
	index, err := bloomlsh.New(bloomlsh.Params{Bands: params.Bands, Votes: sketch.DefaultVotes})
	if err != nil {
		return stream.Method{}, nil, err
	}
	return stream.Method{
		NewSketcher: func() stream.Sketcher { return sketcher.Clone() },
		Judge: stream.ByVotes(stream.BandIndex{
			Observe: index.Observe, Remembers: index.Remembers, ObserveCopies: index.ObserveCopies,
		}, sketch.DefaultVotes),
	}, index, nil
}

// The pipe as a library: records in, those that resemble no earlier one out.
func Example() {
	method, index, err := newMethod()
	if err != nil {
		panic(err)
	}
	defer index.Close()
	field, err := stream.ParseField("text")
	if err != nil {
		panic(err)
	}
	run, err := stream.New(stream.Options{
		Source: stream.Source{
			Format: stream.JSONLines([]stream.Field{field}),
			Inputs: []stream.Input{{Name: "records", Open: func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(records)), nil
			}}},
		},
		Method:  method,
		Outputs: stream.Outputs{Output: os.Stdout},
	})
	if err != nil {
		panic(err)
	}
	stats, err := run.Do(context.Background())
	if err != nil {
		panic(err)
	}
	fmt.Println(stats.Records, "records,", stats.Duplicates, "duplicates")
	// Output:
	// {"id":1,"text":"The river rises in a meadow north of the hill."}
	// {"id":3,"text":"The clock in the tower has three hands."}
	// 3 records, 1 duplicates
}

// Texts that are no records.
func ExampleMethod_Texts() {
	method, index, err := newMethod()
	if err != nil {
		panic(err)
	}
	defer index.Close()
	texts := [][]byte{[]byte("Bread and butter."), []byte("bread, and butter"), []byte("...")}
	for verdict, err := range method.Texts(slices.Values(texts)) {
		if err != nil {
			panic(err)
		}
		fmt.Println(verdict.Duplicate, verdict.Votes)
	}
	// Output:
	// false 0
	// true 32
	// false 0
}
