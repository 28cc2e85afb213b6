// Command inflate measures the program on gzip files by their names beside the same through zcat.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./inflate FILE.jsonl
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/bench/turns"
)

func main() {
	log.SetFlags(0)
	program := flag.String("program", "../bin/mithril-stream", "what to measure")
	rounds := flag.Int("rounds", 11, "how often each way is run")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: inflate [-program PROGRAM] [-rounds N] FILE")
	}
	if err := measure(*program, flag.Arg(0), *rounds); err != nil {
		log.Fatal(err)
	}
}

func measure(program, path string, rounds int) (err error) {
	dir, err := os.MkdirTemp("", "mithril-inflate")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	a, b := filepath.Join(dir, "a.gz"), filepath.Join(dir, "b.gz")
	const make = `split -n l/2 "$1" "$2/part." && gzip -c "$2/part.aa" > "$2/a.gz" && gzip -c "$2/part.ab" > "$2/b.gz"`
	if out, err := exec.Command("sh", "-c", make, "sh", path, dir).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	ways := []string{
		fmt.Sprintf("zcat %s %s | %s -q > /dev/null", a, b, program),
		fmt.Sprintf("%s -q %s %s > /dev/null", program, a, b),
	}
	seconds, ratios, fastest, err := turns.Wall(ways, rounds)
	if err != nil {
		return err
	}
	fmt.Printf("zcat   %.3f s\nby name %.3f s\n", seconds[0], seconds[1])
	fmt.Printf("by name over zcat %.2f times as fast (median of %d turns), fastest %.2f\n", ratios[1], rounds,
		fastest[1])
	return nil
}
