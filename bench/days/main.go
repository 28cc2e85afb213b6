// Command days compares groups of several days with an index to those of one run over all of them:
// the processor time of all days, and whether the groups are the same.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./days [FILE.jsonl]
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/mithril-stream/mithril-stream/bench/turns"
)

func main() {
	log.SetFlags(0)
	program := flag.String("program", "../bin/mithril-stream", "what to measure")
	days := flag.Int("days", 7, "into how many days the records are divided")
	rounds := flag.Int("rounds", 7, "how often each is run, in turns")
	records := flag.Int("records", 140_000, "how many are made, of 200 words each, if no file is given")
	flag.Parse()
	if flag.NArg() > 1 || *days < 1 {
		log.Fatal("usage: days [-days N] [-rounds N] [-records N] [FILE.jsonl]")
	}
	name, text, err := fmt.Sprint(*records, " records"), made(*records), error(nil)
	if flag.NArg() == 1 {
		name = filepath.Base(flag.Arg(0))
		text, err = os.ReadFile(flag.Arg(0))
	}
	if err == nil {
		err = compare(*program, name, text, *days, *rounds)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// made is records of 200 words of 50,000, of which every twentieth one is like an earlier one.
func made(records int) []byte {
	rng := rand.New(rand.NewPCG(7, 7))
	var text bytes.Buffer
	seed := uint64(0)
	for i := range records {
		words := rand.New(rand.NewPCG(uint64(i), 1))
		if i%20 == 0 {
			seed = uint64(i)
		}
		changed := -1
		if i%20 == 19 {
			words, changed = rand.New(rand.NewPCG(seed, 1)), rng.IntN(200)
		}
		fmt.Fprintf(&text, `{"id":%d,"text":"`, i)
		for j := range 200 {
			word := words.IntN(50_000) * 79_187
			if j == changed {
				word = 0
			}
			fmt.Fprintf(&text, "%x ", word)
		}
		text.WriteString("\"}\n")
	}
	return text.Bytes()
}

func compare(program, name string, text []byte, days, rounds int) (err error) {
	if program, err = filepath.Abs(program); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-days-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := divide(text, dir, days); err != nil {
		return err
	}
	contest := turns.Contest{Name: name, Commands: []string{
		"MS groups -q --id id --clusters one.json -o one.out all.jsonl",
		"rm -rf idx *.out; for day in day-*.jsonl; do " +
			"MS groups -q --id id --index idx --merged merged.jsonl -o ${day%.jsonl}.out $day || exit; done",
	}}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	if err := contest.Run(table, dir, map[string]string{"MS": program}, rounds); err != nil {
		return err
	}
	last := exec.Command(program, "groups", "-q", "--id", "id", "--index", "idx", "--clusters", "days.json", "-o",
		"again.out", fmt.Sprintf("day-%03d.jsonl", days-1))
	if last.Dir, last.Stderr = dir, os.Stderr; last.Run() != nil {
		return errors.New("the last day cannot be repeated")
	}
	one, err := os.ReadFile(filepath.Join(dir, "one.json"))
	if err != nil {
		return err
	}
	all, err := os.ReadFile(filepath.Join(dir, "days.json"))
	if err != nil {
		return err
	}
	if !bytes.Equal(one, all) {
		return errors.New("the groups are not the same")
	}
	fmt.Printf("the same groups: %d\n", bytes.Count(one, []byte("\n{")))
	return nil
}

// divide writes the lines of a text to all.jsonl, and as many of them as a day has to each day.
func divide(text []byte, dir string, days int) error {
	if err := os.WriteFile(filepath.Join(dir, "all.jsonl"), text, 0o600); err != nil {
		return err
	}
	lines := slices.Collect(bytes.Lines(text))
	for day := range days {
		part := lines[day*len(lines)/days : (day+1)*len(lines)/days]
		name := filepath.Join(dir, fmt.Sprintf("day-%03d.jsonl", day))
		if err := os.WriteFile(name, bytes.Join(part, nil), 0o600); err != nil {
			return err
		}
	}
	return nil
}
