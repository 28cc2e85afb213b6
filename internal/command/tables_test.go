package command

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

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

// filterRunOf prepares a run of the filter.
func filterRunOf(args ...string) (*config.Filter, files.Streams, error) {
	cmd, err := config.Parse(append([]string{"-q", "--equal", "--field", "text", "--on-error", "keep"}, args...),
		"test", io.Discard)
	if err != nil {
		return nil, files.Streams{}, err
	}
	c := cmd.(*config.Filter)
	std := files.Streams{In: os.Stdin, Out: files.StdoutOf(os.Stdout), Err: os.Stderr}
	return c, reading(context.Background(), std, true, c.Input.MaxWindow, c.Input.Remote), nil
}

func filterArgs(t *rapid.T, args ...string) {
	c, std, err := filterRunOf(args...)
	if err == nil {
		err = run.Filter(context.Background(), c, taskFor(c), std)
	}
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
}

// tableSchema is one that all records of drawRecords fit.
const tableSchema = "more:json,id:int64,text:string"

func drawRecords(t *rapid.T) []byte {
	var lines []byte
	for range rapid.IntRange(0, 12).Draw(t, "records") {
		text := rapid.SampledFrom([]string{`one`, `two, \"three\"`, `line\nline`, ``, `four`, `five\r\n`, `é`}).Draw(t,
			"text")
		lines = fmt.Appendf(lines, `{"text":"%s"`, text)
		if rapid.Bool().Draw(t, "has id") {
			lines = fmt.Appendf(lines, `,"id":%d`, rapid.IntRange(-3, 3).Draw(t, "id"))
		}
		if rapid.Bool().Draw(t, "has more") {
			more := rapid.SampledFrom([]string{`null`, `[1]`, `"x"`, `{"a": "b"}`, `1.5`}).Draw(t, "more")
			lines = fmt.Appendf(lines, `,"more":%s`, more)
		}
		lines = append(lines, "}\n"...)
	}
	return lines
}

// contentsOf are the files of a directory, in the order of their names.
func contentsOf(t *rapid.T, dir string) (paths []string, contents [][]byte) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		paths, contents = append(paths, path), append(contents, data)
	}
	return paths, contents
}

// TestTablesInShards: the files one after the other are what --output would have been, each with
// the columns of the whole.
func TestTablesInShards(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
		if err := os.Mkdir(in, 0o777); err != nil {
			rt.Fatal(err)
		}
		inputs := rapid.IntRange(1, 4).Draw(rt, "inputs")
		for i := range inputs {
			if err := os.WriteFile(fmt.Sprintf("%s/%d.jsonl", in, i), drawRecords(rt), 0o666); err != nil {
				rt.Fatal(err)
			}
		}
		to := rapid.SampledFrom([]string{"csv", "parquet", "arrow"}).Draw(rt, "to")
		args := []string{"--to", to, "--duplicates", filepath.Join(dir, "removed."+to), in}
		if rapid.Bool().Draw(rt, "schema") {
			args = append(args, "--schema", tableSchema)
		}
		whole := filepath.Join(dir, "whole."+to)
		filterArgs(rt, append(args, "-o", whole)...)

		how := rapid.SampledFrom([]string{"inputs", "--shard-records", "--shard-size"}).Draw(rt, "how")
		most := rapid.IntRange(1, 5).Draw(rt, "records of a shard")
		divided := append(args, "--output-dir", out)
		switch how {
		case "--shard-records":
			divided = append(divided, how, fmt.Sprint(most))
		case "--shard-size":
			divided = append(divided, how, fmt.Sprint(20*most))
		}
		filterArgs(rt, divided...)
		paths, files := contentsOf(rt, out)
		if how == "inputs" && len(paths) != inputs {
			rt.Fatalf("%q of %d inputs", paths, inputs)
		}
		if to == "csv" {
			compareCSV(rt, whole, files)
		} else {
			compareRows(rt, dir, whole, paths)
		}
	})
}

// compareCSV compares the rows below the headers, byte for byte.
func compareCSV(t *rapid.T, whole string, files [][]byte) {
	want, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	header := want[:bytes.IndexByte(want, '\n')+1]
	got := slices.Clone(header)
	for _, file := range files {
		rows, ok := bytes.CutPrefix(file, header)
		if !ok {
			t.Fatalf("%q has not the header %q", file, header)
		}
		got = append(got, rows...)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%q, want %q", got, want)
	}
}

// compareRows compares the rows of column files, as JSON. Files of other columns than the first
// could not be read beside it.
func compareRows(t *rapid.T, dir, whole string, paths []string) {
	texts := [2]string{filepath.Join(dir, "want.jsonl"), filepath.Join(dir, "got.jsonl")}
	format := strings.TrimPrefix(filepath.Ext(whole), ".")
	for i, inputs := range [][]string{{whole}, paths} {
		copied := filepath.Join(dir, fmt.Sprint(i)+"."+format)
		filterArgs(t, append(inputs, "-o", copied)...)
		filterArgs(t, copied, "--to", "jsonl", "-o", texts[i])
	}
	want, err := os.ReadFile(texts[0])
	got, failed := os.ReadFile(texts[1])
	if err := errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%q, want %q", got, want)
	}
}
