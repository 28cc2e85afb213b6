// Command groups measures what it costs to group sketches: processor time a record, and memory.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./groups -records 10000000 -memory 1GiB
//
// Records are 40 words of 50,000; every twentieth one is like an earlier one but for a word. A
// million of them take 360 MB as sketches.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/records"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
)

// made describes the records: every twentieth one differs from an earlier one by a single word.
var made = records.Similar{Words: 40, Every: 20, Changes: 1}

func main() {
	binary := program.Flag()
	records := flag.Int("records", 1_000_000, "how many are grouped")
	memory := flag.String("memory", "", "--max-memory of groups; none if it is empty")
	rounds := flag.Int("rounds", 3, "how often they are grouped")
	program.Main(0, "groups [-program PROGRAM] [-records N] [-memory SIZE] [-rounds N]", func(dir string) error {
		return measure(*binary, dir, *records, *memory, *rounds)
	})
}

func measure(binary, dir string, records int, memory string, rounds int) error {
	sketches := filepath.Join(dir, "a.sketch")
	if err := sketch(binary, sketches, records); err != nil {
		return err
	}
	args := []string{"groups", "-q", "--flags", os.DevNull, sketches}
	if memory != "" {
		args = append(args, "--max-memory", memory)
	}
	for range rounds {
		cmd := exec.Command(binary, args...)
		seconds, err := turns.Run(cmd)
		if err != nil {
			return err
		}
		fmt.Printf("%d records: %.2f µs of CPU time a record, %d a second and core, %d MiB at the peak\n",
			records, seconds/float64(records)*1e6, int(float64(records)/seconds), turns.Peak(cmd)>>20)
	}
	return nil
}

// sketch has records sketched while they are made.
func sketch(binary, path string, records int) error {
	cmd := exec.Command(binary, "sketch", "--signatures", "-q", "-o", path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = errors.Join(write(in, records), in.Close())
	return errors.Join(err, cmd.Wait())
}

func write(to io.Writer, count int) error {
	w := bufio.NewWriterSize(to, 1<<20)
	made.Each(count, func(_ int, text []string) { fmt.Fprintf(w, "{\"text\":\"%s\"}\n", strings.Join(text, " ")) })
	return w.Flush()
}
