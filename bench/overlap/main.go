// Command overlap measures what it costs to remove what is equal: lines, records, and parts of
// them, beside sort, beside huniq (from crates, if it is installed) and beside the default.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./overlap FILE.jsonl
package main

import (
	"errors"
	"flag"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mithril-stream/mithril-stream/bench/turns"
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
}

func main() {
	log.SetFlags(0)
	program := flag.String("program", "../bin/mithril-stream", "what to measure")
	rounds := flag.Int("rounds", 5, "how often each command is run")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: overlap [-program PROGRAM] [-rounds N] RECORDS.jsonl")
	}
	if err := measure(*program, flag.Arg(0), *rounds); err != nil {
		log.Fatal(err)
	}
}

func measure(program, records string, rounds int) (err error) {
	dir, err := os.MkdirTemp("", "bench-overlap-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := writeShortLines(filepath.Join(dir, "short.txt")); err != nil {
		return err
	}
	ms, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	if records, err = filepath.Abs(records); err != nil {
		return err
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, c := range contests {
		c.Commands = installed(c.Commands)
		words := map[string]string{"MS": ms, "RECORDS": "'" + records + "'"}
		if err := c.Run(table, dir, words, rounds); err != nil {
			return err
		}
	}
	return nil
}

// installed are the commands that can be run here.
func installed(commands []string) []string {
	if _, err := exec.LookPath("huniq"); err == nil {
		return commands
	}
	return slices.DeleteFunc(slices.Clone(commands), func(command string) bool {
		return strings.HasPrefix(command, "huniq")
	})
}
