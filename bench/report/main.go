// Command report measures what --report costs the commands that have it, and what --counts does.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./report FILE.jsonl
package main

import (
	"flag"

	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
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
	binary := program.Flag()
	rounds := flag.Int("rounds", 11, "how often each command is run")
	only := flag.String("only", "", "run those contests whose name has this")
	program.Main(1, "report [-program PROGRAM] [-rounds N] [-only NAME] RECORDS.jsonl", func(dir string) error {
		return turns.RunAll(contests, *only, *binary, flag.Arg(0), dir, *rounds)
	})
}
