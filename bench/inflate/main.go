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
	"slices"
	"time"
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
	seconds := [2][]float64{}
	var ratios []float64
	for range rounds {
		for i, way := range ways {
			began := time.Now()
			cmd := exec.Command("sh", "-c", way)
			cmd.Stderr = os.Stderr
			if err := cmd.Run(); err != nil {
				return err
			}
			seconds[i] = append(seconds[i], time.Since(began).Seconds())
		}
		ratios = append(ratios, seconds[0][len(ratios)]/seconds[1][len(ratios)])
	}
	fmt.Printf("zcat   %.3f s\nby name %.3f s\n", median(seconds[0]), median(seconds[1]))
	fmt.Printf("by name over zcat %.2f times as fast (median of %d turns), fastest %.2f\n", median(ratios), rounds,
		slices.Min(seconds[0])/slices.Min(seconds[1]))
	return nil
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
