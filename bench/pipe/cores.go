package main

import (
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
)

type coresCommand struct{ common }

// Run measures the program with a file at each end, on one core and on two.
func (c coresCommand) Run(out io.Writer, w workplace) error {
	path, err := w.english(c.Count)
	if err != nil {
		return err
	}
	d, err := w.load(path)
	if err != nil {
		return err
	}
	commands := []command{
		withMemory("one core", `GOMAXPROCS=1 `+c.program()+` -q --threads 1`),
		withMemory("two cores", `GOMAXPROCS=2 `+c.program()+` -q --threads 2`),
	}
	samples, err := measure(commands, d.env(), c.Rounds)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s; medians of %d runs in turns, load average %s:\n\n", d, c.Rounds, loadAverage())
	t := markdown.New("mithril-stream on", "wall, s", "records/s", "speed over the first")
	for i, command := range commands {
		wall, _ := median(samples[i]).seconds()
		t.Add(command.name, wall, float64(d.records)/wall, compare(samples[0], samples[i], wallOf))
	}
	t.Write(out)
	return c.keepSamples("cores", commands, samples)
}
