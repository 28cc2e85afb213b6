package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
)

type speedCommand struct{ common }

// targetsPerCore are the budgets, in records a second, by the place of their commands.
var targetsPerCore = map[int]float64{1: 120_000, 3: 100_000, 4: 60_000}

func (c speedCommand) Run(out io.Writer, w workplace) error {
	return c.eachFile(w, func(i int, d data) error { return c.oneCore(out, d, fmt.Sprintf("speed-%d", i)) })
}

// oneCore measures with GOMAXPROCS=1: all stages take turns on one core.
func (c speedCommand) oneCore(out io.Writer, d data, raw string) error {
	program := c.program()
	program = `GOMAXPROCS=1 ` + program + ` -q`
	commands := []command{
		{name: "gzip -dc", shell: `gzip -dc "$RECORDS_GZ" > /dev/null`},
		withMemory("mithril-stream", program),
		{name: "mithril-stream, no input", shell: program + ` < /dev/null > /dev/null`},
		withMemory("--preset paper", program+` --preset paper`),
		withMemory("--tokenize char (5 of them)", program+` --tokenize char`),
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
	fmt.Fprintf(out, "One core, %s, index in memory; medians of %d runs in turns, load average %s:\n\n", d, c.Rounds,
		loadAverage())
	t := markdown.New("command", "wall, s", "CPU, s", "records/s", "records/CPU s", "MB/CPU s",
		"CPU time over gzip -dc")
	for i, command := range commands {
		m := median(samples[i])
		wall, cpu := m.seconds()
		if i == 2 {
			t.Add(command.name, wall, cpu, "–", "–", "–", "–")
			continue
		}
		t.Add(command.name, wall, cpu, float64(d.records)/wall, float64(d.records)/cpu, float64(d.bytes)/1e6/cpu,
			compare(samples[i], samples[0], cpuOf))
	}
	t.Write(out)
	for _, at := range slices.Sorted(maps.Keys(targetsPerCore)) {
		target := targetsPerCore[at]
		share := func(cpu time.Duration) float64 {
			return float64(d.bytes) / cpu.Seconds() / (target * bytesPerTargetRecord)
		}
		fmt.Fprintf(out, "Target of %s, %.0f records a second a core at 2 KB: %.2f of it by CPU time, %.2f "+
			"in the fastest run.\n", commands[at].name, target,
			share(median(samples[at]).cpu), share(fastest(samples[at], cpuOf)))
	}
	fmt.Fprintln(out)
	return c.keepSamples(raw, commands, samples)
}

// withMemory is a command that filters the records after one that does the same to as many of them
// as fill the index's memory everywhere. A virtual machine that has given this memory back to its
// host gets it again then, which may take longer than clearing it, by a time that is the host's.
func withMemory(name, program string) command {
	return command{name: name, shell: program + ` < "$RECORDS" > /dev/null`, before: `head -n 40000 "$RECORDS" | ` + program + ` > /dev/null`}
}

// bytesPerTargetRecord is what the target means by a record, so that files with other lengths can
// be held against it.
const bytesPerTargetRecord = 2048
