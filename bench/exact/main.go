// Command exact compares the CPU time of the exact memory with that of the default, on texts of
// some 500 bytes that resemble none. The commands run in turns.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./exact [-before PROGRAM]
//
// With -before, the exact memory of an older program is measured beside them.
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

const textBytes = 500

func main() {
	binary := program.Flag()
	before := flag.String("before", "", "an older program, to measure beside it")
	count := flag.Int("records", 1_000_000, "how many texts there are")
	rounds := flag.Int("rounds", 5, "how often each command is run")
	program.Main(0, "exact [-program PROGRAM] [-before PROGRAM] [-records N] [-rounds N]", func(dir string) error {
		return measure(*binary, *before, dir, *count, *rounds)
	})
}

func measure(binary, before, dir string, count, rounds int) error {
	older, err := filepath.Abs(before)
	if err != nil {
		return err
	}
	const name = "texts.jsonl"
	err = records.Write(filepath.Join(dir, name), func(w *bufio.Writer) error {
		writeTexts(w, rand.New(rand.NewPCG(1, 2)), count)
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Printf("%d records, %s, %d CPUs\n", count, runtime.Version(), runtime.NumCPU())
	replace := map[string]string{"PROGRAM": binary, "BEFORE": older}
	for _, options := range []string{fmt.Sprintf("--capacity %d", count), ""} {
		commands := []string{"PROGRAM -q " + options + " " + name}
		if before != "" {
			commands = append(commands, "BEFORE -q --memory exact "+options+" "+name)
		}
		commands = append(commands, "PROGRAM -q --memory exact "+options+" "+name)
		if err := (turns.Contest{Name: name, Commands: commands}).Run(dir, replace, rounds); err != nil {
			return err
		}
	}
	return nil
}

// writeTexts writes texts whose words are, like those of a language, the more frequent the earlier
// the vocabulary has them.
func writeTexts(w *bufio.Writer, rng *rand.Rand, count int) {
	words := records.Vocabulary(rng, 50_000, 9)
	zipf := rand.NewZipf(rng, 1.1, 8, uint64(len(words)-1))
	for i := range count {
		fmt.Fprintf(w, "{\"id\":\"%d\",\"text\":\"", i)
		for written := 0; written < textBytes; {
			n, _ := w.WriteString(words[zipf.Uint64()]) // an error stays until the end
			w.WriteByte(' ')
			written += n + 1
		}
		w.WriteString("\"}\n")
	}
}
