package index

import (
	_ "github.com/mithril-stream/mithril-stream/internal/needsunix64"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// Environment is what an index takes from the system it runs on.
type Environment struct {
	Free   func(*store.Dir) (uint64, error) // bytes that files can still take
	MinLog int64                            // a log up to this length is never folded
	// Frame is the longest payload of a frame of entries, if one record fits into it; at most
	// MostFrame.
	Frame int
	// DirectFrom is the length from which on sealed files are read past the page cache, where that
	// can be done: it costs memory, and time to clear that memory, for something that is read once.
	// Smaller ones are likely to be read again before their memory is wanted for something else.
	DirectFrom int64
}

// MostFrame is the longest payload of a frame of entries in the log of the commits, in bytes.
const MostFrame = 1 << 20

// System is the environment of a program.
var System = Environment{(*store.Dir).Free, 512 << 20, MostFrame, 256 << 20}
