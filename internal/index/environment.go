package index

import (
	_ "github.com/mithril-stream/mithril-stream/internal/needsunix64"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// Environment describes the system that an index runs on.
type Environment struct {
	Free   func(*store.Dir) (uint64, error) // returns the number of bytes that files can still take
	MinLog int64                            // logs up to this length are never folded
	// Frame is the maximum payload of a frame of entries, unless a single record is longer; at most
	// MostFrame.
	Frame int
	// DirectFrom is the length from which sealed files are read past the page cache, if possible.
	// Caching a file costs memory, and time to clear that memory, and a large file is read only
	// once. A smaller one is likely to be read again before its memory is needed.
	DirectFrom int64
}

// MostFrame is the maximum payload of a frame of entries in the log of commits, in bytes.
const MostFrame = 1 << 20

// System is the environment used in production.
var System = Environment{(*store.Dir).Free, 512 << 20, MostFrame, 256 << 20}
