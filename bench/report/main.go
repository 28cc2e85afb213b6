// Command report measures what --report costs the commands that have it, and what --counts does.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./report FILE.jsonl
package main

import (
	"errors"
	"flag"
	"log"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/mithril-stream/mithril-stream/bench/turns"
)

var contests = []turns.Contest{
	{Name: "Bloom filters", Commands: []string{"MS -q RECORDS", "MS -q --report page.html RECORDS"}},
	{Name: "--memory exact", Commands: []string{
		"MS -q --memory exact RECORDS", "MS -q --memory exact --report page.html RECORDS",
	}},
	{Name: "--counts", Commands: []string{
		"MS -q --memory exact RECORDS", "MS -q --memory exact --counts counts.jsonl RECORDS",
		"MS -q --memory exact --counts counts.jsonl --count-by id RECORDS",
	}},
	{Name: "groups", Commands: []string{"MS groups -q RECORDS", "MS groups -q --report page.html RECORDS"}},
	{Name: "substr", Commands: []string{"MS substr -q RECORDS", "MS substr -q --report page.html RECORDS"}},
}

func main() {
	log.SetFlags(0)
	program := flag.String("program", "../bin/mithril-stream", "what to measure")
	rounds := flag.Int("rounds", 11, "how often each command is run")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: report [-program PROGRAM] [-rounds N] RECORDS.jsonl")
	}
	if err := measure(*program, flag.Arg(0), *rounds); err != nil {
		log.Fatal(err)
	}
}

var only = flag.String("only", "", "the name of the only contest")

func measure(program, records string, rounds int) (err error) {
	dir, err := os.MkdirTemp("", "bench-report-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if program, err = filepath.Abs(program); err != nil {
		return err
	}
	if records, err = filepath.Abs(records); err != nil {
		return err
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, c := range contests {
		if *only != "" && c.Name != *only {
			continue
		}
		words := map[string]string{"MS": program, "RECORDS": "'" + records + "'"}
		if err := c.Run(table, dir, words, rounds); err != nil {
			return err
		}
	}
	return nil
}
