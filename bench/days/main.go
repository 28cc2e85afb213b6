// Command days compares groups of several days with an index to those of one run over all of them:
// the processor time of all days, and whether the groups are the same. By default it does so with
// few records and with many, since the start of a run is paid each day.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./days [FILE.jsonl]
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
)

func main() {
	binary := program.Flag()
	days := flag.Int("days", 7, "into how many days the records are divided")
	rounds := flag.Int("rounds", 0, "how often each is run, in turns (default: 7, of a million records once)")
	sizes := flag.String("records", "140000,1000000", "how many are made, of 200 words each, if no file is given")
	program.Main(-1, "", func(dir string) error {
		switch {
		case flag.NArg() > 1 || *days < 1:
			return errors.New("usage: days [-days N] [-rounds N] [-records N,…] [FILE.jsonl]")
		case flag.NArg() == 1:
			text, err := os.ReadFile(flag.Arg(0))
			if err != nil {
				return err
			}
			count := bytes.Count(text, []byte("\n"))
			return compare(*binary, dir, filepath.Base(flag.Arg(0)), bytes.Lines(text), count, *days, *rounds)
		}
		for size := range strings.SplitSeq(*sizes, ",") {
			records, err := strconv.Atoi(size)
			if err == nil {
				err = compare(*binary, dir, size+" records", made(records), records, *days, *rounds)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// made are records of 200 words of 50,000, of which every twentieth one is like an earlier one.
func made(records int) iter.Seq[[]byte] {
	return func(yield func(line []byte) bool) {
		rng := rand.New(rand.NewPCG(7, 7))
		var line []byte
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
			line = fmt.Appendf(line[:0], `{"id":%d,"text":"`, i)
			for j := range 200 {
				word := words.IntN(50_000) * 79_187
				if j == changed {
					word = 0
				}
				line = append(strconv.AppendInt(line, int64(word), 16), ' ')
			}
			if line = append(line, "\"}\n"...); !yield(line) {
				return
			}
		}
	}
}

// compare prints what both cost. If rounds is 0 it is as many as take some ten seconds.
func compare(binary, dir, name string, lines iter.Seq[[]byte], count, days, rounds int) error {
	if rounds == 0 {
		rounds = min(max(1, 1_000_000/max(1, count)), 7)
	}
	if err := divide(lines, count, dir, days); err != nil {
		return err
	}
	contest := turns.Contest{Name: name, Commands: []string{
		"MS groups -q --id id --clusters one.json -o one.out all.jsonl",
		"rm -rf idx *.out; for day in day-*.jsonl; do " +
			"MS groups -q --id id --index idx --merged merged.jsonl -o ${day%.jsonl}.out $day || exit; done",
	}}
	if err := contest.Run(dir, map[string]string{"MS": binary}, rounds); err != nil {
		return err
	}
	last := exec.Command(binary, "groups", "-q", "--id", "id", "--index", "idx", "--clusters", "days.json", "-o",
		"again.out", fmt.Sprintf("day-%03d.jsonl", days-1))
	last.Dir = dir
	if _, err := turns.Run(last); err != nil {
		return fmt.Errorf("the last day cannot be repeated: %w", err)
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

// divide writes lines to all.jsonl, and to each day as many of them as another one has.
func divide(lines iter.Seq[[]byte], count int, dir string, days int) (err error) {
	var files []*os.File
	var outputs []*bufio.Writer // of days, and then of all
	for day := range days + 1 {
		name := fmt.Sprintf("day-%03d.jsonl", day)
		if day == days {
			name = "all.jsonl"
		}
		file, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		files, outputs = append(files, file), append(outputs, bufio.NewWriter(file))
	}
	number, day := 0, 0
	for line := range lines {
		for number >= (day+1)*count/days && day < days-1 {
			day++
		}
		number++
		outputs[day].Write(line)
		outputs[days].Write(line)
	}
	for i, output := range outputs {
		err = errors.Join(err, output.Flush(), files[i].Close())
	}
	return err
}
