// Package program runs mithril-stream for the benchmarks and reads what it reports.
package program

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
)

// Stats are the parts of the stats file that benchmarks look at.
type Stats struct {
	Records    uint64  `json:"records"`
	Duplicates uint64  `json:"duplicates"`
	Rejected   uint64  `json:"rejected"`
	BytesIn    uint64  `json:"bytes_in"`
	Seconds    float64 `json:"seconds"`
	PeakMemory uint64  `json:"peak_memory_bytes"`
	Indexes    []struct {
		Bytes uint64 `json:"bytes"`
	} `json:"indexes"`
	Exact *struct {
		Bytes uint64 `json:"bytes"`
	} `json:"exact"`
	CPU float64 `json:"-"` // seconds, user and system
}

// IndexBytes is the memory of the indexes, of either kind.
func (s Stats) IndexBytes() (n uint64) {
	for _, x := range s.Indexes {
		n += x.Bytes
	}
	if s.Exact != nil {
		n += s.Exact.Bytes
	}
	return n
}

// Run feeds input to the program, or to the command of it that the options begin with, and throws
// the records that it keeps away. It returns what --stats says.
func Run(binary string, options []string, input io.Reader) (stats Stats, err error) {
	err = InTemp(func(dir string) error {
		path := filepath.Join(dir, "stats.json")
		cmd := exec.Command(binary, append(slices.Clone(options), "--quiet", "--stats", path)...)
		var messages bytes.Buffer
		cmd.Stdin, cmd.Stderr = input, &messages
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s %s: %w: %s", binary, strings.Join(options, " "), err, messages.String())
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		stats.CPU = turns.CPU(cmd)
		return json.Unmarshal(text, &stats)
	})
	return stats, err
}

// Kept runs the program on a file of records and returns for each of them whether it was kept.
func Kept(binary string, options []string, records string) ([]bool, error) {
	kept, _, err := Judged(binary, options, records)
	return kept, err
}

// Judged is Kept with what --stats says.
func Judged(binary string, options []string, records string) (kept []bool, stats Stats, err error) {
	input, err := os.Open(records)
	if err != nil {
		return nil, stats, err
	}
	defer input.Close()
	err = InTemp(func(dir string) error {
		path := filepath.Join(dir, "flags")
		if stats, err = Run(binary, append([]string{"--flags", path}, options...), input); err != nil {
			return err
		}
		kept, err = ReadFlags(path)
		return err
	})
	return kept, stats, err
}

// ReadFlags reads a file that --flags wrote: a line for each record, 1 kept or 0 removed.
func ReadFlags(path string) ([]bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var kept []bool
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		switch lines.Text() {
		case "1":
			kept = append(kept, true)
		case "0":
			kept = append(kept, false)
		default:
			return nil, fmt.Errorf("%s:%d: %q is neither 0 nor 1", path, len(kept)+1, lines.Text())
		}
	}
	return kept, lines.Err()
}

// Flag declares the flag that names the program. Its value is an absolute path, since commands run
// in directories of their own.
func Flag() *string {
	const usual = "../bin/mithril-stream"
	path := new(string)
	set := func(s string) (err error) {
		*path, err = filepath.Abs(s)
		return err
	}
	if err := set(usual); err != nil {
		log.Fatal(err)
	}
	flag.Func("program", "the program to measure (default "+usual+")", set)
	return path
}

// Main reads the flags, which the caller has declared, and runs a benchmark in a new directory that
// is gone when it ends. Usage is what it says if there are not as many inputs as it takes, which
// are any number if that is negative.
func Main(inputs int, usage string, run func(dir string) error) {
	log.SetFlags(0)
	flag.Parse()
	if inputs >= 0 && flag.NArg() != inputs {
		log.Fatal("usage: " + usage)
	}
	if err := InTemp(run); err != nil {
		log.Fatal(err)
	}
}

// InTemp runs something with a directory that is gone when it ends.
func InTemp(run func(dir string) error) (err error) {
	dir, err := os.MkdirTemp("", "mithril-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return run(dir)
}
