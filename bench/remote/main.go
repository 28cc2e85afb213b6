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
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/bench/turns"
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
	commands := make([]string, len(ways))
	for i, way := range ways {
		commands[i] = fmt.Sprintf("%s -q -o /dev/null %s", program, way)
	}
	seconds, ratios, fastest, err := turns.Wall(commands, rounds)
	if err != nil {
		return err
	}
	fmt.Printf("file   %.3f s\nserver %.3f s\n", seconds[0], seconds[1])
	fmt.Printf("throughput of the server over that of the file %.2f (median of %d turns), fastest %.2f\n",
		ratios[1], rounds, fastest[1])
	return nil
}
