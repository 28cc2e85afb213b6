//go:build (amd64 || arm64) && !go1.28

package stream

import (
	"slices"
	"unsafe"

	"github.com/bytedance/sonic/unquote"
)

// appendUnquoted appends the text that the inside of a JSON string stands for. A lone surrogate escape becomes U+FFFD;
// bytes that are not UTF-8 stay as they are. ok is false if an escape is malformed.
//
// The build constraint is that of sonic's native code.
func appendUnquoted(dst, raw []byte) (_ []byte, ok bool) {
	dst = slices.Grow(dst, len(raw))
	tail := dst[len(dst):]
	if unquote.IntoBytes(unsafe.String(unsafe.SliceData(raw), len(raw)), &tail) != 0 {
		return dst, false
	}
	return dst[:len(dst)+len(tail)], true
}
