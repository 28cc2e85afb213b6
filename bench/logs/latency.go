package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/bench/markdown"
)

// How many lines latency is measured on, and how long after one came back the next is written, so
// that the program waits for it.
const (
	latencyLines = 2000
	latencyPause = time.Millisecond
)

// latency measures how long a line that is a new kind takes from one pipe to the other, as behind
// tail -F.
func latency(binary string) error {
	t := markdown.New("way", "median, ms", "99 of 100, ms")
	for _, w := range []struct {
		name string
		args []string
	}{
		{"`cat`", []string{"cat"}},
		{"`--preset logs`", []string{binary, "-q", "--preset", "logs"}},
		{"`--preset logs --every 10s`", []string{binary, "-q", "--preset", "logs", "--every", "10s"}},
	} {
		took, err := lineToLine(w.args)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		slices.Sort(took)
		t.Add(w.name, millis(took[len(took)/2]), millis(took[len(took)*99/100]))
	}
	fmt.Printf("\nFrom line to line, %d new kinds of lines, each %v after the one before has come out:\n\n",
		latencyLines, latencyPause)
	t.Write(os.Stdout)
	return nil
}

func millis(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()*1e3) }

// lineToLine writes lines to a program, one after the other, and says how long each was under way.
func lineToLine(args []string) (took []time.Duration, err error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	for i := range latencyLines {
		time.Sleep(latencyPause)
		line := kindOfLine(i)
		began := time.Now()
		if _, err := io.WriteString(in, line); err != nil {
			return nil, err
		}
		got, err := lines.ReadString('\n')
		if err != nil || got != line {
			return nil, fmt.Errorf("%q came out of %q: %w", got, line, err)
		}
		took = append(took, time.Since(began))
	}
	return took, errors.Join(in.Close(), cmd.Wait())
}

// kindOfLine is a line that shares no word with that of another number.
func kindOfLine(i int) string {
	letters := func(n int) string {
		return string([]byte{'a' + byte(n%26), 'a' + byte(n/26%26), 'a' + byte(n/676%26)})
	}
	var words []string
	for _, end := range []string{"x", "y", "z", "v", "w", "u", "t", "s"} {
		words = append(words, letters(i)+end)
	}
	return strings.Join(words, " ") + "\n"
}
