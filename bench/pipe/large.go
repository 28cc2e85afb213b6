package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/mithril-stream/mithril-stream/bench/markdown"
	"github.com/mithril-stream/mithril-stream/bench/recipe"
	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

type largeCommand struct {
	common
	Bytes float64 `default:"8e9" help:"Size of the index."`
	Fill  int     `default:"10000000" help:"Records in it. By default so many that hardly a line of an index of 8 GB is empty; full it holds ten times as many."`
}

var defaultLarge = largeCommand{Bytes: 8e9, Fill: 10_000_000}

// Run measures the pipe with a large index on disk, and what of that is opening and closing it.
func (c largeCommand) Run(out io.Writer, w workplace) error {
	program, err := c.program()
	if err != nil {
		return err
	}
	full, options, err := c.fill(w, program)
	if err != nil {
		return err
	}
	// A run appends to the log and leaves the filters on disk as they are: they need not be copied for each.
	index := filepath.Join(string(w), "large-copy")
	again := fmt.Sprintf("rm -rf %[2]s; cp -al %[1]s %[2]s; for f in MANIFEST LOCK $(cd %[1]s; ls | grep ^log); do cp --remove-destination %[1]s/$f %[2]s/; done",
		quote(full), quote(index))
	with := program + " -q --index " + quote(index) + options
	commands := []command{
		{name: "gzip -dc > /dev/null", shell: `gzip -dc "$RECORDS_GZ" > /dev/null`},
		{name: "gzip -dc | mithril-stream --index > file", shell: `gzip -dc "$RECORDS_GZ" | ` + with + ` > "$OUTPUT"`, before: again},
		{name: "mithril-stream --index, no input", shell: with + ` < /dev/null > "$OUTPUT"`, before: again},
	}
	for i, path := range c.Records {
		d, err := w.load(path)
		if err != nil {
			return err
		}
		samples, err := measure(commands, d.env(), c.Rounds)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "An index of %.1f GB with %d records on disk, %s; medians of %d runs in turns, load average %s:\n\n", c.Bytes/1e9, c.Fill, d, c.Rounds, loadAverage())
		t := markdown.New("command", "wall, s", "CPU, s", "wall over the first")
		for i, command := range commands {
			seconds, cpu := median(samples[i]).seconds()
			t.Add(command.name, seconds, cpu, compare(samples[i], samples[0], wallOf))
		}
		// The least of the differences would be that of the luckiest round.
		rest := compare(less(samples[1], samples[2]), samples[0], wallOf)
		rest.fastest = float64(fastest(samples[1], wallOf)-fastest(samples[2], wallOf)) / float64(fastest(samples[0], wallOf))
		t.Add("the second less the third", "", "", rest)
		t.Write(out)
		if err := c.keepSamples(fmt.Sprintf("large-%d", i), commands, samples); err != nil {
			return err
		}
	}
	return nil
}

// less takes the times of one command from those of another, round by round.
func less(from, samples []sample) []sample {
	rest := slices.Clone(from)
	for i, s := range samples {
		rest[i].wall -= s.wall
		rest[i].cpu -= s.cpu
	}
	return rest
}

// fill makes an index that the program will open with the options that are returned. The keys are random.
func (c largeCommand) fill(w workplace, program string) (dir, options string, err error) {
	r, err := recipe.New(nil)
	if err != nil {
		return "", "", err
	}
	params, err := paramsOfSize(r, c.Bytes)
	if err != nil {
		return "", "", err
	}
	dir, options = filepath.Join(string(w), "large"), fmt.Sprintf(" --capacity %d", params.Capacity)
	if _, err := run(command{shell: program + " -q --index " + quote(dir) + options + " < /dev/null"}, nil); err != nil {
		return "", "", err
	}
	description, err := bloomlsh.Verify(dir)
	if err != nil {
		return "", "", err
	}
	own := slices.IndexFunc(description.Parameters, func(p bloomlsh.Parameter) bool { return p.Name == "bands" })
	store, err := bloomlsh.Open(dir, params, description.Parameters[:own])
	if err != nil {
		return "", "", err
	}
	rng := rand.New(rand.NewPCG(3, 3))
	keys := make([]bloomlsh.Key, params.Bands)
	for range c.Fill {
		for i := range keys {
			keys[i] = bloomlsh.Key{Hi: rng.Uint64(), Lo: rng.Uint64()}
		}
		if _, err := store.Observe(keys); err != nil {
			return "", "", err
		}
	}
	if err := store.Commit(description.Committed); err != nil {
		return "", "", err
	}
	if err := store.Close(); err != nil {
		return "", "", err
	}
	return dir, options, bloomlsh.Compact(dir)
}
