package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/recipe"
	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

type largeCommand struct {
	common
	Bytes float64 `default:"8e9" help:"Size of the index."`
	Fill  int     `default:"10000000" help:"Records in it. By default enough that hardly a line of an index of 8 GB is empty; full it holds ten times as many."`
}

var defaultLarge = largeCommand{Bytes: 8e9, Fill: 10_000_000}

// Run measures the pipe with a large index on disk, from where that is open, and what of it is
// closing it.
func (c largeCommand) Run(out io.Writer, w workplace) error {
	program := c.program()
	full, options, err := c.fill(w, program)
	if err != nil {
		return err
	}
	// A run appends to the log and leaves the filters on disk as they are: they need not be copied
	// for each.
	again := fmt.Sprintf(`rm -rf "$OUTPUT" "$INDEX"; cp -al %[1]s "$INDEX"; for f in MANIFEST LOCK $(cd %[1]s; ls | grep ^log); do cp --remove-destination %[1]s/$f "$INDEX"/; done`,
		quote(full))
	filter := command{shell: program + ` -q --index "$INDEX"` + options + ` > "$OUTPUT"`, before: again}
	feeds := []string{`gzip -dc "$RECORDS_GZ"`, "true"}
	commands := []command{
		{name: "gzip -dc > /dev/null", shell: feeds[0] + " > /dev/null"},
		{name: "gzip -dc | mithril-stream --index > file, from where the index is open",
			shell: feeds[0] + " | " + filter.shell},
		{name: "the same without records: closing the index", shell: feeds[1] + " | " + filter.shell},
	}
	for i, path := range c.Records {
		d, err := w.load(path)
		if err != nil {
			return err
		}
		samples, err := takeTurns(len(commands), c.Rounds, func(at int) (sample, error) {
			if at == 0 {
				return run(commands[at], d.env())
			}
			return runBehindFirst(feeds[at-1], filter, d)
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "An index of %.1f GB with %d records on disk, %s; medians of %d runs in turns, "+
			"load average %s:\n\n", c.Bytes/1e9, c.Fill, d, c.Rounds, loadAverage())
		t := markdown.New("command", "wall, s", "wall over the first")
		for i, command := range commands {
			t.Add(command.name, middle(samples[i], wallOf).Seconds(), compare(samples[i], samples[0], wallOf))
		}
		t.Write(out)
		if err := c.keepSamples(fmt.Sprintf("large-%d", i), commands, samples); err != nil {
			return err
		}
	}
	return nil
}

// firstRecord is like no other.
const firstRecord = `{"id":"first","text":"nothing but this one record is read before the clock starts to run"}` + "\n"

// runBehindFirst has the filter copy one record and then what the feed writes to $OUTPUT. It
// measures the wall time from where the first record is through to the filter's end.
func runBehindFirst(feed string, filter command, d data) (sample, error) {
	if _, err := run(command{shell: filter.before}, d.env()); err != nil {
		return sample{}, err
	}
	in, pipe, err := os.Pipe()
	if err != nil {
		return sample{}, err
	}
	var fromReader, fromWriter bytes.Buffer
	reader, writer := inShell(filter.shell, d.env(), &fromReader), inShell(feed, d.env(), &fromWriter)
	reader.Stdin, writer.Stdout = in, pipe
	if err := errors.Join(reader.Start(), in.Close()); err != nil {
		return sample{}, errors.Join(err, pipe.Close())
	}
	ended := make(chan error, 1)
	go func() { ended <- reader.Wait() }()
	if err = firstThrough(pipe, d.output, ended); err != nil {
		return sample{}, errors.Join(fmt.Errorf("%s: %w: %s", filter.shell, err, fromReader.String()), pipe.Close())
	}
	started := time.Now()
	err = errors.Join(writer.Run(), pipe.Close(), <-ended)
	wall := time.Since(started)
	if err != nil {
		return sample{}, fmt.Errorf("%s | %s: %w: %s%s", feed, filter.shell, err, fromWriter.String(),
			fromReader.String())
	}
	return sample{wall: wall}, nil
}

// firstThrough writes the first record and waits until it is in the file.
func firstThrough(pipe *os.File, path string, ended <-chan error) error {
	early := errors.New("it ended before a record came through")
	if _, err := pipe.WriteString(firstRecord); err != nil {
		return errors.Join(early, err, <-ended)
	}
	for {
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			return nil
		}
		select {
		case err := <-ended:
			return errors.Join(early, err)
		case <-time.After(time.Millisecond):
		}
	}
}

// fill makes an index that the program will open with the options that are returned. The keys are
// random.
func (c largeCommand) fill(w workplace, program string) (dir, options string, err error) {
	r, err := recipe.New(nil)
	if err != nil {
		return "", "", err
	}
	params, err := recipe.OfSize(r.Index, r.Sketcher.Params().Rows, c.Bytes)
	if err != nil {
		return "", "", err
	}
	dir, options = filepath.Join(string(w), "large"), fmt.Sprintf(" --capacity %d", params.Capacity)
	if _, err := run(command{shell: program + " -q --index " + quote(dir) + options +
		" < /dev/null"}, nil); err != nil {
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
	if err := recipe.Fill(store, params.Bands, c.Fill, rand.NewPCG(3, 3)); err != nil {
		return "", "", err
	}
	if err := errors.Join(store.Commit(description.Committed), store.Close()); err != nil {
		return "", "", err
	}
	return dir, options, bloomlsh.Compact(dir, bloomlsh.Undo{})
}
