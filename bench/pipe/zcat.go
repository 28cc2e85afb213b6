package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
)

type zcatCommand struct{ common }

// Run measures the pipe that the program is made for. cat in its place is the least that any
// program can take that reads a pipe and writes a file. Two gzips that have nothing to do with each
// other show what the machine takes from a program for a second one beside it: where they need
// longer than one alone, its cores are not two whole ones.
func (c zcatCommand) Run(out io.Writer, w workplace) error {
	program := c.program()
	commands := []command{
		{name: "gzip -dc > /dev/null", shell: `gzip -dc "$RECORDS_GZ" > /dev/null`},
		{name: "two of them side by side", shell: `gzip -dc "$RECORDS_GZ" > /dev/null & gzip -dc "$RECORDS_GZ" > /dev/null && wait $!`},
		{name: "gzip -dc > file", shell: `gzip -dc "$RECORDS_GZ" > "$OUTPUT"`},
		{name: "gzip -dc | cat > file", shell: `gzip -dc "$RECORDS_GZ" | cat > "$OUTPUT"`, isFloor: true},
		{name: "gzip -dc | mithril-stream > file", shell: `gzip -dc "$RECORDS_GZ" | ` + program + ` -q > "$OUTPUT"`},
		{name: "the same with --index, a new one", shell: `gzip -dc "$RECORDS_GZ" | ` + program + ` -q --index "$INDEX" > "$OUTPUT"`,
			before: `rm -rf "$INDEX"`},
	}
	return c.inTurns(out, w, "The pipe", "zcat", commands, false)
}

type gzCommand struct{ common }

// Run measures compressed files at both ends, against the fastest tool that knows nothing of
// records.
func (c gzCommand) Run(out io.Writer, w workplace) error {
	if _, err := exec.LookPath("pigz"); err != nil {
		fmt.Fprintf(out, "pigz is not installed: compressed files at both ends are not measured.\n\n")
		return nil
	}
	program := c.program()
	commands := []command{
		{name: "pigz -dc | pigz > file.gz", shell: `pigz -dc "$RECORDS_GZ" | pigz -c > "$OUTPUT.gz"`},
		{name: "mithril-stream -o file.gz", shell: program + ` -q "$RECORDS_GZ" -o "$OUTPUT.gz"`},
	}
	return c.inTurns(out, w, "Compressed files at both ends", "gz", commands, true)
}

// inTurns measures commands on each file, against the first of them, and tells how large the file
// is that each leaves, if asked to.
func (c common) inTurns(out io.Writer, w workplace, title, raw string, commands []command, sizes bool) error {
	peers, err := c.peers()
	if err != nil {
		return err
	}
	commands = append(commands, peers...)
	for i, path := range c.Records {
		d, err := w.load(path)
		if err != nil {
			return err
		}
		samples, err := measure(commands, d.env(), c.Rounds)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s, %s; medians of %d runs in turns, load average %s:\n\n", title, d, c.Rounds, loadAverage())
		header := []string{"command", "wall, s", "CPU, s", "wall over the first", "CPU over the first"}
		floor := slices.IndexFunc(commands, func(c command) bool { return c.isFloor })
		if floor >= 0 {
			header = append(header, "wall over "+commands[floor].name)
		}
		t := markdown.New(header...)
		for i, command := range commands {
			wall, cpu := median(samples[i]).seconds()
			row := []any{command.name, wall, cpu, compare(samples[i], samples[0], wallOf),
				compare(samples[i], samples[0], cpuOf)}
			if floor >= 0 {
				row = append(row, compare(samples[i], samples[floor], wallOf))
			}
			t.Add(row...)
		}
		t.Write(out)
		if sizes {
			if err := writeSizes(out, d, commands); err != nil {
				return err
			}
		}
		if err := c.keepSamples(fmt.Sprintf("%s-%d", raw, i), commands, samples); err != nil {
			return err
		}
	}
	return nil
}

// writeSizes tells how large the compressed output of each command is.
func writeSizes(out io.Writer, d data, commands []command) error {
	for _, command := range commands {
		if _, err := run(command, d.env()); err != nil {
			return err
		}
		info, err := os.Stat(d.output + ".gz")
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s leaves %.2f MB.\n", command.name, float64(info.Size())/1e6)
	}
	fmt.Fprintln(out)
	return nil
}
