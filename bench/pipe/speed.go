package main

import (
	"fmt"
	"io"
	"time"

	"github.com/mithril-stream/mithril-stream/bench/markdown"
)

type speedCommand struct{ common }

// targetPerCore is the budget of the design, in records a second.
const targetPerCore = 120_000

func (c speedCommand) Run(out io.Writer, w workplace) error {
	generated, err := w.english(c.Count)
	if err != nil {
		return err
	}
	for i, path := range append([]string{generated}, c.Records...) {
		data, err := w.load(path)
		if err != nil {
			return err
		}
		if err := c.oneCore(out, data, fmt.Sprintf("speed-%d", i)); err != nil {
			return err
		}
	}
	return nil
}

// oneCore measures with GOMAXPROCS=1: all stages take turns on one core.
func (c speedCommand) oneCore(out io.Writer, d data, raw string) error {
	program, err := c.program()
	if err != nil {
		return err
	}
	commands := []command{
		{"gzip -dc", `gzip -dc "$RECORDS_GZ" > /dev/null`},
		{"mithril-stream", `GOMAXPROCS=1 ` + program + ` -q < "$RECORDS" > /dev/null`},
		{"mithril-stream, no input", `GOMAXPROCS=1 ` + program + ` -q < /dev/null > /dev/null`},
	}
	peers, err := c.peers()
	if err != nil {
		return err
	}
	commands = append(commands, peers...)
	samples, err := measure(commands, d.env(), c.Rounds)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "One core, %s, index in memory; medians of %d runs in turns, load average %s:\n\n", d, c.Rounds, loadAverage())
	t := markdown.New("command", "wall, s", "CPU, s", "records/s", "records/CPU s", "MB/CPU s", "CPU time over gzip -dc")
	for i, command := range commands {
		m := median(samples[i])
		wall, cpu := m.seconds()
		if i == 2 {
			t.Add(command.name, wall, cpu, "–", "–", "–", "–")
			continue
		}
		t.Add(command.name, wall, cpu, float64(d.records)/wall, float64(d.records)/cpu, float64(d.bytes)/1e6/cpu,
			compare(samples[i], samples[0], func(s sample) time.Duration { return s.cpu }))
	}
	t.Write(out)
	_, cpu := median(samples[1]).seconds()
	fmt.Fprintf(out, "Target %d records a second a core at 2 KB: %.2f of it by CPU time.\n\n", targetPerCore,
		float64(d.bytes)/cpu/(targetPerCore*bytesPerTargetRecord))
	return c.keepSamples(raw, commands, samples)
}

// bytesPerTargetRecord is what the target means by a record, so that files with other lengths can be held against it.
const bytesPerTargetRecord = 2048

type zcatCommand struct{ common }

// Run measures the pipe that the program is made for.
func (c zcatCommand) Run(out io.Writer, w workplace) error {
	program, err := c.program()
	if err != nil {
		return err
	}
	for i, path := range c.Records {
		d, err := w.load(path)
		if err != nil {
			return err
		}
		commands := []command{
			{"gzip -dc > /dev/null", `gzip -dc "$RECORDS_GZ" > /dev/null`},
			{"gzip -dc > file", `gzip -dc "$RECORDS_GZ" > "$OUTPUT"`},
			{"gzip -dc | mithril-stream > file", `gzip -dc "$RECORDS_GZ" | ` + program + ` -q > "$OUTPUT"`},
		}
		peers, err := c.peers()
		if err != nil {
			return err
		}
		commands = append(commands, peers...)
		samples, err := measure(commands, d.env(), c.Rounds)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "The pipe, %s; medians of %d runs in turns, load average %s:\n\n", d, c.Rounds, loadAverage())
		t := markdown.New("command", "wall, s", "CPU, s", "wall over the first", "CPU over the first")
		for i, command := range commands {
			wall, cpu := median(samples[i]).seconds()
			t.Add(command.name, wall, cpu,
				compare(samples[i], samples[0], func(s sample) time.Duration { return s.wall }),
				compare(samples[i], samples[0], func(s sample) time.Duration { return s.cpu }))
		}
		t.Write(out)
		if err := c.keepSamples(fmt.Sprintf("zcat-%d", i), commands, samples); err != nil {
			return err
		}
	}
	return nil
}
