// Command overlap measures what it costs to remove what is equal: lines, records, and parts of
// them, beside sort, beside huniq (from crates, if it is installed) and beside the default.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./overlap FILE.jsonl
package main

import (
	"bufio"
	"flag"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/records"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
)

// contests compare with what else does the same.
var contests = []turns.Contest{
	{Name: "2.49 million short lines", Commands: []string{
		"sort -u short.txt", "huniq < short.txt", "MS -q --format text --equal < short.txt",
		"MS -q --format text < short.txt",
	}},
	{Name: "records, exact", Commands: []string{
		"huniq < RECORDS", "MS -q --equal < RECORDS", "MS -q --equal --field text < RECORDS",
	}},
	{Name: "records, parts", Commands: []string{
		"MS -q < RECORDS", "MS -q --method dolma < RECORDS", "MS -q --method ccnet < RECORDS",
		"MS -q --method dolma-ngram < RECORDS", "MS -q --method dclm < RECORDS",
		"MS -q --method bloom-ngrams < RECORDS",
	}},
	sampled("dolma-ngram"), sampled("dclm"),
	{Name: "records, what is in others", Commands: []string{
		"MS -q < RECORDS", "MS -q --sketch fracminhash < RECORDS", "MS -q --method dolma-ngram --scale 16 < RECORDS",
		"MS -q --method dclm --scale 16 < RECORDS",
	}},
}

// sampled compares samples of n-grams with all of them.
func sampled(method string) turns.Contest {
	command := func(options string) string { return "MS -q " + options + "< RECORDS" }
	c := turns.Contest{Name: "records, samples, " + method, Commands: []string{command("--method " + method + " ")}}
	for _, scale := range []string{"4", "16", "32"} {
		c.Commands = append(c.Commands, command("--method "+method+" --scale "+scale+" "))
	}
	c.Commands = append(c.Commands, command(""))
	return c
}

func main() {
	binary := program.Flag()
	rounds := flag.Int("rounds", 5, "how often each command is run")
	only := flag.String("only", "", "run those contests whose name has this")
	program.Main(1, "overlap [-program PROGRAM] [-rounds N] [-only NAME] RECORDS.jsonl", func(dir string) error {
		if err := records.Write(filepath.Join(dir, "short.txt"), writeShortLines); err != nil {
			return err
		}
		if _, err := exec.LookPath("huniq"); err != nil {
			for i, c := range contests {
				contests[i].Commands = slices.DeleteFunc(c.Commands, func(command string) bool {
					return strings.HasPrefix(command, "huniq")
				})
			}
		}
		return turns.RunAll(contests, *only, *binary, flag.Arg(0), dir, *rounds)
	})
}

// writeShortLines writes 2.49 million lines of 3 to 9 random words, 39 bytes on average, of which
// three in ten occurred before.
func writeShortLines(w *bufio.Writer) error {
	const lines, distinct = 2_490_000, 1_000_000
	rng := rand.New(rand.NewPCG(7, 7))
	words := records.Vocabulary(rng, 20_000, 9)
	var before []string
	for range lines {
		if len(before) > 0 && rng.IntN(10) < 3 {
			w.WriteString(before[rng.IntN(len(before))])
			continue
		}
		some := make([]string, 3+rng.IntN(7))
		for i := range some {
			some[i] = words[rng.IntN(len(words))]
		}
		line := strings.Join(some, " ") + "\n"
		if len(before) < distinct {
			before = append(before, line)
		}
		w.WriteString(line)
	}
	return nil
}
