// Package shown makes text fit for a terminal. Names of files and fields, headers and data are not
// ours: a control character in them would move the cursor, begin a line that looks like one of the
// program, or tell a terminal to do something.
package shown

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is s with each character that a terminal would not show written as in Go, such as \x1b, \n
// and \u202e: control characters, those that change the direction of what follows, other line ends,
// and bytes that are no UTF-8.
func Text(s string) string {
	at := next(s)
	if at == len(s) {
		return s
	}
	var b strings.Builder
	for s != "" {
		b.WriteString(s[:at])
		if s = s[at:]; s == "" {
			break
		}
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[0])
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
		s = s[size:]
		at = next(s)
	}
	return b.String()
}

// next is where the first character of s stands that is not shown, or its length.
func next(s string) int {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || isHidden(r) {
			return i
		}
		i += size
	}
	return len(s)
}

func isHidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// Error is the message of an error. Errors that were joined stand on lines of their own; there are
// no other ends of lines in it.
func Error(err error) string {
	message := err.Error()
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return around(message, []error{e.Unwrap()})
	case interface{ Unwrap() []error }:
		parts := e.Unwrap()
		if message != joined(parts, error.Error) {
			return around(message, parts)
		}
		return joined(parts, Error)
	}
	return Text(message)
}

func joined(errs []error, message func(error) string) string {
	var messages []string
	for _, err := range errs {
		messages = append(messages, message(err))
	}
	return strings.Join(messages, "\n")
}

// around is a message in which the messages of other errors stand.
func around(message string, inner []error) string {
	var b strings.Builder
	for _, err := range inner {
		if err == nil {
			continue
		}
		before, after, found := strings.Cut(message, err.Error())
		if !found {
			continue
		}
		b.WriteString(Text(before))
		b.WriteString(Error(err))
		message = after
	}
	return b.String() + Text(message)
}

// Line writes a line that has no other end, and no control characters.
func Line(w io.Writer, format string, args ...any) error {
	_, err := io.WriteString(w, Text(fmt.Sprintf(format, args...))+"\n")
	return err
}

// Notice writes a line that the program says beside its results.
func Notice(w io.Writer, format string, args ...any) {
	_ = Line(w, "mithril-stream: "+format, args...) // who does not hear us cannot be told so
}

// Plain is what a JSON string or number says, as names of records are.
func Plain(value []byte) (text string) {
	if json.Unmarshal(value, &text) != nil {
		return string(value)
	}
	return text
}
