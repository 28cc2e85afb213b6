// Command subsets builds indexes over subsets of records at once, and compares what comes out with
// one run over all: the verdicts, the index, and the CPU time of all processes together and of the
// longest chain of them, which is what remains if each subset has a machine of its own.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./subsets [FILE.jsonl]
//
// Without FILE records of 2 KB are made, of which one in ten is an earlier one with another word.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
	"golang.org/x/sync/errgroup"
)

func main() {
	binary := program.Flag()
	parts := flag.Int("parts", 4, "how many subsets there are")
	atOnce := flag.Int("at-once", 2, "how many processes run at a time")
	rounds := flag.Int("rounds", 5, "how often all is run")
	records := flag.Int("records", 200_000, "how many records are made, without FILE")
	program.Main(-1, "", func(string) (err error) {
		if *parts < 2 {
			return errors.New("-parts must be 2 or more")
		}
		var lines [][]byte
		if flag.NArg() > 0 {
			if lines, err = read(flag.Arg(0)); err != nil {
				return err
			}
		} else {
			lines = make2KB(*records)
		}
		return measure(*binary, lines, *parts, *atOnce, *rounds)
	})
}

func read(file string) (lines [][]byte, err error) {
	text, err := os.ReadFile(file)
	return bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")), err
}

// make2KB makes records of random words.
func make2KB(records int) [][]byte {
	lines := make([][]byte, records)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range lines {
		of := uint64(i)
		if i > 0 && random.IntN(10) == 0 {
			of = random.Uint64N(of)
		}
		words, changed := rand.New(rand.NewPCG(2, of)), -1
		if of != uint64(i) {
			changed = random.IntN(300)
		}
		line := []byte(`{"text":"`)
		for n := range 300 {
			word := words.IntN(50_000)
			if n == changed {
				word = i
			}
			line = strconv.AppendInt(append(line, " w"...), int64(word), 10)
		}
		lines[i] = append(line, "\"}\n"...)
	}
	return lines
}

func measure(binary string, lines [][]byte, parts, atOnce, rounds int) error {
	capacity := fmt.Sprint(2 * len(lines))
	var sums, chains, merges, ones []float64
	alone, duplicates := 0, 0
	for range rounds {
		b := bench{program: binary, capacity: capacity, parts: parts, atOnce: atOnce}
		err := program.InTemp(func(dir string) error {
			b.dir = dir
			return b.run(lines)
		})
		if err != nil {
			return err
		}
		sums, chains = append(sums, b.all/b.serial), append(chains, b.chain/b.serial)
		merges, ones = append(merges, b.merge/b.serial), append(ones, b.oneMemory/b.serial)
		alone, duplicates = b.missed, b.duplicates
	}
	fmt.Printf("%d records in %d subsets, capacity %s, medians of %d turns\n", len(lines), parts, capacity, rounds)
	fmt.Printf("the flags of the subsets and the answers of the merged index are those of one run\n")
	fmt.Printf("duplicates that each subset alone does not see: %d of %d\n", alone, duplicates)
	fmt.Printf("CPU time of all processes, beside one run:      %.2f\n", turns.Median(sums))
	fmt.Printf("CPU time of the longest chain:                  %.2f, of this the merge %.2f\n", turns.Median(chains),
		turns.Median(merges))
	fmt.Printf("the same of sketches at once, and one dedup:    %.2f\n", turns.Median(ones))
	return nil
}

// A bench is one turn.
type bench struct {
	program, capacity, dir string
	parts, atOnce          int

	serial, all, chain, merge, oneMemory float64 // seconds of CPU time
	missed, duplicates                   int
}

func (b *bench) run(lines [][]byte) error {
	if err := b.write("all", lines); err != nil {
		return err
	}
	for k := range b.parts {
		if err := b.write(fmt.Sprint(k), lines[len(lines)*k/b.parts:len(lines)*(k+1)/b.parts]); err != nil {
			return err
		}
	}
	sketching, err := b.step("sketch all.jsonl -o all.sketch")
	if err != nil {
		return err
	}
	deciding, err := b.step("dedup all.sketch --index all.idx -o all.flags")
	if err != nil {
		return err
	}
	b.serial = sketching + deciding
	sketched, err := b.each(func(k int) string { return fmt.Sprintf("sketch %d.jsonl -o %d.sketch", k, k) })
	if err != nil {
		return err
	}
	inserted, err := b.each(func(k int) string {
		return fmt.Sprintf("dedup %d.sketch --index %d.idx -o %d.self", k, k, k)
	})
	if err != nil {
		return err
	}
	asked, err := b.each(func(k int) string {
		against := ""
		for earlier := range k {
			against += fmt.Sprintf(" --against %d.idx", earlier)
		}
		return fmt.Sprintf("dedup %d.sketch%s -o %d.flags", k, against, k)
	})
	if err != nil {
		return err
	}
	merge := "index merge -o merged.idx"
	for k := range b.parts {
		merge += fmt.Sprintf(" %d.idx", k)
	}
	if b.merge, err = b.step(merge); err != nil {
		return err
	}
	for k := range b.parts {
		b.all += sketched[k] + inserted[k] + asked[k]
		b.chain = max(b.chain, sketched[k]+inserted[k]+asked[k])
	}
	b.all, b.chain = b.all+b.merge, b.chain+b.merge
	b.oneMemory = slices.Max(sketched) + deciding
	return b.compare()
}

// compare refuses what is not as in one run.
func (b *bench) compare() error {
	var flags, alone []byte
	for k := range b.parts {
		for suffix, to := range map[string]*[]byte{"flags": &flags, "self": &alone} {
			more, err := os.ReadFile(filepath.Join(b.dir, fmt.Sprintf("%d.%s", k, suffix)))
			if err != nil {
				return err
			}
			*to = append(*to, more...)
		}
	}
	want, err := os.ReadFile(filepath.Join(b.dir, "all.flags"))
	if err != nil {
		return err
	}
	if !bytes.Equal(flags, want) {
		return errors.New("the flags of the subsets are not those of one run")
	}
	b.duplicates = bytes.Count(want, []byte("0"))
	b.missed = bytes.Count(alone, []byte("1")) - bytes.Count(want, []byte("1"))
	var answers [2][]byte
	for i, index := range []string{"merged", "all"} {
		step := fmt.Sprintf("dedup all.sketch --read-only --against %s.idx -o %s.asked", index, index)
		if _, err := b.step(step); err != nil {
			return err
		}
		if answers[i], err = os.ReadFile(filepath.Join(b.dir, index+".asked")); err != nil {
			return err
		}
	}
	if !bytes.Equal(answers[0], answers[1]) {
		return errors.New("the merged index answers otherwise than that of one run")
	}
	return nil
}

func (b *bench) write(name string, lines [][]byte) error {
	return os.WriteFile(filepath.Join(b.dir, name+".jsonl"), bytes.Join(lines, nil), 0o600)
}

// each has a step of all subsets done, some subsets at once, and returns the CPU time of each.
func (b *bench) each(of func(k int) string) ([]float64, error) {
	seconds := make([]float64, b.parts)
	var running errgroup.Group
	running.SetLimit(b.atOnce)
	for k := range b.parts {
		running.Go(func() (err error) {
			seconds[k], err = b.step(of(k))
			return err
		})
	}
	return seconds, running.Wait()
}

// step runs a command of the program, and returns its CPU time.
func (b *bench) step(command string) (seconds float64, err error) {
	args := strings.Fields(command)
	if args[0] != "index" {
		args = append(args, "-q")
	}
	if args[0] == "dedup" && !slices.Contains(args, "--read-only") {
		args = append(args, "--capacity", b.capacity)
	}
	cmd := exec.Command(b.program, args...)
	cmd.Dir, cmd.Env = b.dir, append(os.Environ(), "GOMAXPROCS=1")
	return turns.Run(cmd)
}
