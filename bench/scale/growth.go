package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/records"
)

// recommended are the rules of docs/choosing.md that compare records with each other.
var recommended = []struct {
	name    string
	options []string
}{
	{"default", nil},
	{"`--memory exact`", []string{"--memory", "exact"}},
	{"`--sketch fracminhash`", []string{"--sketch", "fracminhash"}},
	{"`--preset passages`", []string{"--preset", "passages"}},
	{"`--preset passages --memory bloom`", []string{"--preset", "passages", "--memory", "bloom"}},
	{"`--preset passages --threshold 0.9`", []string{"--preset", "passages", "--threshold", "0.9"}},
	{"`--field auto`", []string{"--field", "auto"}},
	{"`--preset logs`", []string{"--preset", "logs", "--format", "jsonl", "--field", "text"}},
	{"`--equal`", []string{"--equal"}},
	{"`groups`", []string{"groups"}},
	{"`groups --preset passages`", []string{"groups", "--preset", "passages"}},
}

// growthSizes are the shares of the records that are run, each twice as many as the one before.
var growthSizes = []uint64{8, 4, 2, 1}

// growth prints how the time of a record grows with their number: for the records of a file, or if
// none is given, for passages of usual words and for those of a template.
func growth(binary, dir, path string, most uint64) error {
	if path != "" {
		return growthOf(binary, path, most)
	}
	for _, source := range []struct {
		name  string
		write func(out *bufio.Writer, n uint64, words *rand.Rand)
	}{{"passages of words by Zipf's law", writePassage}, {"passages of one template", writeTemplated}} {
		path := filepath.Join(dir, "records.jsonl")
		err := records.Write(path, func(out *bufio.Writer) error {
			random := rand.New(rand.NewPCG(7, 7))
			for n := range most {
				source.write(out, n, random)
			}
			return nil
		})
		if err != nil {
			return err
		}
		fmt.Printf("\n%s\n\n", source.name)
		if err := growthOf(binary, path, most); err != nil {
			return err
		}
	}
	return nil
}

// growthOf prints the CPU time of each rule, in microseconds a record, and the exponent of all its
// time over the sizes.
func growthOf(binary, path string, most uint64) error {
	head := []string{"rule"}
	for _, share := range growthSizes {
		head = append(head, fmt.Sprint(most/share))
	}
	t := markdown.New(append(head, "exponent")...)
	for _, r := range recommended {
		row, first, last := []any{r.name}, 0., 0.
		for _, share := range growthSizes {
			n := most / share
			cpu, err := cpuOf(binary, r.options, path, n)
			if err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			if first == 0 {
				first = cpu
			}
			last = cpu
			row = append(row, fmt.Sprintf("%.2f", cpu/float64(n)*1e6))
		}
		exponent := math.Log2(last/first) / float64(len(growthSizes)-1)
		t.Add(append(row, fmt.Sprintf("%.2f", exponent))...)
	}
	t.Write(os.Stdout)
	return nil
}

// cpuOf returns the CPU seconds of a run over the first n lines of a file.
func cpuOf(binary string, options []string, path string, n uint64) (float64, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	in, out := io.Pipe()
	defer in.Close()
	go func() { _ = out.CloseWithError(copyLines(out, file, n)) }()
	stats, err := program.Run(binary, options, in)
	if err == nil && stats.Records < n {
		err = fmt.Errorf("%s has only %d records, and -records says %d", path, stats.Records, n)
	}
	return stats.CPU, err
}

func copyLines(to io.Writer, from io.Reader, n uint64) error {
	in, out := bufio.NewReaderSize(from, 1<<20), bufio.NewWriterSize(to, 1<<16)
	for range n {
		line, err := in.ReadSlice('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

const (
	passageWords  = 40
	usualWords    = 200_000
	templateWords = 30 // of those of a passage
	oneInNearCopy = 10
	changedWords  = 3 // of a near copy
)

// writePassage writes words that are as frequent as those of a language; every tenth passage is an
// earlier one with a few other words.
func writePassage(out *bufio.Writer, n uint64, random *rand.Rand) {
	source, changed := n, 0
	if n%oneInNearCopy == oneInNearCopy-1 {
		source, changed = random.Uint64N(n), changedWords
	}
	own := rand.New(rand.NewPCG(3, source))
	zipf := rand.NewZipf(own, 1.05, 2, usualWords)
	out.WriteString(`{"text":"`)
	for i := range passageWords {
		word := zipf.Uint64()
		if i < changed {
			word = usualWords + random.Uint64N(usualWords)
		}
		out.WriteString(wordOf(word))
	}
	out.WriteString("\"}\n")
}

// writeTemplated writes a frame of words and some of the passage's own: two of them are less
// similar than any rule asks for.
func writeTemplated(out *bufio.Writer, _ uint64, random *rand.Rand) {
	out.WriteString(`{"text":"`)
	for i := range passageWords {
		word := uint64(i)
		if i >= templateWords {
			word = usualWords + random.Uint64N(usualWords*usualWords)
		}
		out.WriteString(wordOf(word))
	}
	out.WriteString("\"}\n")
}
