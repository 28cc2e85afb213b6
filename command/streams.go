package command

import (
	"context"
	"io"
	"os"
	"runtime/debug"

	"github.com/mithril-stream/mithril-stream/stream/object"
)

// Streams are what the program has from its process: the standard streams, and cores.
type Streams struct {
	In, Out, Err *os.File
	Cores        *cores
	Args         []string // the command line, for a report

	// bytes of the window of a compressed input; 0 for the default
	maxWindow int64
	objects   *object.Client // reads what is on other machines
	// of --field auto, by the first input: what is read several times is looked at once
	fieldsFound map[string]string
	first       *stdin // In, if its first bytes may be looked at before they are read; else nil
}

// reader is standard input as it is to be read.
func (s Streams) reader() io.ReadCloser {
	if s.first != nil {
		return s.first
	}
	return s.In
}

// StandardStreams are those of the process. A pipe that we read from is made larger at once, so
// that its writer has something to do while we prepare.
func StandardStreams() Streams {
	widen(os.Stdin)
	return Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Cores: allCores(), Args: os.Args}
}

// reading says how inputs are read: with windows of so many bytes, and with which servers of
// objects.
func (s Streams) reading(ctx context.Context, maxWindow int64, remote object.Options) Streams {
	s.maxWindow, s.fieldsFound = maxWindow, map[string]string{}
	s.objects = object.NewClient(ctx, remote)
	return s
}

// threads is how many goroutines do a piece of work: what the user has asked for, or one a core.
func (s Streams) threads(asked int) int {
	if asked > 0 {
		return asked
	}
	return s.Cores.count()
}

// Version is the version of the module that the program was built from.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
