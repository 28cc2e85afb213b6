package main

import (
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
)

type coresCommand struct{ common }

// Run measures one core against two, says what many cores would give, and has the pipeline show
// that it can carry so much.
func (c coresCommand) Run(out io.Writer, w workplace) error {
	path, err := w.english(c.Count)
	if err != nil {
		return err
	}
	d, err := w.load(path)
	if err != nil {
		return err
	}
	one, two, err := c.oneAndTwo(out, d)
	if err != nil {
		return err
	}
	return c.model(out, w, path, one, two)
}

// oneAndTwo measures the program with a file at each end, on one core and on two, and returns
// records a second.
func (c coresCommand) oneAndTwo(out io.Writer, d data) (one, two float64, err error) {
	program := c.program()
	commands := []command{
		withMemory("one core", `GOMAXPROCS=1 `+program+` -q --threads 1`),
		withMemory("two cores", `GOMAXPROCS=2 `+program+` -q --threads 2`),
	}
	samples, err := measure(commands, d.env(), c.Rounds)
	if err != nil {
		return 0, 0, err
	}
	fmt.Fprintf(out, "%s, nothing else on the machine; medians of %d runs in turns, load average %s:\n\n", d, c.Rounds,
		loadAverage())
	t := markdown.New("mithril-stream on", "wall, s", "records/s", "speed over the first")
	var rates [2]float64
	for i, command := range commands {
		wall, _ := median(samples[i]).seconds()
		rates[i] = float64(d.records) / wall
		t.Add(command.name, wall, rates[i], compare(samples[0], samples[i], wallOf))
	}
	t.Write(out)
	return rates[0], rates[1], c.keepSamples("cores", commands, samples)
}
