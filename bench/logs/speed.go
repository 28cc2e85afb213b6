package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
)

// copies is how often the lines are in the file on which speed is measured.
const copies = 100

// speed compares the CPU time for the lines, as a file of text, in turns; the least of five counts.
func speed(binary, drain, dir string, messages []message) error {
	once, path := filepath.Join(dir, "once.log"), filepath.Join(dir, "lines.log")
	var b bytes.Buffer
	for _, m := range messages {
		b.WriteString(strings.ReplaceAll(m.Line, "\n", " ") + "\n")
	}
	err := errors.Join(os.WriteFile(once, b.Bytes(), 0o600),
		os.WriteFile(path, bytes.Repeat(b.Bytes(), copies), 0o600))
	if err != nil {
		return err
	}
	lines := float64(copies * len(messages))
	type way struct {
		name  string
		args  []string
		lines float64
	}
	ways := []way{
		{"`--preset logs --threads 1`", []string{binary, "-q", "--preset", "logs", "--threads", "1", path}, lines},
		{"default, `--threads 1`", []string{binary, "-q", "--format", "text", "--threads", "1", path}, lines},
		{"`--equal --threads 1`", []string{binary, "-q", "--equal", "--format", "text", "--threads", "1", path}, lines},
		{"`LC_ALL=C sort -u`", []string{"env", "LC_ALL=C", "sort", "-u", path}, lines},
	}
	if drain != "" {
		ways = append(ways, way{
			"Drain3, the lines once", []string{drain, "logs/drain.py", "--lines", once}, float64(len(messages)),
		})
	}
	least := make([]float64, len(ways))
	for turn := range 5 {
		for i, w := range ways {
			cpu, err := turns.Run(exec.Command(w.args[0], w.args[1:]...))
			if err != nil {
				return err
			}
			if cpu /= w.lines; turn == 0 || cpu < least[i] {
				least[i] = cpu
			}
		}
	}
	fmt.Printf("\nThe lines as a file of text, %d times, %.0f MB:\n\n", copies, float64(copies*b.Len())/1e6)
	t := markdown.New("way", "CPU a line, µs", "lines a second of CPU", "over `--preset logs`")
	for i, w := range ways {
		t.Add(w.name, fmt.Sprintf("%.2f", least[i]*1e6), fmt.Sprintf("%.0f", 1/least[i]),
			fmt.Sprintf("%.2f", least[i]/least[0]))
	}
	t.Write(os.Stdout)
	return nil
}

// drained are the verdicts of Drain3: a message is removed if its template is known.
func drained(python, path, flags string) ([]bool, error) {
	cmd := exec.Command(python, "logs/drain.py", path)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(flags, text, 0o600); err != nil {
		return nil, err
	}
	return program.ReadFlags(flags)
}
