package stream

import "github.com/mithril-stream/mithril-stream/internal/jsontext"

// AppendUnquoted appends to dst the text of a JSON string, given with its quotes, or nothing if it
// is not valid. A lone surrogate becomes U+FFFD; invalid UTF-8 is kept.
func AppendUnquoted(dst, value []byte) []byte { return jsontext.AppendUnquoted(dst, value) }

// AppendQuoted appends text to dst as a JSON string (RFC 8259 §7). What is not UTF-8 becomes
// U+FFFD.
func AppendQuoted(dst, text []byte) []byte { return jsontext.AppendQuoted(dst, text) }

// AppendQuotedBytes is AppendQuoted for text that is UTF-8, or is checked afterwards: other bytes
// are copied.
func AppendQuotedBytes(dst, text []byte) []byte { return jsontext.AppendQuotedBytes(dst, text) }

// AppendEmbedded writes JSON unchanged, on one line, so that what was made a column of JSON is
// restored. Other values become strings.
func AppendEmbedded(dst, value []byte) []byte { return jsontext.AppendEmbedded(dst, value) }

// WithoutNonFinite returns a JSON value with null in place of NaN, Infinity and -Infinity. One
// that has none is returned as it is.
func WithoutNonFinite(value []byte) []byte { return jsontext.WithoutNonFinite(value) }

// CompareNumbers compares two JSON numbers by their values, whatever their lengths. ok is false if
// one of them is none.
func CompareNumbers(a, b []byte) (order int, ok bool) { return jsontext.CompareNumbers(a, b) }
