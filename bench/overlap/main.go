// Command overlap measures what it costs to remove what is equal: lines, records, and parts of
// them, beside sort, beside huniq (from crates, if it is installed) and beside the default.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./overlap FILE.jsonl
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// A contest is commands over the same input, which run in turns. The first is the baseline.
type contest struct {
	name     string
	commands []string
}

func contests(records string) []contest {
	return []contest{
		{"2.49 million short lines", []string{
			"sort -u short.txt", "huniq < short.txt", "MS -q --format text --exact < short.txt",
			"MS -q --format text < short.txt",
		}},
		{"records, exact", []string{
			"huniq < " + records, "MS -q --exact < " + records, "MS -q --exact --field text < " + records,
		}},
		{"records, parts", []string{
			"MS -q < " + records, "MS -q --method dolma < " + records, "MS -q --method ccnet < " + records,
			"MS -q --method dolma-ngram < " + records, "MS -q --method dclm < " + records,
			"MS -q --method bloom-ngrams < " + records,
		}},
	}
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
	records = "'" + records + "'"
	for _, c := range contests(records) {
		fmt.Fprintf(table, "%s\tCPU, s\tratio\n", c.name)
		if err := c.run(table, dir, ms, records, rounds); err != nil {
			return err
		}
		table.Flush()
	}
	return nil
}

// run prints the median of the CPU time of each command, and of its ratios to the first one.
func (c contest) run(table *tabwriter.Writer, dir, ms, records string, rounds int) error {
	commands := c.commands
	if _, err := exec.LookPath("huniq"); err != nil {
		isHuniq := func(command string) bool { return strings.HasPrefix(command, "huniq") }
		commands = slices.DeleteFunc(slices.Clone(commands), isHuniq)
	}
	seconds := make([][]float64, len(commands))
	for round := range rounds {
		for i := range commands {
			if round%2 == 1 { // in turns, so that what else the machine does meets all of them
				i = len(commands) - 1 - i
			}
			cmd := exec.Command("sh", "-c", strings.ReplaceAll(commands[i], "MS", ms)+" > /dev/null")
			cmd.Dir, cmd.Stderr, cmd.Env = dir, os.Stderr, append(os.Environ(), "LC_ALL=C")
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("%s: %w", commands[i], err)
			}
			used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			seconds[i] = append(seconds[i], used.Seconds())
		}
	}
	for i, command := range commands {
		ratios := make([]float64, rounds)
		for round := range rounds {
			ratios[round] = seconds[i][round] / seconds[0][round]
		}
		name := strings.ReplaceAll(command, records, "RECORDS")
		fmt.Fprintf(table, "%s\t%.3f\t%.2f\n", name, median(seconds[i]), median(ratios))
	}
	return nil
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
