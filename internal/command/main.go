package command

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/collector"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
)

// Main is the program. It does what the arguments say, and exits with the resulting code.
func Main() {
	// Writing to a closed pipe must return an error, so that the program can end in order.
	signal.Ignore(syscall.SIGPIPE)
	// The HTTP library logs there what servers do wrong, although it copes with that.
	log.SetOutput(io.Discard)
	abortOnCrash()
	ctx, stop := signalContext()
	defer stop()

	streams := files.Standard()
	said := &saying{to: streams.Out.Said()}
	madeBy := func(asked config.RuleQuestion) ([]string, error) {
		return run.MadeBy(asked.Index, reading(ctx, streams, asked.Quiet, 0, asked.Remote))
	}
	parsed, named, err := config.ParseFiles(os.Args[1:], files.Version(), said, madeBy)
	if errors.Is(err, config.ErrStop) && said.err != nil {
		err = said.err
	}
	if _, isKafka := parsed.(*config.Kafka); isKafka {
		collector.Restore()
	}
	if err == nil {
		streams.Read, streams.ReadIn = named.Read, named.ReadIn
		err = files.RefuseToMix(nil, named.Outputs(), streams)
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

// saying writes help. It keeps the error of a failed write, which the parser of the command line
// does not.
type saying struct {
	to  io.Writer
	err error
}

// Write returns the error of the first write that failed.
func (s *saying) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.to.Write(p)
	s.err = err
	return n, err
}
