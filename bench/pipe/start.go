package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
)

type startCommand struct{ common }

// slowRecords pass through the pipe one by one in each round, with a pause before each.
const (
	slowRecords = 50
	slowPause   = 5 * time.Millisecond
)

// Run measures how long a record takes from one end of the pipe to the other.
func (c startCommand) Run(out io.Writer, _ workplace) error {
	t := markdown.New("command", "start to the first record out, ms", "one record, median, ms",
		"99 % of them within, ms")
	for _, argv := range [][]string{{c.Program, "-q"}, {"cat"}} {
		var starts, records []time.Duration
		for round := -1; round < c.Rounds; round++ {
			start, each, err := waits(argv)
			if err != nil {
				return err
			}
			if round >= 0 {
				starts, records = append(starts, start), append(records, each...)
			}
		}
		slices.Sort(starts)
		slices.Sort(records)
		name := "mithril-stream"
		if argv[0] != c.Program {
			name = argv[0]
		}
		t.Add(name, milliseconds(starts[len(starts)/2]), milliseconds(records[len(records)/2]),
			milliseconds(records[len(records)*99/100]))
	}
	fmt.Fprintf(out, "A slow pipe, records of 2 KB; %d starts, %d records each, load average %s:\n\n", c.Rounds,
		slowRecords, loadAverage())
	t.Write(out)
	return nil
}

// waits starts a filter and sends records through it, one after the other.
func waits(argv []string) (start time.Duration, each []time.Duration, err error) {
	texts := newEnglish(1)
	return turns.LineToLine(argv, slowRecords, slowPause, func(int) string {
		return fmt.Sprintf("{\"text\":%q}\n", strings.Map(ascii, texts.text(pageBytes)))
	})
}

// ascii leaves out what Go and JSON quote in different ways.
func ascii(r rune) rune {
	if r > '~' {
		return -1
	}
	return r
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }
