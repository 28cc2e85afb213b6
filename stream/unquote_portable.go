//go:build !((amd64 || arm64) && !go1.28)

package stream

import "github.com/bytedance/sonic/unquote"

// appendUnquoted appends the text that the inside of a JSON string stands for. A lone surrogate escape becomes U+FFFD;
// bytes that are not UTF-8 stay as they are. ok is false if an escape is malformed.
func appendUnquoted(dst, raw []byte) (_ []byte, ok bool) {
	text, err := unquote.String(string(raw))
	return append(dst, text...), err == 0
}
