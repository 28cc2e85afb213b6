package compress

import (
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// DefaultMaxWindow is the largest window, in bytes, that the zstd program accepts by default. An xz
// stream of the highest level uses half of it as its dictionary.
const DefaultMaxWindow = 128 << 20

// A WindowError is returned if decompressing a stream takes more memory than allowed.
type WindowError struct {
	Format string
	Needed int64 // bytes; 0 if unknown
	Limit  int64
}

func (e *WindowError) Error() string {
	if e.Needed == 0 {
		return fmt.Sprintf("the %s stream takes a window of more than the %d MiB of --max-window: allow it more "+
			"if you trust it", e.Format, e.Limit>>20)
	}
	return fmt.Sprintf("the %s stream takes a window of %d MiB, more than the %d MiB of --max-window: give "+
		"--max-window %dMiB if you trust it", e.Format, e.Needed>>20, e.Limit>>20, e.Needed>>20)
}

// windowError converts a zstd error about the window to a WindowError, and returns nil for others.
// head is the beginning of the stream.
func windowError(err error, head []byte, most int64) error {
	if refused := (*WindowError)(nil); errors.As(err, &refused) {
		return refused
	}
	if !errors.Is(err, zstd.ErrWindowSizeExceeded) && !errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return nil
	}
	asked := zstdWindow(head)
	if asked <= most {
		asked = 0 // the error is about a later frame
	}
	return &WindowError{Format: "zstd", Needed: asked, Limit: most}
}

// zstdWindow returns the window of the first frame, or 0.
func zstdWindow(head []byte) int64 {
	var h zstd.Header
	for h.Decode(head) == nil {
		if !h.Skippable {
			return int64(h.WindowSize)
		}
		if int64(h.SkippableSize)+8 >= int64(len(head)) {
			break
		}
		head = head[h.SkippableSize+8:]
	}
	return 0
}
