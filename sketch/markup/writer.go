package markup

// A writer appends text with white space collapsed: to one space, or to one line end where a block
// begins or ends.
type writer struct {
	out   []byte
	start int  // start of this text in out; nothing precedes its first word
	gap   byte // what to write before the next word: 0, a space or a line end
}

func newWriter(dst []byte) writer { return writer{out: dst, start: len(dst)} }

// space separates words.
func (w *writer) space() {
	if w.gap == 0 {
		w.gap = ' '
	}
}

// line ends the line.
func (w *writer) line() { w.gap = '\n' }

// text appends a text in which a line end is ordinary white space.
func (w *writer) text(t []byte) { appendTo(w, t, ' ') }

// code appends a text with significant line ends.
func (w *writer) code(t []byte) { appendTo(w, t, '\n') }

// appendTo appends a text; lineEnd is what its line ends become.
func appendTo[T []byte | string](w *writer, t T, lineEnd byte) {
	for i := 0; i < len(t); {
		if space(t[i]) {
			if t[i] == '\n' && lineEnd == '\n' {
				w.line()
			} else {
				w.space()
			}
			i++
			continue
		}
		from := i
		for i < len(t) && !space(t[i]) {
			i++
		}
		if w.gap != 0 && len(w.out) > w.start {
			w.out = append(w.out, w.gap)
		}
		w.gap = 0
		w.out = append(w.out, t[from:i]...)
	}
}

// space reports whether c is white space in HTML.
func space(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }
