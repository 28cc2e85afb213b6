// Command files measures what it costs to read and write files of each format, against the same
// records as JSON Lines in a pipe.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./files crawl.jsonl
package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
)

// A contest is a command and the one that it is compared with. Both run in turn, and the best run
// of each counts, a byte of its input.
type contest struct{ name, command, input, baseline, baselineInput string }

// writesColumns is what both commands of some contests write.
const writesColumns = "out.parquet"

const pipe = "MS -q < a.jsonl > out"

var contests = []contest{
	{"a file by its name", "MS -q a.jsonl > out", "a.jsonl", pipe, "a.jsonl"},
	{"csv", "MS -q a.csv > out", "a.csv", pipe, "a.jsonl"},
	{"text, ended by NUL", "MS -q -0 a.txt > out", "a.txt", pipe, "a.jsonl"},
	{"json array", "MS -q a.json > out", "a.json", pipe, "a.jsonl"},
	{"csv to jsonl", "MS -q a.csv --to jsonl > out", "a.csv", pipe, "a.jsonl"},
	{"parquet", "MS -q a.parquet > out", "a.jsonl", pipe, "a.jsonl"},
	{"parquet to jsonl", "MS -q a.parquet --to jsonl > out", "a.jsonl", pipe, "a.jsonl"},
	{"parquet zstd against pyarrow's copy", "MS -q zstd.parquet -o out.parquet", "a.jsonl",
		"PYTHON copy.py zstd.parquet zstd", "a.jsonl"},
	{"parquet zstd, row groups of 1,000, against pyarrow's copy", "MS -q groups.parquet -o out.parquet", "a.jsonl",
		"PYTHON copy.py groups.parquet zstd", "a.jsonl"},
	{"parquet snappy against pyarrow's copy", "MS -q a.parquet -o out.parquet", "a.jsonl",
		"PYTHON copy.py a.parquet snappy", "a.jsonl"},
	{"parquet not compressed against pyarrow's copy", "MS -q none.parquet -o out.parquet", "a.jsonl",
		"PYTHON copy.py none.parquet none", "a.jsonl"},
	{"arrow", "MS -q a.arrow > out", "a.jsonl", pipe, "a.jsonl"},
	{"arrow to jsonl", "MS -q a.arrow --to jsonl > out", "a.jsonl", pipe, "a.jsonl"},
	{"parquet to arrow", "MS -q a.parquet --to arrow > out", "a.jsonl", pipe, "a.jsonl"},
	{"gzip against zcat |", "MS -q a.jsonl.gz > out", "a.jsonl", "zcat a.jsonl.gz | MS -q > out", "a.jsonl"},
	{"wet", "MS -q a.wet > out", "a.wet", pipe, "a.jsonl"},
	{"wet.gz against zcat |", "MS -q a.wet.gz > out", "a.wet", "zcat a.wet.gz | MS -q --format warc > out", "a.wet"},
	{"wet.gz against jsonl.gz", "MS -q a.wet.gz > out", "a.wet", "MS -q a.jsonl.gz > out", "a.jsonl"},
	{"wet.gz against jsonl.gz, a member a record", "MS -q a.wet.gz > out", "a.wet", "MS -q a.members.jsonl.gz > out",
		"a.jsonl"},
	{"wet.gz to wet", "MS -q a.wet.gz -o out.wet", "a.wet", "MS -q a.wet.gz > out", "a.wet"},
	{"wet to wet.gz against | gzip", "MS -q a.wet -o out.wet.gz", "a.wet", "MS -q a.wet | gzip > out", "a.wet"},
	{"to gzip against | gzip", "MS -q --compress gzip < a.jsonl > out", "a.jsonl", "MS -q < a.jsonl | gzip > out",
		"a.jsonl"},
}

func main() {
	binary := program.Flag()
	only := flag.String("only", "", "measure only what has this in its name")
	rounds := flag.Int("rounds", 5, "how often each command is run")
	program.Main(1, "files [-program PROGRAM] [-only PART] [-rounds N] RECORDS.jsonl", func(dir string) error {
		return measure(*binary, flag.Arg(0), dir, *only, *rounds)
	})
}

func measure(binary, records, dir, only string, rounds int) error {
	if err := writeVariants(records, dir); err != nil {
		return err
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\tCPU s/GB\tratio\twall s/GB\tratio\tsize")
	for _, c := range contests {
		if !strings.Contains(c.name, only) || hasColumns(c.command) && !makeColumns(dir) {
			continue
		}
		mine, theirs := cost{cpu: math.Inf(1), wall: math.Inf(1)}, cost{cpu: math.Inf(1), wall: math.Inf(1)}
		for range rounds {
			if err := errors.Join(mine.add(dir, binary, c.command, c.input),
				theirs.add(dir, binary, c.baseline, c.baselineInput)); err != nil {
				return err
			}
		}
		fmt.Fprintf(table, "%s\t%.2f\t%.2f\t%.2f\t%.2f", c.name, mine.cpu, mine.cpu/theirs.cpu, mine.wall,
			mine.wall/theirs.wall)
		if theirs.written > 0 {
			fmt.Fprintf(table, "\t%.2f", float64(mine.written)/float64(theirs.written))
		}
		fmt.Fprintln(table)
		table.Flush()
	}
	return nil
}

// cost is the least of several runs, in seconds for 10⁹ bytes of input.
type cost struct {
	cpu, wall float64
	written   int64 // bytes of the file of columns, if the command writes one
}

// add runs a command of the shell; MS in it is the program, and PYTHON one that has pyarrow.
func (c *cost) add(dir, ms, command, input string) error {
	info, err := os.Stat(filepath.Join(dir, input))
	if err != nil {
		return err
	}
	os.Remove(filepath.Join(dir, writesColumns))
	cmd := exec.Command("sh", "-c", strings.NewReplacer("MS", ms, "PYTHON", python()).Replace(command))
	cmd.Dir = dir
	started := time.Now()
	cpu, err := turns.Run(cmd)
	if err != nil {
		return err
	}
	gb := float64(info.Size()) / 1e9
	c.cpu, c.wall = min(c.cpu, cpu/gb), min(c.wall, time.Since(started).Seconds()/gb)
	if made, err := os.Stat(filepath.Join(dir, writesColumns)); err == nil {
		c.written = made.Size()
	}
	return nil
}
