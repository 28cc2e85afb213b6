package run

import (
	"errors"
	"io"

	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/compress"
	"github.com/mithril-stream/mithril-stream/stream/object"
)

// damageLook is how far damage is looked for in a file whose first records cannot be read, after
// decompression.
const damageLook = 64 << 20

// damageBehind looks for the damage of a compressed file that may be why its first records cannot
// be read: gzip, zstd and xz tell only in the end that what they have given out is wrong, and the
// run has stopped before. It returns nil if there is none, or the input cannot be read again.
func (f *Run) damageBehind(unreadable *stream.UnreadableError) error {
	for _, path := range f.Paths {
		if object.Name(path) != unreadable.First.Input {
			continue
		}
		if !object.IsRemote(path) && !areRegular(path) {
			return nil
		}
		in, err := f.Std.Open(path)
		if err == nil {
			_, err = io.CopyN(io.Discard, in, damageLook)
			in.Close()
		}
		if damage := (*compress.DamageError)(nil); errors.As(err, &damage) {
			return damage
		}
		return nil
	}
	return nil
}
