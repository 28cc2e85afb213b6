package files

import (
	"context"
	"io"
	"os"

	"github.com/mithril-stream/mithril-stream/internal/charset"
	"github.com/mithril-stream/mithril-stream/internal/object"
)

// Streams contains what the program gets from its process: the standard streams, and cores.
type Streams struct {
	In, Err *os.File
	Out     Stdout
	Cores   *Cores
	Args    []string // the command line, for a report
	// Read lists files that are read according to the command line, for whatever purpose, and
	// ReadIn directories of such files. They are never overwritten.
	Read, ReadIn []string

	InputAccess
}

// InputAccess says how to read inputs, and how far they have been read.
type InputAccess struct {
	// maximum window of a compressed input, in bytes; 0 means the default
	MaxWindow int64
	Text      *charset.Decoding // converts inputs to UTF-8; nil leaves them as they are
	Objects   *object.Client    // accesses objects on other machines
	Selection *Selection        // of the files in directories
	First     *Stdin            // In, if its first bytes may be inspected before they are read; otherwise nil
	kept      string            // copy of In, to be read twice; or empty
	seen      seenInputs        // inputs that are read several times, as they were
	Positions *ReadPositions    // how far inputs have been read; nil if not needed
	archives  *archives         // archives among the inputs
}

// Reader returns the reader of standard input.
func (s Streams) Reader() io.ReadCloser {
	if s.First != nil {
		return s.First
	}
	return s.In
}

// Standard returns the streams of the process. It enlarges a pipe on standard input at once, so
// that its writer can continue while the program prepares.
func Standard() Streams {
	widen(os.Stdin)
	return Streams{
		In: os.Stdin, Out: StdoutOf(os.Stdout), Err: os.Stderr, Cores: allCores(), Args: os.Args,
		InputAccess: InputAccess{Positions: &ReadPositions{}, archives: &archives{}},
	}
}

// Reading returns streams that read inputs with windows of at most maxWindow bytes, and that access
// objects with the given options.
func (s Streams) Reading(ctx context.Context, maxWindow int64, remote object.Options) Streams {
	s.MaxWindow = maxWindow
	s.Objects = object.NewClient(ctx, remote)
	return s
}

// Threads returns the number of goroutines for a task: what the user has requested, or one per
// core.
func (s Streams) Threads(asked int) int {
	if asked > 0 {
		return asked
	}
	return s.Cores.Count()
}
