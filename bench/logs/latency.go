package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
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
		_, took, err := turns.LineToLine(w.args, latencyLines, latencyPause, kindOfLine)
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
