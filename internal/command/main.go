package command

import (
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/collector"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
)

// Main is the program: it does what the arguments say, and ends with the exit code of that.
func Main() {
	// A closed pipe is to be an error of a write, so that there is a chance to end in order.
	signal.Ignore(syscall.SIGPIPE)
	// The library for HTTP writes there what servers do wrong that it copes with.
	log.SetOutput(io.Discard)
	abortOnCrash()
	ctx, stop := signalContext()
	defer stop()

	streams := files.Standard()
	parsed, err := config.Parse(os.Args[1:], files.Version(), os.Stdout)
	if _, isKafka := parsed.(*config.Kafka); isKafka {
		collector.Restore()
	}
	if err == nil {
		err = Run(ctx, parsed, streams)
	}
	code, message := Outcome(err, os.Args[1:])
	if message != "" {
		fmt.Fprintln(os.Stderr, "mithril-stream: "+message)
	}
	os.Exit(code)
}
