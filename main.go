// Mithril-stream is a Unix filter that removes near-duplicate records from a stream.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/mithril-stream/mithril-stream/command"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/files"
	_ "github.com/mithril-stream/mithril-stream/internal/addresses"
	_ "github.com/mithril-stream/mithril-stream/internal/descriptors" // before anything is opened
)

func main() {
	// A closed pipe is to be an error of a write, so that there is a chance to end in order.
	signal.Ignore(syscall.SIGPIPE)
	command.AbortOnCrash()
	ctx, stop := command.SignalContext()
	defer stop()

	streams := files.Standard()
	parsed, err := config.Parse(os.Args[1:], files.Version(), os.Stdout)
	if err == nil {
		err = command.Run(ctx, parsed, streams)
	}
	code, message := command.Outcome(err, os.Args[1:])
	if message != "" {
		fmt.Fprintln(os.Stderr, "mithril-stream: "+message)
	}
	os.Exit(code)
}
