package jsontext

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// AppendQuoted appends text to dst as a JSON string (RFC 8259 §7). What is not UTF-8 becomes
// U+FFFD.
func AppendQuoted(dst, text []byte) []byte {
	if !utf8.Valid(text) {
		text = []byte(string([]rune(string(text))))
	}
	return AppendQuotedBytes(dst, text)
}

// AppendQuotedBytes is AppendQuoted for text that is UTF-8, or is checked afterwards: other bytes
// are copied.
func AppendQuotedBytes(dst, text []byte) []byte {
	dst = append(dst, '"')
	plain := 0 // text[plain:i] needs no change
	for i := 0; i < len(text); {
		c := text[i]
		i++
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, text[plain:i-1]...)
		dst = AppendEscaped(dst, c)
		plain = i
	}
	return append(append(dst, text[plain:]...), '"')
}

// AppendEscaped writes a byte that has to be escaped in a JSON string.
func AppendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// AppendEmbedded writes JSON unchanged, on one line, so that what was made a column of JSON is
// restored. Other values become strings.
func AppendEmbedded(dst, value []byte) []byte {
	switch {
	case !json.Valid(value) || !utf8.Valid(value):
		return AppendQuotedBytes(dst, value)
	case bytes.ContainsAny(value, "\n\r"):
		oneLine := bytes.NewBuffer(dst)
		_ = json.Compact(oneLine, value) // it is valid
		return oneLine.Bytes()
	}
	return append(dst, value...)
}
