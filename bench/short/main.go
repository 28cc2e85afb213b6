// Command short compares the CPU time for short texts, some of which come again, with that of sort:
// JSON texts of one to twelve words, and lines of logs with half repeats and without. The commands
// run in turns.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./short [-before PROGRAM]
//
// With -before, an older program is measured beside it, on records of 2 KB too.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"

	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/records"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
)

func main() {
	binary := program.Flag()
	before := flag.String("before", "", "an older program, to measure beside it")
	records := flag.Int("records", 2_000_000, "how many texts and lines there are")
	rounds := flag.Int("rounds", 7, "how often each command is run")
	program.Main(0, "short [-program PROGRAM] [-before PROGRAM] [-records N] [-rounds N]", func(dir string) error {
		return measure(*binary, *before, dir, *records, *rounds)
	})
}

// An input is generated records.
type input struct {
	name, options string
	write         func(w *bufio.Writer, rng *rand.Rand, count int)
}

var inputs = []input{
	{"short.jsonl", "", writeShort},
	{"half.log", "--format text", func(w *bufio.Writer, rng *rand.Rand, n int) { writeLines(w, rng, n, .5) }},
	{"once.log", "--format text", func(w *bufio.Writer, rng *rand.Rand, n int) { writeLines(w, rng, n, 0) }},
}

// long is what only an older program is compared on.
var long = input{"long.jsonl", "", writeLong}

func measure(binary, before, dir string, records, rounds int) error {
	older, err := filepath.Abs(before)
	if err != nil {
		return err
	}
	replace := map[string]string{"PROGRAM": binary, "BEFORE": older}
	fmt.Printf("%d records, %s, %d CPUs\n", records, runtime.Version(), runtime.NumCPU())
	for _, in := range inputs {
		commands := []string{"sort -u " + in.name}
		if before != "" {
			commands = append(commands, "BEFORE -q --threads 1 "+in.options+" "+in.name)
		}
		commands = append(commands, "PROGRAM -q --threads 1 "+in.options+" "+in.name,
			"PROGRAM -q --threads 1 --equal "+in.options+" "+in.name)
		if err := in.contest(dir, records, replace, commands, rounds); err != nil {
			return err
		}
	}
	if before == "" {
		return nil
	}
	return long.contest(dir, records/20, replace,
		[]string{"BEFORE -q --threads 1 " + long.name, "PROGRAM -q --threads 1 " + long.name}, rounds)
}

// contest writes the records and has the commands read them in turns.
func (in input) contest(dir string, count int, replace map[string]string, commands []string, rounds int) error {
	err := records.Write(filepath.Join(dir, in.name), func(w *bufio.Writer) error {
		in.write(w, rand.New(rand.NewPCG(1, 2)), count)
		return nil
	})
	if err != nil {
		return err
	}
	return turns.Contest{Name: in.name, Commands: commands}.Run(dir, replace, rounds)
}

// writeShort writes JSON texts of one to twelve words. Three of ten repeat an earlier one.
func writeShort(w *bufio.Writer, rng *rand.Rand, count int) {
	words := records.Vocabulary(rng, 20_000, 10)
	var texts []string
	for range count {
		if len(texts) > 0 && rng.Float64() < .3 {
			fmt.Fprintf(w, "{\"text\":%q}\n", texts[rng.IntN(len(texts))])
			continue
		}
		text := words[rng.IntN(len(words))]
		for range rng.IntN(12) {
			text += " " + words[rng.IntN(len(words))]
		}
		texts = append(texts, text)
		fmt.Fprintf(w, "{\"text\":%q}\n", text)
	}
}

// writeLines writes lines of a web server's log, of which that share repeats an earlier one.
func writeLines(w *bufio.Writer, rng *rand.Rand, count int, repeats float64) {
	words := records.Vocabulary(rng, 5_000, 10)
	var lines []string
	for i := range count {
		if len(lines) > 0 && rng.Float64() < repeats {
			w.WriteString(lines[rng.IntN(len(lines))])
			continue
		}
		line := fmt.Sprintf("INFO [worker-%d] GET /%s/%s/%d from 10.%d.%d.%d took %d ms, %s %s %s\n", rng.IntN(64),
			words[rng.IntN(len(words))], words[rng.IntN(len(words))], i, rng.IntN(256), rng.IntN(256), rng.IntN(256),
			rng.IntN(5000), words[rng.IntN(len(words))], words[rng.IntN(len(words))], words[rng.IntN(len(words))])
		lines = append(lines, line)
		w.WriteString(line)
	}
}

// writeLong writes texts of some 2 KB, of which none repeats.
func writeLong(w *bufio.Writer, rng *rand.Rand, count int) {
	words := records.Vocabulary(rng, 20_000, 10)
	for range count {
		w.WriteString("{\"text\":\"")
		for range 300 {
			w.WriteString(words[rng.IntN(len(words))])
			w.WriteByte(' ')
		}
		w.WriteString("\"}\n")
	}
}
