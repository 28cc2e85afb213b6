// Package shown makes foreign text safe for a terminal. In names of files and fields, headers and
// data, a control character could move the cursor, start a line that looks like one of the program,
// or send commands to the terminal.
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

// Text escapes the characters in s that a terminal would not show as they are, in Go syntax such as
// \x1b, \n and \u202e: control characters, bidirectional controls, line separators, and invalid
// UTF-8.
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

// next returns the index of the first character of s that has to be escaped, or its length.
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

// Error returns the message of an error. Joined errors are on separate lines; other line ends are
// escaped.
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

// around escapes a message that contains the messages of other errors.
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

// Line writes a line, escaping control characters and line ends in it.
func Line(w io.Writer, format string, args ...any) error {
	_, err := io.WriteString(w, Text(fmt.Sprintf(format, args...))+"\n")
	return err
}

// Notice writes a line of the program to its diagnostics.
func Notice(w io.Writer, format string, args ...any) {
	_ = Line(w, "mithril-stream: "+format, args...) // there is nobody to report an error to
}

// Plain returns the text of a JSON string or number, such as the name of a record.
func Plain(value []byte) (text string) {
	if json.Unmarshal(value, &text) != nil {
		return string(value)
	}
	return text
}
