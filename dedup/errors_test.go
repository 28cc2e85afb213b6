package dedup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/dedup"
)

const records = `{"id":1,"text":"The river rises in a meadow north of the hill."}
{"id":2,"text":"the river rises in a meadow, north of the hill"}
{"id":3,"text":"The clock in the tower has three hands."}
`

func ExampleFilter() {
	counts, err := dedup.Filter(context.Background(), strings.NewReader(records), os.Stdout, "text", dedup.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(counts.Records, "records,", counts.Duplicates, "duplicate")
	// Output:
	// {"id":1,"text":"The river rises in a meadow north of the hill."}
	// {"id":3,"text":"The clock in the tower has three hands."}
	// 3 records, 1 duplicate
}

// Errors are told apart by their kinds.
func ExampleParseError() {
	in := strings.NewReader(records + "{\"id\":4,\n")
	_, err := dedup.Filter(context.Background(), in, io.Discard, "text", dedup.Options{})
	var parse *dedup.ParseError
	var short *dedup.MemoryError
	switch {
	case errors.As(err, &parse):
		fmt.Printf("line %d is broken: %s\n", parse.Line, parse.Problem)
	case errors.As(err, &short):
		fmt.Printf("%d of %d bytes are used\n", short.Used, short.Limit)
	}
	// Output:
	// line 4 is broken: not valid JSON
}

// errorOf is the error that a sequence ends with, and how many texts come before it.
func errorOf(texts []string, o dedup.Options) (before int, err error) {
	for _, err := range dedup.Unique(slices.Values(texts), o) {
		if err != nil {
			return before, err
		}
		before++
	}
	return before, nil
}

func TestConfigErrors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "seen")
	if _, err := errorOf(crawl, dedup.Options{Index: dir}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		option string
		o      dedup.Options
	}{
		{"Threshold", dedup.Options{Threshold: 1.5}},
		{"Exact", dedup.Options{Exact: true, Index: dir}},
		{"MaxMemory", dedup.Options{MaxMemory: 1 << 30, Index: dir}},
		{"Capacity", dedup.Options{Capacity: 1 << 60}},
		{"Index", dedup.Options{Threshold: .5, Index: dir}},
	} {
		_, err := errorOf(crawl, c.o)
		var config *dedup.ConfigError
		if !errors.As(err, &config) || config.Option != c.option {
			t.Errorf("%s: %v", c.option, err)
		}
		if c.option == "Index" && !errors.Is(err, bloomlsh.ErrParameters) {
			t.Error(err)
		}
	}
}

// With a limit all texts for which there is room are judged, and then it is said.
func TestMemoryErrors(t *testing.T) {
	texts := numbered(0, 3000)
	for _, o := range []dedup.Options{
		{MaxMemory: 1 << 20, Capacity: 2000, Threshold: .5}, {MaxMemory: 200_000}, {Exact: true, MaxMemory: 100_000},
	} {
		before, err := errorOf(texts, o)
		var short *dedup.MemoryError
		if !errors.As(err, &short) || short.Limit != o.MaxMemory || short.Used == 0 || before < 100 || before == 3000 {
			t.Errorf("%+v: %v after %d texts", o, err, before)
		}
	}
	for _, o := range []dedup.Options{{Capacity: 1 << 44}, {MaxMemory: 1000}, {MaxMemory: 1 << 20, Capacity: 1 << 30}} {
		before, err := errorOf(texts[:1], o)
		var short *dedup.MemoryError
		if !errors.As(err, &short) || short.Used <= short.Limit || before > 0 {
			t.Errorf("%+v: %v after %d texts", o, err, before)
		}
	}
}

func TestIOErrors(t *testing.T) {
	failed := errors.New("the disk is gone")
	broken := io.MultiReader(strings.NewReader(records), iotest.ErrReader(failed))
	inUse := dedup.Options{Index: filepath.Join(t.TempDir(), "none", "seen")}
	for of, run := range map[string]func() error{
		"input": func() error {
			_, err := dedup.Filter(context.Background(), broken, io.Discard, "text", dedup.Options{})
			return err
		},
		"output": func() error {
			in := strings.NewReader(records)
			_, err := dedup.Filter(context.Background(), in, failing{failed}, "text", dedup.Options{})
			return err
		},
		"Index": func() error { _, err := errorOf(crawl, inUse); return err },
	} {
		err := run()
		var got *dedup.IOError
		if !errors.As(err, &got) || got.Of != of || of != "Index" && !errors.Is(err, failed) {
			t.Errorf("%s: %v", of, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// What is before a line without a text is written, and nothing is remembered.
func TestFilterEndsAtALineWithoutAText(t *testing.T) {
	for line, want := range map[string]string{
		`{"text":`:        "*dedup.ParseError",
		`[1]`:             "*dedup.ParseError",
		`{"id":4}`:        "*dedup.DocumentError",
		`{"text":null}`:   "*dedup.DocumentError",
		`{"text":["no"]}`: "<nil>",
		``:                "<nil>",
		`{"text":"..."}`:  "<nil>",
	} {
		o := dedup.Options{Index: filepath.Join(t.TempDir(), "seen")}
		var out bytes.Buffer
		in := records + line + "\n" + records
		counts, err := dedup.Filter(context.Background(), strings.NewReader(in), &out, "text", o)
		if got := fmt.Sprintf("%T", err); got != want || err != nil && !strings.Contains(err.Error(), "line 4: ") {
			t.Errorf("%s: %s, %v", line, got, err)
		}
		kept := 2
		if err == nil {
			kept = 3
		}
		if lines := strings.Count(out.String(), "\n"); lines != kept || err != nil && counts.Records != 3 {
			t.Errorf("%s: %q, %+v", line, out.String(), counts)
		}
		var again bytes.Buffer
		if _, err := dedup.Filter(context.Background(), strings.NewReader(records), &again, "text", o); err != nil {
			t.Error(err)
		}
		if isEmpty := again.Len() == 0; isEmpty != (err == nil) {
			t.Errorf("%s: then %q", line, again.String())
		}
	}
}

// A context that is done ends the run with its cause, and leaves the index as it was.
func TestFilterStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := dedup.Filter(ctx, strings.NewReader(records), io.Discard, "text", dedup.Options{})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
