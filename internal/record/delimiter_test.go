package record

import (
	"bytes"
	"testing"
)

// TestDelimiterOfAHeader is what a header says about the delimiter, in reads of any size.
func TestDelimiterOfAHeader(t *testing.T) {
	for _, c := range []struct {
		header string
		want   byte
	}{
		{"id;text", ';'},
		{"id|text", '|'},
		{"id\ttext", '\t'},
		{"\xef\xbb\xbfid;text;x y", ';'},
		{"\"a,b\";text", ';'},
		{"\"a\nb, \"\"c|d\";text", ';'},
		{"id,text;x", ','},
		{"id;text|x", ','},
		{"text", ','},
		{"\"id;text\"", ','},
		{"a \"b;c", ';'},
		{"a\x00b", ','},
		{"a\x00;b", ';'},
		{"", ','},
	} {
		for n := range len(c.header) {
			if d, ok := guessDelimiter([]byte(c.header[:n]), false); ok {
				t.Errorf("%q: %q after %d bytes", c.header, d, n)
			}
		}
		for _, input := range []string{c.header + "\n", c.header + "\nx,y|z;\t\n"} {
			if d, ok := guessDelimiter([]byte(input), false); d != c.want || !ok {
				t.Errorf("%q: %q, %v, want %q", input, d, ok, c.want)
			}
		}
		if d, ok := guessDelimiter([]byte(c.header), true); d != c.want || !ok {
			t.Errorf("%q without an end: %q, %v, want %q", c.header, d, ok, c.want)
		}
	}
	long := bytes.Repeat([]byte("x"), HeadSize)
	if d, ok := guessDelimiter(append(long, ';'), false); d != ',' || !ok {
		t.Errorf("a header that does not end: %q, %v", d, ok)
	}
}

// TestSeparatorLine: a character that ends rows, or that quotes, is no delimiter.
func TestSeparatorLine(t *testing.T) {
	for input, want := range map[string]string{
		"sep=;\na;b\n": "sep=;\n", "\xef\xbb\xbfsep=|\r\na": "\xef\xbb\xbfsep=|\r\n",
		"sep=,\ra": "sep=,\r", "sep=;": "",
		"sep=;;\n": "", "sep=\x00\na": "", "sep=\n\na": "", "sep=\r\na": "", "sep=\"\na": "", "a\nsep=;\n": "",
	} {
		if got := string(separatorLine([]byte(input))); got != want {
			t.Errorf("%q begins with the line %q, want %q", input, got, want)
		}
	}
}

// guessDelimiter is the delimiter that a header says.
func guessDelimiter(buf []byte, all bool) (delimiter byte, ok bool) {
	d, ok := dialect{}.completed(buf, all)
	return d.comma, ok
}
