// Command remote measures what it costs to read from a server on this machine instead of a file:
// from a web server, which sends files with ranges, as a bucket does, and from a Hub, which leads
// to a store of large files. The servers take part of the two cores.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./remote FILE.jsonl
//
// With -columns it measures what commands fetch of a Parquet file that has the records of
// FILE.jsonl and a wide column that they do not need: by one program, or by two, the first of which
// is the baseline.
//
//	go run ./remote -columns [-before PROGRAM] FILE.jsonl
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
	"github.com/mithril-stream/mithril-stream/internal/hftest"
)

func main() {
	binary := program.Flag()
	rounds := flag.Int("rounds", 9, "how often each way is run")
	columns := flag.Bool("columns", false, "measure what is fetched of a Parquet file")
	before := flag.String("before", "", "with -columns: the program to compare with")
	usage := "remote [-program PROGRAM] [-rounds N] [-columns [-before PROGRAM]] FILE"
	program.Main(1, usage, func(dir string) error {
		switch {
		case !*columns:
			return measure(*binary, flag.Arg(0), *rounds)
		case *before != "":
			return measureColumns([]string{*before, *binary}, flag.Arg(0), dir, *rounds)
		}
		return measureColumns([]string{*binary}, flag.Arg(0), dir, *rounds)
	})
}

func measure(binary, path string, rounds int) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	go http.Serve(listener, http.FileServer(http.Dir(filepath.Dir(path))))
	body, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	hub, name := hftest.Start(), filepath.Base(path)
	defer hub.Close()
	hub.Commit("bench/set", "main", map[string][]byte{name: body})
	ways := []struct{ name, environment, input string }{
		{"file", "", path},
		{"server", "", fmt.Sprintf("http://%s/%s", listener.Addr(), name)},
		{"hub", "HF_TOKEN= HF_HOME=/none HF_ENDPOINT=" + hub.URL, "hf://datasets/bench/set/" + name},
	}
	commands := make([]string, len(ways))
	for i, way := range ways {
		commands[i] = fmt.Sprintf("%s %s -q -o /dev/null %s", way.environment, binary, way.input)
	}
	seconds, ratios, fastest, err := turns.Wall(commands, rounds)
	if err != nil {
		return err
	}
	fmt.Printf("%d bytes, medians of %d turns\n\n", len(body), rounds)
	fmt.Println("| | seconds | throughput over that of the file | the same of the fastest turns |")
	fmt.Println("|---|---|---|---|")
	for i, way := range ways {
		fmt.Printf("| %s | %.3f | %.2f | %.2f |\n", way.name, seconds[i], ratios[i], fastest[i])
	}
	return nil
}
