// Command inflate measures the program on gzip files by their names beside the same through zcat.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./inflate FILE.jsonl
package main

import (
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
)

func main() {
	binary := program.Flag()
	rounds := flag.Int("rounds", 11, "how often each way is run")
	program.Main(1, "inflate [-program PROGRAM] [-rounds N] FILE", func(dir string) error {
		return measure(*binary, flag.Arg(0), dir, *rounds)
	})
}

func measure(binary, path, dir string, rounds int) error {
	a, b := filepath.Join(dir, "a.gz"), filepath.Join(dir, "b.gz")
	const make = `split -n l/2 "$1" "$2/part." && gzip -c "$2/part.aa" > "$2/a.gz" && gzip -c "$2/part.ab" > "$2/b.gz"`
	if out, err := exec.Command("sh", "-c", make, "sh", path, dir).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	ways := []string{
		fmt.Sprintf("zcat %s %s | %s -q > /dev/null", a, b, binary),
		fmt.Sprintf("%s -q %s %s > /dev/null", binary, a, b),
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
