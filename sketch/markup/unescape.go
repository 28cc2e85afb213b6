package markup

import (
	"bytes"

	"golang.org/x/net/html"
)

// maxEntity is the length of the longest entity, &CounterClockwiseContourIntegral;
const maxEntity = 33

// appendUnescaped appends a Markdown text with backslash escapes and entities resolved.
func appendUnescaped(w *writer, t []byte) {
	from := 0
	for i := 0; i < len(t); i++ {
		switch {
		case t[i] == '\\' && i+1 < len(t) && punctuation(t[i+1]):
			w.text(t[from:i])
			i++ // the next character is literal
			from = i
		case t[i] == '&':
			end := bytes.IndexByte(t[i:min(len(t), i+maxEntity)], ';')
			if end < 0 {
				continue
			}
			w.text(t[from:i])
			w.text([]byte(html.UnescapeString(string(t[i : i+end+1]))))
			i += end
			from = i + 1
		}
	}
	w.text(t[from:])
}

func punctuation(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}
