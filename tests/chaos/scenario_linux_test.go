package chaos

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A scenario is a list of commands, given one after the other in a directory of their own, beside
// that of the inputs. What they leave there, but for the indexes, is compared byte for byte.
//
// A command that begins with "<FILE" has that file as standard input, by a pipe.
type scenario struct {
	name     string
	commands [][]string
	indexes  []string    // directories that are compared by what the last command makes of them
	equal    [][2]string // files that are to be equal; a+b is a, and b behind it
	whole    []string    // files that are as they are to be, or not there, after each end of a command
	once     bool        // the commands as a whole cannot be given again
}

// filtering is two days of a filter, with an index, and what the index says of both.
func filtering(name, first, second, out string, options ...string) scenario {
	day := func(number int, input string) []string {
		own := intoFiles(options, func(file string) string { return fmt.Sprint(number, ".", file) })
		return append([]string{"-q", "--capacity", "500", "--index", "idx", "-o", fmt.Sprint(number, ".", out),
			"../in/" + input}, own...)
	}
	return scenario{name: name, commands: [][]string{
		day(1, first), day(2, second), {"index", "verify", "idx"},
	}, indexes: []string{"idx"}}
}

// counting is a day of which groups are counted.
func counting(options ...string) []string {
	return append([]string{"-q", "--memory", "exact", "--index", "idx", "--checkpoint", "100", "--resume"},
		options...)
}

// intoFiles are options with other names for the files that they write: no run of an index writes
// where another one has written.
func intoFiles(options []string, rename func(file string) string) []string {
	options = slices.Clone(options)
	for i := 1; i < len(options); i++ {
		switch options[i-1] {
		case "--duplicates", "--rejects", "--flags", "--originals", "--counts":
			options[i] = rename(options[i])
		}
	}
	return options
}

// remembering is a run with the last records of all.
func remembering(options ...string) []string {
	return append([]string{"-q", "--memory", "exact", "--keep-generations", "4", "--capacity", "1500", "--id", "id",
		"--index", "a"}, options...)
}

// modelDir is the directory of a small model.
func modelDir() string {
	dir, err := filepath.Abs("../../sketch/embedding/testdata/wordpiece")
	if err != nil {
		panic(err)
	}
	return dir
}

var scenarios = slices.Concat(bucketScenarios(), []scenario{
	filtering("jsonl", "1.jsonl", "2.jsonl", "jsonl", "--duplicates", "dup.jsonl", "--rejects", "bad.jsonl",
		"--flags", "flags", "--stats", "/dev/null"),
	filtering("checkpoints", "1.jsonl", "2.jsonl", "jsonl.gz", "--checkpoint", "100", "--resume"),
	filtering("array", "1.json", "2.json", "json", "--checkpoint", "150", "--resume"),
	filtering("csv", "1.csv", "2.csv", "csv", "--flags", "flags"),
	filtering("text", "1.txt", "2.txt", "txt.zst", "--format", "text"),
	filtering("compressed", "1.jsonl.gz", "2.jsonl.gz", "jsonl.zst"),
	filtering("several inputs", "1.jsonl", "2.jsonl", "jsonl", "../in/1.jsonl.gz", "--checkpoint", "200", "--resume"),
	filtering("parquet", "1.parquet", "2.parquet", "parquet"),
	filtering("to parquet", "1.jsonl", "2.jsonl", "parquet", "--duplicates", "dup.parquet"),
	filtering("web archive", "1.warc.gz", "2.warc.gz", "warc.gz", "--checkpoint", "100", "--resume"),
	filtering("annotated", "1.jsonl", "2.jsonl", "jsonl", "--annotate", "--remember", "unseen"),
	filtering("exact", "1.jsonl", "2.jsonl", "jsonl", "--memory", "exact", "--id", "id", "--originals", "o.tsv"),
	filtering("exact with checkpoints", "1.jsonl", "2.jsonl", "jsonl", "--memory", "exact", "--checkpoint", "100",
		"--resume", "--annotate"),
	filtering("counts", "1.jsonl", "2.jsonl", "jsonl", "--memory", "exact", "--checkpoint", "100", "--resume",
		"--counts", "c.parquet", "--count-by", "text", "--time", "id"),
	filtering("counts of fingerprints", "1.csv", "2.csv", "csv", "--sketch", "simhash", "--counts", "c.tsv",
		"--count-by", "id"),
	filtering("exact by texts", "1.jsonl", "2.jsonl", "jsonl", "--memory", "exact", "--verify", "text", "--checkpoint",
		"100", "--resume", "--originals", "o.tsv"),
	filtering("exact by containment", "1.jsonl", "2.jsonl", "jsonl", "--memory", "exact", "--verify", "containment",
		"--checkpoint", "100", "--resume", "--originals", "o.tsv"),
	filtering("auto", "1.jsonl", "2.jsonl", "jsonl", "--memory", "auto", "--max-memory", "430000", "--checkpoint",
		"100", "--resume", "--originals", "o.tsv"), // the filters judge from the middle of the second day on
	filtering("fingerprints", "1.jsonl", "2.jsonl", "jsonl", "--sketch", "simhash", "--distance", "8", "--checkpoint",
		"100", "--resume", "--originals", "o.tsv"),
	filtering("digests", "1.jsonl", "2.jsonl", "jsonl", "--sketch", "tlsh", "--checkpoint", "100", "--resume",
		"--originals", "o.tsv"),
	filtering("vectors", "1.jsonl", "2.jsonl", "jsonl", "--sketch", "embedding", "--model",
		modelDir(), "--checkpoint", "100", "--resume", "--originals", "o.tsv"),
	filtering("samples", "1.jsonl", "2.jsonl", "jsonl", "--sketch", "fracminhash", "--contained", "either",
		"--checkpoint", "100", "--resume", "--originals", "o.tsv"),
	filtering("samples by texts", "1.jsonl", "2.jsonl", "jsonl", "--sketch", "fracminhash", "--verify", "text",
		"--checkpoint", "100", "--resume", "--originals", "o.tsv"),
	filtering("samples beyond the memory", "1.jsonl", "2.jsonl", "jsonl", "--sketch", "fracminhash", "--max-memory",
		"1200000", "--capacity", "100", "--checkpoint", "100", "--resume", "--originals", "o.tsv"), // most are sealed
	filtering("logs", "1.txt", "2.txt", "log", "--preset", "logs", "--checkpoint", "100", "--resume"),
	filtering("equal", "1.jsonl", "2.jsonl", "jsonl", "--equal", "--field", "text", "--checkpoint", "100", "--resume"),
	filtering("parts", "1.jsonl", "2.jsonl", "jsonl.gz", "--method", "dclm", "--checkpoint", "100", "--resume"),
	filtering("sampled parts", "1.jsonl", "2.jsonl", "jsonl", "--method", "dolma-ngram", "--ngram", "2", "--scale", "4",
		"--checkpoint", "100", "--resume"),
	filtering("cut", "1.parts.jsonl", "2.parts.jsonl", "jsonl", "--method", "dolma", "--action", "cut",
		"--checkpoint", "100", "--resume"),
	{name: "shards", commands: [][]string{
		{"-q", "--capacity", "500", "--index", "idx", "--checkpoint", "100", "--resume", "--output-dir", "1",
			"../in/1.jsonl", "../in/1.jsonl.gz", "../in/2.jsonl"},
		{"-q", "--capacity", "500", "--read-only", "--index", "idx", "--output-dir", "2", "--shard-records", "70",
			"../in/2.jsonl.gz"},
		{"index", "verify", "idx"},
	}, indexes: []string{"idx"}},
	{name: "shards of a size", commands: [][]string{
		{"-q", "--capacity", "500", "--index", "idx", "--checkpoint", "150", "--resume", "--output-dir", "1",
			"--shard-size", "9000", "--name", "{shard}.json.gz", "../in/1.json"},
		{"-q", "--output-dir", "2", "--shard-records", "99", "../in/2.csv"},
		{"-q", "--output-dir", "3", "../in/1.parquet", "../in/2.parquet"},
		{"-q", "--output-dir", "4", "--to", "csv", "--duplicates", "removed.csv", "../in/1.jsonl", "../in/2.jsonl"},
		{"-q", "--output-dir", "5", "--to", "parquet", "--schema", "id:int64,text:string", "--shard-size", "90000",
			"../in/1.jsonl"},
		{"index", "verify", "idx"},
	}, indexes: []string{"idx"}},
	{name: "shards of archives", commands: [][]string{
		{"-q", "--capacity", "500", "--index", "idx", "--checkpoint", "100", "--resume", "--output-dir", "1",
			"--shard-size", "20000", "../in/1.warc.gz"},
		{"-q", "--output-dir", "2", "../in/1.warc.gz", "../in/2.warc.gz"},
		{"index", "verify", "idx"},
	}, indexes: []string{"idx"}},
	{name: "fingerprint merge", commands: [][]string{
		{"-q", "--sketch", "simhash", "--index", "a", "../in/1.jsonl", "-o", "1.jsonl"},
		{"-q", "--sketch", "simhash", "--index", "b", "../in/2.jsonl", "-o", "2.jsonl"},
		{"index", "merge", "a", "b", "-o", "c"},
		{"-q", "--sketch", "simhash", "--read-only", "--index", "c", "../in/1.jsonl", "--originals", "o.tsv", "-o",
			"none"},
		{"index", "verify", "c"},
	}, indexes: []string{"a", "b", "c"}},
	{name: "weights", commands: [][]string{
		{"idf", "-q", "../in/1.jsonl", "-o", "table.idf.gz"},
		{"-q", "--sketch", "simhash", "--idf", "table.idf.gz", "--distance", "6", "../in/2.jsonl", "-o", "2.jsonl"},
	}},
	{name: "contaminate", commands: [][]string{
		{"contaminate", "-q", "--items", "../in/1.csv", "--items-id", "id", "--action", "mask",
			"--findings", "found.jsonl", "../in/2.jsonl", "-o", "masked.jsonl"},
	}},
	{name: "three commands", commands: [][]string{
		{"sketch", "-q", "../in/1.jsonl", "-o", "1.sketch"},
		{"dedup", "-q", "--capacity", "500", "--index", "idx", "1.sketch", "-o", "1.flags"},
		{"apply", "-q", "--flags", "1.flags", "../in/1.jsonl", "-o", "1.jsonl"},
		{"index", "verify", "idx"},
	}, indexes: []string{"idx"}},
	{name: "merge", commands: [][]string{
		{"-q", "--capacity", "5000", "--index", "a", "../in/1.jsonl", "-o", "1.jsonl"},
		{"-q", "--capacity", "5000", "--index", "b", "../in/2.jsonl", "-o", "2.jsonl"},
		{"index", "merge", "a", "b", "-o", "c"},
		{"-q", "--read-only", "--index", "c", "../in/1.jsonl", "../in/2.jsonl", "--flags", "flags", "-o", "none"},
		{"index", "verify", "c"},
	}, indexes: []string{"a", "b", "c"}},
	{name: "exact merge", commands: [][]string{
		{"-q", "--memory", "exact", "--index", "a", "../in/1.jsonl", "-o", "1.jsonl"},
		{"-q", "--memory", "exact", "--index", "b", "../in/2.jsonl", "-o", "2.jsonl"},
		{"index", "merge", "a", "b", "-o", "c"},
		{"-q", "--memory", "exact", "--read-only", "--index", "c", "../in/1.jsonl", "--originals", "o.tsv", "-o",
			"none"},
		{"index", "verify", "c"},
	}, indexes: []string{"a", "b", "c"}},
	{name: "delete", commands: [][]string{
		{"-q", "--memory", "exact", "--id", "id", "--index", "a", "../in/1.jsonl", "-o", "1.jsonl"},
		{"index", "delete", "a", "--ids", "../in/ids"},
		{"-q", "--memory", "exact", "--id", "id", "--index", "a", "../in/2.jsonl", "--originals", "o.tsv", "-o",
			"2.jsonl"},
		{"index", "verify", "a"},
	}, indexes: []string{"a"}},
	{name: "delete what is counted", commands: [][]string{
		counting("../in/1.jsonl", "-o", "1.jsonl", "--id", "id", "--counts", "1.c.jsonl", "--count-by", "id"),
		{"index", "delete", "idx", "--ids", "../in/ids"},
		counting("../in/2.jsonl", "-o", "2.jsonl", "--id", "id", "--counts", "2.c.jsonl", "--count-by", "id"),
		counting("../in/1.jsonl", "-o", "again.jsonl", "--id", "id", "--counts", "again.c.jsonl", "--count-by", "id",
			"--repeat", "replay"),
		{"index", "verify", "idx"},
	}, indexes: []string{"idx"}, equal: [][2]string{{"1.c.jsonl", "again.c.jsonl"}},
		whole: []string{"1.c.jsonl", "2.c.jsonl"}},
	{name: "delete and compact", commands: [][]string{
		{"-q", "--sketch", "embedding", "--model", modelDir(), "--id", "id", "--index", "a", "../in/1.jsonl", "-o",
			"1.jsonl"},
		{"index", "delete", "a", "--ids", "../in/ids"},
		{"index", "compact", "a"},
		{"-q", "--sketch", "embedding", "--model", modelDir(), "--id", "id", "--index", "a", "../in/2.jsonl",
			"--originals", "o.tsv", "-o", "2.jsonl"},
		{"index", "verify", "a"},
	}, indexes: []string{"a"}, once: true}, // names that were taken out are not known any more
	{name: "delete, compact and forget", commands: [][]string{
		remembering("../in/1.jsonl", "-o", "1.jsonl"),
		{"index", "delete", "a", "--ids", "../in/ids"},
		{"index", "compact", "a"},
		remembering("../in/2.jsonl", "--originals", "o.tsv", "-o", "2.jsonl", "--checkpoint", "50", "--resume"),
		{"index", "verify", "a"},
	}, indexes: []string{"a"}, once: true},
	{name: "compact", commands: [][]string{
		{"-q", "--capacity", "500", "--index", "a", "../in/1.jsonl", "-o", "1.jsonl"},
		{"index", "compact", "a"},
		{"-q", "--read-only", "--index", "a", "../in/2.jsonl", "--flags", "flags", "-o", "none"},
	}, indexes: []string{"a"}},
	{name: "groups", commands: [][]string{
		{"groups", "-q", "--id", "id", "--keep", "longest", "--clusters", "c.jsonl", "--flags", "flags",
			"--annotate", "--count-by", "text", "../in/1.jsonl", "../in/2.jsonl", "-o", "unique.jsonl",
			"--stats", "/dev/null"},
	}},
	{name: "groups over days", commands: [][]string{
		{"groups", "-q", "--id", "id", "--index", "idx", "--clusters", "1.c.jsonl", "--annotate", "../in/1.jsonl", "-o",
			"1.jsonl"},
		{"groups", "-q", "--id", "id", "--index", "idx", "--clusters", "2.c.jsonl", "--merged", "2.m.jsonl", "--flags",
			"2.flags", "../in/2.jsonl", "-o", "2.jsonl"},
		{"groups", "-q", "--id", "id", "--index", "idx", "--clusters", "1.c.jsonl", "--annotate", "../in/1.jsonl", "-o",
			"1.jsonl"},
		{"groups", "-q", "--id", "id", "--clusters", "want.c.jsonl", "../in/1.jsonl", "../in/2.jsonl", "-o",
			"all.jsonl"},
		{"groups", "-q", "--id", "id", "--annotate", "../in/1.jsonl", "-o", "want.jsonl"},
		{"index", "verify", "idx"},
	}, indexes: []string{"idx"}, equal: [][2]string{{"2.c.jsonl", "want.c.jsonl"}, {"1.jsonl", "want.jsonl"}}},
	{name: "pairs", commands: [][]string{
		{"pairs", "-q", "--threshold", ".5", "--id", "id", "../in/1.jsonl", "../in/2.jsonl", "-o", "all.tsv"},
		{"pairs", "-q", "--threshold", ".5", "--id", "id", "../in/1.jsonl", "../in/2.jsonl", "-o", "blocks.tsv",
			"--max-memory", "400KiB"},
		{"pairs", "-q", "--threshold", ".5", "--id", "id", "../in/1.jsonl", "--against", "../in/2.jsonl", "-o",
			"pairs.tsv"},
		{"fingerprint", "-q", "--sketch", "simhash", "../in/1.jsonl", "-o", "signatures.jsonl"},
	}, equal: [][2]string{{"all.tsv", "blocks.tsv"}}},
	{name: "resampling by counts", commands: [][]string{
		counting("../in/1.jsonl", "-o", "1.jsonl", "--id", "id", "--counts", "1.c.jsonl", "--flags", "1.flags"),
		{"apply", "-q", "--flags", "1.flags", "--counts", "1.c.jsonl", "--repeat", "1:1,2:2", "--id", "id",
			"../in/1.jsonl", "-o", "twice.jsonl"},
	}, indexes: []string{"idx"}},
	{name: "groups by containment", commands: [][]string{
		{"groups", "-q", "--id", "id", "--verify", "containment", "--keep", "longest", "--clusters", "c.jsonl",
			"../in/1.jsonl", "../in/2.jsonl", "-o", "unique.jsonl"},
	}},
	{name: "substr", commands: [][]string{
		{"substr", "-q", "--min-length", "60", "../in/1.jsonl", "-o", "cut.jsonl"},
		{"boilerplate", "-q", "../in/1.jsonl", "-o", "clean.jsonl", "--cut", "lines.jsonl"},
	}},
}, againScenarios)

// writeInputs makes two days of records in all formats: every third record is a duplicate of the
// one before, and every second one of the second day of one of the first.
func writeInputs(t *testing.T, dir string) {
	for day := range 2 {
		var jsonl, parts, array, csv, lines, archive bytes.Buffer
		csv.WriteString("id,text\n")
		array.WriteString("[")
		for i := range 1200 {
			text := textOf(day, i)
			record := fmt.Sprintf(`{"id":%d,"text":"%s"}`, i, text)
			if i%400 == 7 {
				record = fmt.Sprintf(`{"id":%d}`, i)
			}
			fmt.Fprintln(&jsonl, record)
			fmt.Fprintf(&parts, `{"id":%d,"text":"%s\nonly here %d %d"}`+"\n", i, text, day, i)
			fmt.Fprintf(&csv, "%d,\"%s\"\n", i, text)
			fmt.Fprintf(&lines, "%s\n", text)
			if i > 0 {
				array.WriteString(",\n")
			}
			array.WriteString(record)
			member := gzip.NewWriter(&archive)
			fmt.Fprintf(member, "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <urn:%d>\r\n"+
				"Content-Length: %d\r\n\r\n%s\r\n\r\n", i, len(text), text)
			member.Close()
		}
		array.WriteString("]\n")
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		w.Write(jsonl.Bytes())
		w.Close()
		name := filepath.Join(dir, fmt.Sprint(day+1))
		for suffix, content := range map[string][]byte{
			".jsonl": jsonl.Bytes(), ".parts.jsonl": parts.Bytes(),
			".json": array.Bytes(), ".csv": csv.Bytes(), ".txt": lines.Bytes(),
			".jsonl.gz": packed.Bytes(), ".warc.gz": archive.Bytes(),
		} {
			if err := os.WriteFile(name+suffix, content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		toParquet(t, name+".jsonl", name+".parquet", 1200)
	}
	var ids bytes.Buffer
	for i := 0; i < 1200; i += 5 {
		fmt.Fprintln(&ids, i)
	}
	if err := os.WriteFile(filepath.Join(dir, "ids"), ids.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	writeGrown(t, dir)
	writeTimes(t, dir)
}

// toParquet makes another file of one of JSON Lines, by keeping all records.
func toParquet(t *testing.T, lines, path string, records int) {
	t.Helper()
	convert := exec.Command(program, "apply", "-q", "--flags", "-", lines, "-o", path)
	convert.Stdin = strings.NewReader(strings.Repeat("1\n", records))
	if out, err := convert.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", convert, err, out)
	}
}

const wordsOfText = 30

// textOf is the text of a record of a day.
func textOf(day, i int) (text []byte) {
	n := i - i%3/2 // 3n+1 and 3n+2 share their text
	if day == 0 || i%2 == 0 {
		n += 10_000 // and so do both days
	}
	words := rand.New(rand.NewPCG(uint64(n), 3))
	for range wordsOfText {
		text = fmt.Appendf(text, "%x ", words.Uint32())
	}
	return text
}
