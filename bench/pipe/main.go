// Pipe measures how fast mithril-stream is and how much memory it takes, on generated records and
// on a file of the user's.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./pipe all --records crawl.jsonl
//
// Every speed is measured beside a baseline in the same run: the commands take turns, and what
// counts is the ratio.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"
)

type cli struct {
	All     allCommand     `cmd:"" help:"All of the following, in this order."`
	Speed   speedCommand   `cmd:"" help:"Records a second on one core, on 2 KB English records."`
	Zcat    zcatCommand    `cmd:"" help:"gzip -dc FILE.gz | mithril-stream, against gzip -dc FILE.gz alone."`
	Gz      gzCommand      `cmd:"" help:"mithril-stream FILE.gz -o UNIQUE.gz, against pigz -dc FILE.gz | pigz."`
	Start   startCommand   `cmd:"" help:"Start to the first record out, and how long one record takes through a slow pipe."`
	Size    sizeCommand    `cmd:"" help:"What a record costs with an index of 64 MB, 1 GB and 8 GB."`
	Cores   coresCommand   `cmd:"" help:"Two cores against one."`
	Memory  memoryCommand  `cmd:"" help:"Allocations a record, and peak memory beyond the index."`
	English englishCommand `cmd:"" help:"Write the generated records to standard output."`
}

// common is what the measurements share.
type common struct {
	Program string   `default:"../bin/mithril-stream" help:"The program to run."`
	Records []string `placeholder:"FILE" help:"JSON Lines to measure on; repeat it for several."`
	Count   int      `default:"100000" help:"Generated records."`
	Rounds  int      `default:"9" help:"Runs of each command."`
	Keep    string   `placeholder:"DIR" help:"Write the raw measurements here."`
	Peer    []string `sep:"none" placeholder:"NAME=COMMAND" help:"Measure this shell command as well. It finds the file as $$RECORDS, compressed as $$RECORDS_GZ."`
}

func main() {
	var c cli
	ctx := kong.Parse(&c, kong.Name("pipe"), kong.UsageOnError())
	ctx.BindTo(os.Stdout, (*io.Writer)(nil))
	dir, err := os.MkdirTemp("", "mithril-bench")
	ctx.FatalIfErrorf(err)
	err = ctx.Run(workplace(dir))
	os.RemoveAll(dir)
	ctx.FatalIfErrorf(err)
}

// workplace is a folder for files that are gone when the benchmark ends.
type workplace string

type allCommand struct{ common }

func (c allCommand) Run(out io.Writer, w workplace) error {
	if err := c.writeEnvironment(out); err != nil {
		return err
	}
	var errs []error // one failure does not hide what the others find
	for _, run := range []func(io.Writer, workplace) error{
		zcatCommand(c).Run, gzCommand(c).Run, speedCommand(c).Run, coresCommand(c).Run,
		sizeCommand{c.common, defaultSizes}.Run, startCommand(c).Run, memoryCommand(c).Run,
	} {
		errs = append(errs, run(out, w))
	}
	return errors.Join(errs...)
}

// eachFile calls visit with the generated records, which are file 0, and with each file of the
// user's.
func (c common) eachFile(w workplace, visit func(i int, d data) error) error {
	generated, err := w.english(c.Count)
	if err != nil {
		return err
	}
	for i, path := range append([]string{generated}, c.Records...) {
		d, err := w.load(path)
		if err == nil {
			err = visit(i, d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Validate is called by kong.
func (c common) Validate() error {
	if _, err := os.Stat(c.Program); err != nil {
		return fmt.Errorf("%w: build it first (go -C .. build -o bin/mithril-stream .), or name it with --program", err)
	}
	return nil
}

// program is the program's path, quoted for the shell.
func (c common) program() string {
	path, err := filepath.Abs(c.Program)
	if err != nil {
		path = c.Program
	}
	return quote(path)
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// peers are the commands that the user wants to see beside ours.
func (c common) peers() ([]command, error) {
	var peers []command
	for _, p := range c.Peer {
		name, shell, ok := strings.Cut(p, "=")
		if !ok || name == "" || shell == "" {
			return nil, fmt.Errorf("--peer %q: write NAME=COMMAND", p)
		}
		peers = append(peers, command{name: name, shell: shell})
	}
	return peers, nil
}
