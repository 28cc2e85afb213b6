// Command remote measures what it costs to read from a web server on this machine instead of a
// file. The server sends files with ranges, as a bucket does, and takes part of the two cores.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./remote FILE.jsonl
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

func main() {
	log.SetFlags(0)
	program := flag.String("program", "../bin/mithril-stream", "what to measure")
	rounds := flag.Int("rounds", 9, "how often each way is run")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: remote [-program PROGRAM] [-rounds N] FILE")
	}
	if err := measure(*program, flag.Arg(0), *rounds); err != nil {
		log.Fatal(err)
	}
}

func measure(program, path string, rounds int) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	go http.Serve(listener, http.FileServer(http.Dir(filepath.Dir(path))))
	ways := []string{path, fmt.Sprintf("http://%s/%s", listener.Addr(), filepath.Base(path))}
	seconds := make([][]float64, len(ways))
	var ratios []float64
	for range rounds {
		for i, way := range ways {
			began := time.Now()
			cmd := exec.Command(program, "-q", "-o", os.DevNull, way)
			cmd.Stderr = os.Stderr
			if err := cmd.Run(); err != nil {
				return err
			}
			seconds[i] = append(seconds[i], time.Since(began).Seconds())
		}
		ratios = append(ratios, seconds[0][len(ratios)]/seconds[1][len(ratios)])
	}
	fmt.Printf("file   %.3f s\nserver %.3f s\n", median(seconds[0]), median(seconds[1]))
	fmt.Printf("throughput of the server over that of the file %.2f (median of %d turns), fastest %.2f\n",
		median(ratios), rounds, slices.Min(seconds[0])/slices.Min(seconds[1]))
	return nil
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
