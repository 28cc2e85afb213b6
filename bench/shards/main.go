// Command shards measures what it costs to read and to write shards instead of one file: a file of
// JSON Lines, and the same records in several files that are written under their names again.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./shards FILE.jsonl
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
)

func main() {
	binary := program.Flag()
	rounds := flag.Int("rounds", 9, "how often each way is run")
	shards := flag.Int("shards", 8, "how many files there are")
	size := flag.Int64("size", 50_000_000, "bytes of each, at least")
	program.Main(1, "shards [-program PROGRAM] [-rounds N] [-shards N] [-size BYTES] FILE", func(dir string) error {
		return measure(*binary, flag.Arg(0), dir, *rounds, *shards, *size)
	})
}

func measure(binary, path, dir string, rounds, shards int, size int64) error {
	one, many := filepath.Join(dir, "one.jsonl"), filepath.Join(dir, "many")
	if err := os.Mkdir(many, 0o777); err != nil {
		return err
	}
	if err := divide(path, one, many, shards, size); err != nil {
		return err
	}
	ways := []string{
		fmt.Sprintf("%s -q -o %s/kept.jsonl %s", binary, dir, one),
		fmt.Sprintf("%s -q --output-dir %s/kept %s", binary, dir, many),
		fmt.Sprintf("%s -q --output-dir %s/parts --shard-size %d %s", binary, dir, size, many),
	}
	seconds, ratios, fastest, err := turns.Wall(ways, rounds)
	if err != nil {
		return err
	}
	for i, name := range []string{"one file", "a file for each input", "parts of the size of inputs"} {
		fmt.Printf("%-28s %.3f s, throughput over that of one file %.2f (median of %d turns), fastest %.2f\n", name,
			seconds[i], ratios[i], rounds, fastest[i])
	}
	return nil
}

// divide writes shards of a file, which is read again from its beginning where it ends, and all of
// them to one.
func divide(path, one, many string, shards int, size int64) (err error) {
	whole, err := os.Create(one)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, whole.Close()) }()
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	lines := bufio.NewReaderSize(in, 1<<20)
	for i := range shards {
		part, err := os.Create(filepath.Join(many, fmt.Sprintf("%03d.jsonl", i)))
		if err != nil {
			return err
		}
		both := bufio.NewWriterSize(io.MultiWriter(part, whole), 1<<20)
		for written := int64(0); written < size; {
			line, err := lines.ReadBytes('\n')
			if err == io.EOF {
				if _, err = in.Seek(0, io.SeekStart); err == nil {
					lines.Reset(in)
				}
			}
			if err != nil {
				return errors.Join(err, part.Close())
			}
			both.Write(line)
			written += int64(len(line))
		}
		if err := errors.Join(both.Flush(), part.Close()); err != nil {
			return err
		}
	}
	return nil
}
