package files

import (
	"context"
	"io"
	"os"

	"github.com/mithril-stream/mithril-stream/internal/charset"
	"github.com/mithril-stream/mithril-stream/internal/object"
)

// Streams are what the program has from its process: the standard streams, and cores.
type Streams struct {
	In, Err *os.File
	Out     Stdout
	Cores   *Cores
	Args    []string // the command line, for a report
	// Read are files that the command line says are read, whatever for, and ReadIn are directories
	// of such files: nothing is written over them.
	Read, ReadIn []string

	InputAccess
}

// InputAccess is how inputs are read, and how far they have been.
type InputAccess struct {
	// bytes of the window of a compressed input; 0 for the default
	MaxWindow int64
	Text      *charset.Decoding // what inputs are, if they are not UTF-8 already; else nil
	Objects   *object.Client    // reads what is on other machines
	Selection *Selection        // of the files in directories
	First     *Stdin            // In, if its first bytes may be looked at before they are read; else nil
	kept      string            // the file that In is kept in, to be read twice; or empty
	Positions *ReadPositions    // how far inputs have been read; nil if nobody asks
	archives  *archives         // those among the inputs
}

// Reader is standard input as it is to be read.
func (s Streams) Reader() io.ReadCloser {
	if s.First != nil {
		return s.First
	}
	return s.In
}

// Standard are the streams of the process. A pipe that we read from is made larger at once, so
// that its writer has something to do while we prepare.
func Standard() Streams {
	widen(os.Stdin)
	return Streams{
		In: os.Stdin, Out: StdoutOf(os.Stdout), Err: os.Stderr, Cores: allCores(), Args: os.Args,
		InputAccess: InputAccess{Positions: &ReadPositions{}, archives: &archives{}},
	}
}

// Reading returns streams that read inputs with windows of at most maxWindow bytes, and with these
// servers of objects.
func (s Streams) Reading(ctx context.Context, maxWindow int64, remote object.Options) Streams {
	s.MaxWindow = maxWindow
	s.Objects = object.NewClient(ctx, remote)
	return s
}

// Threads is how many goroutines do a piece of work: what the user has asked for, or one a core.
func (s Streams) Threads(asked int) int {
	if asked > 0 {
		return asked
	}
	return s.Cores.Count()
}
